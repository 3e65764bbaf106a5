/**
 * Draws the cells of one pane in this order: gridlines, fills, marks behind the text, borders,
 * texts, other marks.
 */

import type { CellStyle, Merge, SheetWindow } from "@quadrille/protocol";
import type { Cell } from "./address.ts";
import { paintBorders, paintDiagonals } from "./paint-borders.ts";
import { paintMarkBehind, paintMarkInFront } from "./paint-marks.ts";
import { paintPattern } from "./paint-patterns.ts";
import { TextPainter } from "./paint-text.ts";
import type { ResolvedStyle, DrawingContext } from "./drawing-context.ts";
import { type Box, boxInPane, columnX, type Pane, rowY } from "./view.ts";

/** Paints cells and caches the resolved styles of the last window. */
export class CellPainter {
  private readonly drawing: DrawingContext;
  readonly texts: TextPainter;
  /** Valid for one window, theme and zoom. */
  private styles: { of: readonly CellStyle[]; theme: unknown; zoom: number; resolved: readonly ResolvedStyle[] } | undefined;

  constructor(drawing: DrawingContext) {
    this.drawing = drawing;
    this.texts = new TextPainter(drawing);
  }

  /**
   * Draws the pane's gridlines and, if `window` is given, its cells except the text of `editing`.
   */
  paint(pane: Pane, window: SheetWindow | undefined, editing: Cell | undefined, hasGridlines: boolean): void {
    if (hasGridlines) {
      this.paintLines(pane);
    }
    if (!window) {
      return;
    }
    const styles = this.resolvedStyles(window);
    this.paintFills(pane, window, styles);
    this.paintMerges(pane, window, styles);
    const isMirrored = pane.mirrorPx !== undefined;
    this.eachMark(pane, window, (box, index, mark) => paintMarkBehind(this.drawing, box, mark, styles[window.styleIndex(index)], isMirrored));
    if (styles.some((resolved) => resolved.hasBorder)) {
      paintBorders(this.drawing, pane, window);
    }
    if (styles.some((resolved) => resolved.hasDiagonal)) {
      paintDiagonals(this.drawing, pane, window);
    }
    this.texts.paint(pane, window, styles, editing);
    this.eachMark(pane, window, (box, _, mark) => paintMarkInFront(this.drawing, box, mark, isMirrored));
  }

  /** Drawing styles of the window's cell styles, in the same order. */
  resolvedStyles(window: SheetWindow): readonly ResolvedStyle[] {
    const { drawing } = this;
    const cached = this.styles;
    if (cached && cached.of === window.styles && cached.theme === drawing.theme && cached.zoom === drawing.zoom) {
      return cached.resolved;
    }
    const resolved = window.styles.map((style) => drawing.resolve(style));
    this.styles = { of: window.styles, theme: drawing.theme, zoom: drawing.zoom, resolved };
    return resolved;
  }

  private paintLines(pane: Pane): void {
    const { drawing } = this;
    const { visible, box } = pane;
    const thin = 1 / drawing.dpr;
    drawing.setFillColor(drawing.theme.line);
    let y = rowY(pane, visible.top);
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      y += pane.rows.size(row);
      drawing.context.fillRect(box.x, drawing.snap(y) - thin, box.width, thin);
    }
    for (let column = visible.left; column <= visible.right; column += 1) {
      const x = columnX(pane, column);
      const edge = pane.mirrorPx === undefined ? x + pane.columns.size(column) - thin : x;
      drawing.context.fillRect(drawing.snap(edge), box.y, thin, box.height);
    }
  }

  /**
   * Fills cover the surrounding gridlines; equal fills of adjacent rows are drawn as one rectangle.
   */
  private paintFills(pane: Pane, window: SheetWindow, styles: readonly ResolvedStyle[]): void {
    const { visible } = pane;
    if (!styles.some(({ fill }) => fill !== undefined)) {
      return;
    }
    const { context } = this.drawing;
    const hasPattern = styles.some(({ patternInk }) => patternInk !== undefined);
    for (let column = visible.left; column <= visible.right; column += 1) {
      const width = pane.columns.size(column);
      const x = columnX(pane, column);
      let start = visible.top;
      let current: string | undefined;
      for (let row = visible.top; row <= visible.bottom + 1; row += 1) {
        if (row <= visible.bottom && pane.rows.isHidden(row)) {
          continue;
        }
        const index = row > visible.bottom ? -1 : window.index(row, column);
        const fill = index < 0 ? undefined : styles[window.styleIndex(index)]?.fill;
        if (fill === current && row <= visible.bottom) {
          continue;
        }
        if (current !== undefined && width > 0) {
          const y = rowY(pane, start);
          this.drawing.setFillColor(current);
          context.fillRect(x - 1, y - 1, width + 1, rowY(pane, row) - y + 1);
        }
        current = fill;
        start = row;
      }
      if (hasPattern) {
        this.paintPatterns(pane, window, styles, column);
      }
    }
  }

  /** Draws the patterns of the fills of one column. */
  private paintPatterns(pane: Pane, window: SheetWindow, styles: readonly ResolvedStyle[], column: number): void {
    const { visible } = pane;
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      const index = window.index(row, column);
      const resolved = index < 0 ? undefined : styles[window.styleIndex(index)];
      if (resolved?.patternInk !== undefined && !window.merge(index) && !pane.rows.isHidden(row)) {
        const { x, y, width, height } = boxInPane(pane, { top: row, left: column, bottom: row, right: column });
        paintPattern(this.drawing, resolved.style.pattern, resolved.patternInk, x - 1, y - 1, width + 1, height + 1);
      }
    }
  }

  /** Erases the gridlines inside merged ranges and fills them with the fill of their first cell. */
  private paintMerges(pane: Pane, window: SheetWindow, styles: readonly ResolvedStyle[]): void {
    const { drawing } = this;
    const thin = 1 / drawing.dpr;
    for (const merge of window.merges) {
      if (!intersects(merge, pane)) {
        continue;
      }
      const box = boxInPane(pane, merge);
      const index = window.visibleIndexOf(merge);
      const fill = index < 0 ? undefined : styles[window.styleIndex(index)]?.fill;
      if (fill === undefined) {
        drawing.fill(drawing.theme.paper, box.x, box.y, box.width - thin, box.height - thin);
      } else {
        drawing.fill(fill, box.x - 1, box.y - 1, box.width + 1, box.height + 1);
        const resolved = styles[window.styleIndex(index)];
        if (resolved?.patternInk !== undefined) {
          paintPattern(drawing, resolved.style.pattern, resolved.patternInk, box.x - 1, box.y - 1, box.width + 1, box.height + 1);
        }
      }
    }
  }

  private eachMark(
    pane: Pane,
    window: SheetWindow,
    draw: (box: Box, index: number, mark: NonNullable<ReturnType<SheetWindow["mark"]>>) => void,
  ): void {
    for (const [index, mark] of window.marked) {
      const { row, column } = window.cell(index);
      const range = window.merge(index) ?? { top: row, left: column, bottom: row, right: column };
      if (intersects(range, pane)) {
        const box = boxInPane(pane, range);
        if (box.width > 0 && box.height > 0) {
          draw(box, index, mark);
        }
      }
    }
  }
}

function intersects(range: Merge, pane: Pane): boolean {
  const { visible } = pane;
  return (
    range.top <= visible.bottom &&
    range.bottom >= visible.top &&
    range.left <= visible.right &&
    range.right >= visible.left
  );
}


/** Draws the cells of one pane: gridlines, fills, marks behind the text, borders, texts. */

import type { CellStyle, Merge, SheetWindow } from "@quadrille/protocol";
import type { Cell } from "./address.ts";
import { paintBorders } from "./paint-borders.ts";
import { paintMarkBehind, paintMarkBefore } from "./paint-marks.ts";
import { TextPainter } from "./paint-text.ts";
import type { ResolvedStyle, Pen } from "./pen.ts";
import { type Box, boxInPane, columnX, type Pane, rowY } from "./view.ts";

export class CellPainter {
  private readonly pen: Pen;
  readonly texts: TextPainter;
  /** Made anew for another window, theme or zoom. */
  private looks: { of: readonly CellStyle[]; theme: unknown; zoom: number; made: readonly ResolvedStyle[] } | undefined;

  constructor(pen: Pen) {
    this.pen = pen;
    this.texts = new TextPainter(pen);
  }

  paint(pane: Pane, window: SheetWindow | undefined, editing: Cell | undefined, hasGridlines: boolean): void {
    if (hasGridlines) {
      this.paintLines(pane);
    }
    if (!window) {
      return;
    }
    const looks = this.looksOf(window);
    this.paintFills(pane, window, looks);
    this.paintMerges(pane, window, looks);
    this.eachMark(pane, window, (box, index, mark) => paintMarkBehind(this.pen, box, mark, looks[window.look(index)]));
    if (looks.some((look) => look.hasBorder)) {
      paintBorders(this.pen, pane, window);
    }
    this.texts.paint(pane, window, looks, editing);
    this.eachMark(pane, window, (box, _, mark) => paintMarkBefore(this.pen, box, mark, pane.mirrorPx !== undefined));
  }

  looksOf(window: SheetWindow): readonly ResolvedStyle[] {
    const { pen } = this;
    const known = this.looks;
    if (known && known.of === window.styles && known.theme === pen.theme && known.zoom === pen.zoom) {
      return known.made;
    }
    const made = window.styles.map((style) => pen.resolve(style));
    this.looks = { of: window.styles, theme: pen.theme, zoom: pen.zoom, made };
    return made;
  }

  private paintLines(pane: Pane): void {
    const { pen } = this;
    const { visible, box } = pane;
    const thin = 1 / pen.dpr;
    pen.setInk(pen.theme.line);
    let y = rowY(pane, visible.top);
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      y += pane.rows.size(row);
      pen.context.fillRect(box.x, pen.snap(y) - thin, box.width, thin);
    }
    for (let column = visible.left; column <= visible.right; column += 1) {
      const x = columnX(pane, column);
      const edge = pane.mirrorPx === undefined ? x + pane.columns.size(column) - thin : x;
      pen.context.fillRect(pen.snap(edge), box.y, thin, box.height);
    }
  }

  /** Fills cover the lines round them; equal ones below one another are one rectangle. */
  private paintFills(pane: Pane, window: SheetWindow, looks: readonly ResolvedStyle[]): void {
    const { visible } = pane;
    if (!looks.some(({ fill }) => fill !== undefined)) {
      return;
    }
    const { context } = this.pen;
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
        const fill = index < 0 ? undefined : looks[window.look(index)]?.fill;
        if (fill === current && row <= visible.bottom) {
          continue;
        }
        if (current !== undefined && width > 0) {
          const y = rowY(pane, start);
          this.pen.setInk(current);
          context.fillRect(x - 1, y - 1, width + 1, rowY(pane, row) - y + 1);
        }
        current = fill;
        start = row;
      }
    }
  }

  /** The lines inside merged cells go, the fill of the first cell is that of all. */
  private paintMerges(pane: Pane, window: SheetWindow, looks: readonly ResolvedStyle[]): void {
    const { pen } = this;
    const thin = 1 / pen.dpr;
    for (const merge of window.merges) {
      if (!intersects(merge, pane)) {
        continue;
      }
      const box = boxInPane(pane, merge);
      const index = window.shownIn(merge);
      const fill = index < 0 ? undefined : looks[window.look(index)]?.fill;
      if (fill === undefined) {
        pen.fill(pen.theme.paper, box.x, box.y, box.width - thin, box.height - thin);
      } else {
        pen.fill(fill, box.x - 1, box.y - 1, box.width + 1, box.height + 1);
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


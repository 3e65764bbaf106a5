/** Draws one frame: a function of the scene, the theme and nothing else. */

import { Align, type CellStyle, NO_COLOR, type SheetWindow, ValueKind } from "@quadrille/protocol";
import { columnName, type Range } from "./address.ts";
import type { Scene } from "./scene.ts";
import { currentRange } from "./selection.ts";
import { TextWidths } from "./text-width.ts";
import { cssColor, inkOn, lightened, type Theme } from "./theme.ts";
import { type Box, boxOf, COLUMN_HEADER_HEIGHT_PX, type View } from "./view.ts";

/** Space between a cell's border and its text. */
const PADDING_PX = 4;
const LINE_HEIGHT = 1.3;
/** A row is fitted to no more lines than this. */
const WRAPPED_LINES_MAX = 60;
export const FILL_HANDLE_PX = 8;
export const TOUCH_HANDLE_RADIUS_PX = 7;

export class Painter {
  private readonly widths = new TextWidths();
  private readonly context: CanvasRenderingContext2D;
  private font = "";
  private ink = "";

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }

  /** `dpr`: device pixels per CSS pixel. The canvas has the view's size times `dpr`. */
  paint(scene: Scene, theme: Theme, dpr: number): void {
    const { view } = scene;
    const { context } = this;
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.font = "";
    this.ink = "";
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, view.widthPx, view.heightPx);

    context.save();
    context.beginPath();
    context.rect(
      view.rowHeaderWidthPx,
      COLUMN_HEADER_HEIGHT_PX,
      view.widthPx - view.rowHeaderWidthPx,
      view.heightPx - COLUMN_HEADER_HEIGHT_PX,
    );
    context.clip();
    if (scene.window) {
      this.paintFills(view, scene.window);
    }
    this.paintLines(view, theme, dpr);
    if (scene.window) {
      this.paintTexts(scene, scene.window, theme);
    }
    this.paintSelections(scene, theme);
    context.restore();
    this.paintHeaders(scene, theme, dpr);
    if (scene.guide) {
      const { dimension, atPx } = scene.guide;
      const isRow = dimension === "rows";
      this.fill(theme.accent, isRow ? 0 : atPx, isRow ? atPx : 0, isRow ? view.widthPx : 1.5, isRow ? 1.5 : view.heightPx);
    }
  }

  /** Width that a column needs to show `texts`. */
  widthNeededPx(texts: readonly string[], theme: Theme, bold = false): number {
    const font = fontOf(theme, bold, false);
    this.setFont(font);
    const widest = texts.reduce((width, text) => Math.max(width, this.widths.width(this.context, font, text)), 0);
    return Math.ceil(widest) + 2 * PADDING_PX + 2;
  }

  /** Height that the wrapped text of a cell needs. */
  heightNeededPx(window: SheetWindow, index: number, columnWidthPx: number, theme: Theme): number {
    const { bold, italic } = window.style(index);
    const font = fontOf(theme, bold, italic);
    this.setFont(font);
    const lines = this.breakLines(window.text(index), font, columnWidthPx - 2 * PADDING_PX, WRAPPED_LINES_MAX);
    return Math.ceil(lines.length * theme.fontPx * LINE_HEIGHT) + 5;
  }

  private paintFills(view: View, window: SheetWindow): void {
    const { context } = this;
    for (let row = view.visible.top; row <= view.visible.bottom; row += 1) {
      let y = 0;
      let height = -1;
      for (let column = view.visible.left; column <= view.visible.right; column += 1) {
        const index = window.index(row, column);
        if (index < 0) {
          continue;
        }
        const { fillColor } = window.style(index);
        if (fillColor === NO_COLOR) {
          continue;
        }
        if (height < 0) {
          y = view.rows.offset(row) - view.scrollTopPx + COLUMN_HEADER_HEIGHT_PX;
          height = view.rows.size(row);
        }
        context.fillStyle = cssColor(fillColor);
        const x = view.columns.offset(column) - view.scrollLeftPx + view.rowHeaderWidthPx;
        context.fillRect(x - 1, y - 1, view.columns.size(column) + 1, height + 1);
      }
    }
  }

  private paintLines(view: View, theme: Theme, dpr: number): void {
    const { context } = this;
    const thin = 1 / dpr;
    context.fillStyle = theme.line;
    const { visible } = view;
    let y = view.rows.offset(visible.top) - view.scrollTopPx + COLUMN_HEADER_HEIGHT_PX;
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      y += view.rows.size(row);
      context.fillRect(view.rowHeaderWidthPx, snap(y, dpr) - thin, view.widthPx, thin);
    }
    let x = view.columns.offset(visible.left) - view.scrollLeftPx + view.rowHeaderWidthPx;
    for (let column = visible.left; column <= visible.right; column += 1) {
      x += view.columns.size(column);
      context.fillRect(snap(x, dpr) - thin, COLUMN_HEADER_HEIGHT_PX, thin, view.heightPx);
    }
  }

  private paintTexts(scene: Scene, window: SheetWindow, theme: Theme): void {
    const { view, editing } = scene;
    // Text runs over from blank neighbours outside the view, so look at the whole width of the window.
    const firstColumn = window.firstColumn;
    const lastColumn = window.firstColumn + window.columnCount - 1;
    for (let row = view.visible.top; row <= view.visible.bottom; row += 1) {
      if (window.index(row, firstColumn) < 0) {
        continue;
      }
      const y = view.rows.offset(row) - view.scrollTopPx + COLUMN_HEADER_HEIGHT_PX;
      const height = view.rows.size(row);
      if (height === 0) {
        continue;
      }
      for (let column = firstColumn; column <= lastColumn; column += 1) {
        const index = window.index(row, column);
        if (!window.hasText(index)) {
          continue;
        }
        if (editing && editing.row === row && editing.column === column) {
          continue;
        }
        const x = view.columns.offset(column) - view.scrollLeftPx + view.rowHeaderWidthPx;
        const width = view.columns.size(column);
        const isVisible = column >= view.visible.left && column <= view.visible.right;
        if (width === 0 || (!isVisible && window.kind(index) !== ValueKind.Text)) {
          continue;
        }
        this.paintText(view, window, theme, index, row, column, { x, y, width, height });
      }
    }
  }

  private paintText(
    view: View,
    window: SheetWindow,
    theme: Theme,
    index: number,
    row: number,
    column: number,
    box: Box,
  ): void {
    const { context } = this;
    const style = window.style(index);
    const kind = window.kind(index);
    const font = fontOf(theme, style.bold, style.italic);
    this.setFont(font);
    this.setInk(inkOf(style, kind, theme));
    const align = horizontalOf(style, kind);
    let text = window.text(index);

    if (style.wrap && kind === ValueKind.Text) {
      this.paintWrapped(text, font, style, align, box, theme);
      return;
    }
    const lineEnd = text.indexOf("\n");
    if (lineEnd >= 0) {
      text = text.slice(0, lineEnd);
    }

    let width = this.widths.width(context, font, text);
    const room = box.width - 2 * PADDING_PX;
    let clipLeft = box.x;
    let clipRight = box.x + box.width;
    if (width > room) {
      if (kind === ValueKind.Number) {
        text = "#".repeat(Math.max(1, Math.floor(room / Math.max(1, this.widths.width(context, font, "#")))));
        width = this.widths.width(context, font, text);
      } else if (kind === ValueKind.Text) {
        const extra = width - room;
        if (align !== Align.End) {
          clipRight += blankSpace(view, window, row, column, 1, align === Align.Center ? extra / 2 : extra);
        }
        if (align !== Align.Start) {
          clipLeft -= blankSpace(view, window, row, column, -1, align === Align.Center ? extra / 2 : extra);
        }
      }
    }
    let x = box.x + PADDING_PX;
    if (align === Align.End) {
      x = box.x + box.width - PADDING_PX - width;
    } else if (align === Align.Center) {
      x = box.x + (box.width - width) / 2;
    }
    const baseline = baselineOf(style, theme, box, 1);
    const isClipped = x < clipLeft || x + width > clipRight || theme.fontPx > box.height;
    const overflows = clipRight > box.x + box.width || clipLeft < box.x;
    if (overflows && style.fillColor === NO_COLOR) {
      this.hideLinesUnder(view, theme, row, Math.max(clipLeft, x - 1), Math.min(clipRight, x + width + 1), box);
      this.setInk(inkOf(style, kind, theme));
    }
    if (isClipped) {
      context.save();
      context.beginPath();
      context.rect(clipLeft, box.y, clipRight - clipLeft - 1, box.height);
      context.clip();
    }
    context.fillText(text, x, baseline);
    this.paintStrokes(style, x, baseline, width, theme);
    if (isClipped) {
      context.restore();
      // `restore` brings back the font and ink that were set before `save`: the same ones.
    }
  }

  /** A text that runs over its neighbours is read more easily without the lines between them. */
  private hideLinesUnder(view: View, theme: Theme, row: number, left: number, right: number, box: Box): void {
    const { context } = this;
    context.fillStyle = theme.paper;
    this.ink = "";
    const first = view.columns.indexAt(left - view.rowHeaderWidthPx + view.scrollLeftPx);
    const last = view.columns.indexAt(right - view.rowHeaderWidthPx + view.scrollLeftPx);
    for (let column = first; column < last; column += 1) {
      const x = view.columns.offset(column + 1) - view.scrollLeftPx + view.rowHeaderWidthPx;
      context.fillRect(x - 1, box.y, 1, view.rows.size(row) - 1);
    }
  }

  private paintWrapped(
    text: string,
    font: string,
    style: CellStyle,
    align: Align,
    box: Box,
    theme: Theme,
  ): void {
    const { context } = this;
    const lineHeightPx = theme.fontPx * LINE_HEIGHT;
    const linesMax = Math.max(1, Math.ceil(box.height / lineHeightPx));
    const lines = this.breakLines(text, font, box.width - 2 * PADDING_PX, linesMax);
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width - 1, box.height - 1);
    context.clip();
    let baseline = baselineOf(style, theme, box, lines.length);
    for (const line of lines) {
      const width = this.widths.width(context, font, line);
      let x = box.x + PADDING_PX;
      if (align === Align.End) {
        x = box.x + box.width - PADDING_PX - width;
      } else if (align === Align.Center) {
        x = box.x + (box.width - width) / 2;
      }
      context.fillText(line, x, baseline);
      this.paintStrokes(style, x, baseline, width, theme);
      baseline += lineHeightPx;
    }
    context.restore();
  }

  private breakLines(text: string, font: string, roomPx: number, linesMax: number): string[] {
    const lines: string[] = [];
    for (const paragraph of text.split("\n")) {
      let line = "";
      for (const word of paragraph.split(/(?<=\s)/)) {
        if (line !== "" && this.widths.width(this.context, font, (line + word).trimEnd()) > roomPx) {
          lines.push(line.trimEnd());
          line = "";
        }
        line += word;
        if (lines.length > linesMax) {
          return lines;
        }
      }
      lines.push(line.trimEnd());
    }
    return lines;
  }

  private paintStrokes(style: CellStyle, x: number, baseline: number, width: number, theme: Theme): void {
    if (style.underline) {
      this.context.fillRect(x, baseline + 2, width, 1);
    }
    if (style.strikethrough) {
      this.context.fillRect(x, baseline - theme.fontPx * 0.3, width, 1);
    }
  }

  private paintSelections(scene: Scene, theme: Theme): void {
    const { context } = this;
    const { view, selection } = scene;
    const active = boxOf(view, {
      top: selection.active.row,
      bottom: selection.active.row,
      left: selection.active.column,
      right: selection.active.column,
    });

    // The wash covers the selected ranges but for the active cell.
    context.save();
    context.beginPath();
    for (const range of selection.ranges) {
      const box = clipBox(boxOf(view, range), view);
      context.rect(box.x, box.y, box.width, box.height);
    }
    context.rect(active.x, active.y, active.width, active.height);
    context.fillStyle = theme.accentWash;
    const isSingle = selection.ranges.length === 1 && sameBox(boxOf(view, currentRange(selection)), active);
    if (!isSingle) {
      context.fill("evenodd");
    }
    context.restore();

    for (const other of scene.others) {
      const color = theme.isDark ? lightened(other.color) : other.color;
      this.frame(view, other.range, cssColor(color), 2, []);
      if (scene.named.has(other.id)) {
        this.nameTag(view, other.name, color, other.range, theme);
      }
    }
    context.globalAlpha = scene.hasFocus ? 1 : 0.55;
    for (const range of selection.ranges) {
      this.frame(view, range, theme.accent, selection.ranges.length > 1 ? 1 : 2, []);
    }
    if (!isSingle || selection.ranges.length > 1) {
      this.frame(view, rangeAt(selection.active), theme.accent, 2, []);
    }
    if (!scene.editing) {
      this.paintHandles(scene, theme);
    }
    context.globalAlpha = 1;
    if (scene.copied) {
      this.frame(view, scene.copied, theme.accent, 2, [5, 4]);
    }
    if (scene.target) {
      this.frame(view, scene.target, theme.accent, 1.5, [3, 3]);
    }
  }

  private paintHandles(scene: Scene, theme: Theme): void {
    const { context } = this;
    const box = boxOf(scene.view, currentRange(scene.selection));
    const right = box.x + box.width - 1;
    const bottom = box.y + box.height - 1;
    context.fillStyle = theme.accent;
    context.strokeStyle = theme.paper;
    context.lineWidth = 1.5;
    if (scene.isTouch) {
      for (const [x, y] of [
        [box.x, box.y],
        [right, bottom],
      ] as const) {
        context.beginPath();
        context.arc(x, y, TOUCH_HANDLE_RADIUS_PX, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
      return;
    }
    const half = FILL_HANDLE_PX / 2;
    context.fillRect(right - half, bottom - half, FILL_HANDLE_PX, FILL_HANDLE_PX);
    context.strokeRect(right - half - 0.5, bottom - half - 0.5, FILL_HANDLE_PX + 1, FILL_HANDLE_PX + 1);
  }

  private frame(view: View, range: Range, color: string, widthPx: number, dash: readonly number[]): void {
    const { context } = this;
    const box = clipBox(boxOf(view, range), view);
    if (box.width <= 0 || box.height <= 0) {
      return;
    }
    context.strokeStyle = color;
    context.lineWidth = widthPx;
    context.setLineDash([...dash]);
    const inset = widthPx / 2;
    context.strokeRect(box.x - 1 + inset, box.y - 1 + inset, box.width + 1 - widthPx, box.height + 1 - widthPx);
    context.setLineDash([]);
  }

  private nameTag(view: View, name: string, color: number, range: Range, theme: Theme): void {
    const { context } = this;
    const box = boxOf(view, range);
    const font = `600 11px ${theme.fontFamily}`;
    this.setFont(font);
    const width = this.widths.width(context, font, name) + 10;
    const height = 16;
    const above = box.y - height;
    const x = Math.max(box.x - 1, view.rowHeaderWidthPx);
    const y = above >= COLUMN_HEADER_HEIGHT_PX ? above : box.y + Math.min(box.height, view.heightPx) - 1;
    this.setInk(cssColor(color));
    context.beginPath();
    context.roundRect(x, y, width, height, [4, 4, 4, 0]);
    context.fill();
    this.setInk(inkOn(color));
    context.textBaseline = "alphabetic";
    context.fillText(name, x + 5, y + 12);
  }

  private paintHeaders(scene: Scene, theme: Theme, dpr: number): void {
    const { view, selection } = scene;
    const { context } = this;
    const thin = 1 / dpr;
    context.fillStyle = theme.headerPaper;
    context.fillRect(0, 0, view.widthPx, COLUMN_HEADER_HEIGHT_PX);
    context.fillRect(0, 0, view.rowHeaderWidthPx, view.heightPx);
    this.font = "";
    this.ink = "";
    const font = `500 12px ${theme.fontFamily}`;
    this.setFont(font);
    context.textBaseline = "alphabetic";

    context.save();
    context.beginPath();
    context.rect(view.rowHeaderWidthPx, 0, view.widthPx, COLUMN_HEADER_HEIGHT_PX);
    context.clip();
    let x = view.columns.offset(view.visible.left) - view.scrollLeftPx + view.rowHeaderWidthPx;
    for (let column = view.visible.left; column <= view.visible.right; column += 1) {
      const width = view.columns.size(column);
      const isSelected = selection.ranges.some((range) => column >= range.left && column <= range.right);
      if (isSelected) {
        this.fill(theme.headerSelectedPaper, x, 0, width, COLUMN_HEADER_HEIGHT_PX);
      }
      this.fill(theme.line, snap(x + width, dpr) - thin, 0, thin, COLUMN_HEADER_HEIGHT_PX);
      this.setInk(isSelected ? theme.headerSelectedInk : theme.headerInk);
      const name = columnName(column);
      const nameWidth = this.widths.width(context, font, name);
      if (nameWidth < width) {
        context.fillText(name, x + (width - nameWidth) / 2, COLUMN_HEADER_HEIGHT_PX - 8);
      }
      x += width;
    }
    context.restore();
    this.ink = "";

    context.save();
    context.beginPath();
    context.rect(0, COLUMN_HEADER_HEIGHT_PX, view.rowHeaderWidthPx, view.heightPx);
    context.clip();
    let y = view.rows.offset(view.visible.top) - view.scrollTopPx + COLUMN_HEADER_HEIGHT_PX;
    for (let row = view.visible.top; row <= view.visible.bottom; row += 1) {
      const height = view.rows.size(row);
      const isSelected = selection.ranges.some((range) => row >= range.top && row <= range.bottom);
      if (isSelected) {
        this.fill(theme.headerSelectedPaper, 0, y, view.rowHeaderWidthPx, height);
      }
      this.fill(theme.line, 0, snap(y + height, dpr) - thin, view.rowHeaderWidthPx, thin);
      this.setInk(isSelected ? theme.headerSelectedInk : theme.headerInk);
      const name = String(row + 1);
      if (height >= 10) {
        const nameWidth = this.widths.width(context, font, name);
        context.fillText(name, (view.rowHeaderWidthPx - nameWidth) / 2, y + height / 2 + 4);
      }
      y += height;
    }
    context.restore();
    this.ink = "";

    this.fill(theme.headerPaper, 0, 0, view.rowHeaderWidthPx, COLUMN_HEADER_HEIGHT_PX);
    this.fill(theme.line, 0, COLUMN_HEADER_HEIGHT_PX - thin, view.widthPx, thin);
    this.fill(theme.line, view.rowHeaderWidthPx - thin, 0, thin, view.heightPx);
  }

  private fill(color: string, x: number, y: number, width: number, height: number): void {
    this.context.fillStyle = color;
    this.ink = color;
    this.context.fillRect(x, y, width, height);
  }

  private setFont(font: string): void {
    if (this.font !== font) {
      this.font = font;
      this.context.font = font;
    }
  }

  private setInk(ink: string): void {
    if (this.ink !== ink) {
      this.ink = ink;
      this.context.fillStyle = ink;
    }
  }
}

function fontOf(theme: Theme, bold: boolean, italic: boolean): string {
  return `${italic ? "italic " : ""}${bold ? "700 " : ""}${theme.fontPx}px ${theme.fontFamily}`;
}

function inkOf(style: CellStyle, kind: ValueKind, theme: Theme): string {
  if (style.textColor !== NO_COLOR) {
    return cssColor(style.textColor);
  }
  if (style.fillColor !== NO_COLOR) {
    return inkOn(style.fillColor);
  }
  return kind === ValueKind.Error ? theme.error : theme.ink;
}

/** Numbers stand right, booleans and errors in the middle, texts left, unless the format says otherwise. */
function horizontalOf(style: CellStyle, kind: ValueKind): Align {
  if (style.horizontal !== Align.None) {
    return style.horizontal;
  }
  switch (kind) {
    case ValueKind.Number:
      return Align.End;
    case ValueKind.Boolean:
    case ValueKind.Error:
      return Align.Center;
    default:
      return Align.Start;
  }
}

/** Baseline of the first of `lines` lines; the bottom is the default, as in Excel. */
function baselineOf(style: CellStyle, theme: Theme, box: Box, lines: number): number {
  const lineHeightPx = theme.fontPx * LINE_HEIGHT;
  const textHeightPx = lines * lineHeightPx;
  const ascent = theme.fontPx * 1.02;
  if (style.vertical === Align.Start || textHeightPx > box.height) {
    return box.y + 1 + ascent;
  }
  if (style.vertical === Align.Center) {
    return box.y + (box.height - textHeightPx) / 2 + ascent;
  }
  return box.y + box.height - 3 - textHeightPx + ascent;
}

/** How far a text may run over blank cells beside it, at most `needPx` and a little. */
function blankSpace(
  view: View,
  window: SheetWindow,
  row: number,
  column: number,
  direction: 1 | -1,
  needPx: number,
): number {
  let space = 0;
  for (let next = column + direction; space < needPx + PADDING_PX; next += direction) {
    const index = window.index(row, next);
    if (index < 0 || window.kind(index) !== ValueKind.Blank) {
      return space;
    }
    space += view.columns.size(next);
  }
  return space;
}

/** Keeps coordinates small enough for the canvas while the visible edges stay where they are. */
function clipBox(box: Box, view: View): Box {
  const margin = 8;
  const left = Math.max(box.x, -margin);
  const top = Math.max(box.y, -margin);
  const right = Math.min(box.x + box.width, view.widthPx + margin);
  const bottom = Math.min(box.y + box.height, view.heightPx + margin);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function sameBox(a: Box, b: Box): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

function rangeAt(cell: { readonly row: number; readonly column: number }): Range {
  return { top: cell.row, bottom: cell.row, left: cell.column, right: cell.column };
}

function snap(px: number, dpr: number): number {
  return Math.round(px * dpr) / dpr;
}

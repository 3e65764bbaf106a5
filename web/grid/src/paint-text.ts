/** Draws the texts of cells: where they start, whether they run over, break, shrink to `###` or turn. */

import { Align, type SheetWindow, STACKED, ValueKind } from "@quadrille/protocol";
import type { Cell } from "./address.ts";
import { markRoom } from "./paint-marks.ts";
import { LINE_HEIGHT, type ResolvedStyle, type Pen } from "./pen.ts";
import { type Box, boxInPane, columnX, type Pane, rowY } from "./view.ts";

/** Space between a cell's border and its text. */
export const PADDING_PX = 4;
const INDENT_PX = 9;
/** A row is fitted to no more lines than this. */
const WRAPPED_LINES_MAX = 60;

export class TextPainter {
  private readonly pen: Pen;

  constructor(pen: Pen) {
    this.pen = pen;
  }

  /** Column by column, because the cells of a column often have one style, and changing it is what costs. */
  paint(pane: Pane, window: SheetWindow, looks: readonly ResolvedStyle[], editing: Cell | undefined): void {
    const { visible } = pane;
    const { context } = this.pen;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    this.pen.startLetters(window.hasRightToLeft);
    // Text runs over from cells outside the view, so look at the whole width of the window.
    const lastColumn = window.firstColumn + window.columnCount - 1;
    for (let column = window.firstColumn; column <= lastColumn; column += 1) {
      const width = pane.columns.size(column);
      const isVisible = column >= visible.left && column <= visible.right;
      if (width === 0 && isVisible) {
        continue;
      }
      const x = columnX(pane, column);
      let y = rowY(pane, visible.top);
      for (let row = visible.top; row <= visible.bottom; row += 1) {
        const height = pane.rows.size(row);
        const index = window.index(row, column);
        if (index >= 0 && height > 0 && window.hasText(index)) {
          const isEdited = editing !== undefined && editing.row === row && editing.column === column;
          const merge = window.merge(index);
          if (merge) {
            // Drawn with the others below: merged cells may begin outside the view.
          } else if (!isEdited && (isVisible || window.kind(index) === ValueKind.Text)) {
            const look = looks[window.look(index)];
            if (look) {
              this.paintText(pane, window, looks, look, index, row, column, { x, y, width, height }, isVisible);
            }
          }
        }
        y += height;
      }
    }
    for (const merge of window.merges) {
      const index = window.shownIn(merge);
      const look = index < 0 ? undefined : looks[window.look(index)];
      const isEdited = editing?.row === merge.top && editing.column === merge.left;
      const box = boxInPane(pane, merge);
      if (look && !isEdited && window.hasText(index) && box.width > 0 && box.height > 0) {
        this.paintText(pane, window, looks, look, index, merge.top, merge.left, box, true, true);
      }
    }
  }

  /** Width that a column needs to show `texts`. */
  widthNeededPx(texts: readonly string[], look: ResolvedStyle): number {
    const widest = texts.reduce((width, text) => Math.max(width, this.pen.width(look.font, text)), 0);
    return Math.ceil(widest) + 2 * PADDING_PX + 2;
  }

  /** Height that the text of a cell needs in a column of this width. */
  heightNeededPx(window: SheetWindow, index: number, columnWidthPx: number, look: ResolvedStyle): number {
    const { style, font, fontPx } = look;
    const text = window.text(index);
    if (style.rotation !== 0 && style.rotation !== STACKED) {
      const angle = (Math.abs(style.rotation) * Math.PI) / 180;
      return Math.ceil(Math.sin(angle) * this.pen.width(font, text) + Math.cos(angle) * fontPx * LINE_HEIGHT) + 6;
    }
    const lines =
      style.rotation === STACKED
        ? [...text].length
        : style.wrap
          ? this.breakLines(text, font, columnWidthPx - 2 * PADDING_PX, WRAPPED_LINES_MAX).length
          : 1;
    return Math.ceil(lines * fontPx * LINE_HEIGHT) + 5;
  }

  private paintText(
    pane: Pane,
    window: SheetWindow,
    looks: readonly ResolvedStyle[],
    look: ResolvedStyle,
    index: number,
    row: number,
    column: number,
    box: Box,
    isVisible: boolean,
    isMerged = false,
  ): void {
    const { pen } = this;
    const { context } = pen;
    const { style, font } = look;
    const kind = window.kind(index);
    const mark = window.mark(index);
    if (mark?.hidesValue) {
      return;
    }
    pen.setFont(font);
    pen.setInk(kind === ValueKind.Error ? look.errorInk : look.ink);
    const align = physical(horizontalOf(look.align, kind, style.rotation), pane);
    let text = window.text(index);
    if (style.rotation !== 0 && isVisible) {
      this.paintTurned(text, look, align, box);
      return;
    }
    if (style.wrap && kind === ValueKind.Text) {
      this.paintWrapped(text, look, align, box);
      return;
    }
    const lineEnd = text.indexOf("\n");
    if (lineEnd >= 0) {
      text = text.slice(0, lineEnd);
    }

    const zoomed = PADDING_PX * pen.zoom;
    const indentPx = style.indent * INDENT_PX * pen.zoom;
    const marked = mark ? markRoom(mark, pen.zoom, pane.mirrorPx !== undefined) : NO_ROOM;
    const startPx = zoomed + marked.left + (align === Align.Start ? indentPx : 0);
    const endPx = zoomed + marked.right + (align === Align.End ? indentPx : 0);
    const room = box.width - startPx - endPx;
    let width = pen.widths.sum(context, font, text);
    // What surely fits, or stands where its exact width does not matter, need not be measured.
    if (width < 0 || (kind !== ValueKind.Number && (width > room * 0.9 || align !== Align.Start))) {
      width = pen.width(font, text);
    }
    let clipLeft = box.x;
    let clipRight = box.x + box.width;
    if (width > room && style.shrinks && room > 0) {
      // Smaller than this nobody reads it.
      const factor = Math.max(0.3, room / width);
      pen.setFont(font.replace(/[\d.]+px/, `${look.fontPx * factor}px`));
      width *= factor;
    } else if (width > room) {
      if (kind === ValueKind.Number) {
        text = "#".repeat(Math.max(1, Math.floor(room / Math.max(1, pen.width(font, "#")))));
        width = pen.width(font, text);
      } else if (kind === ValueKind.Text && !isMerged && !style.clips) {
        const extra = width - room;
        if (align !== Align.End) {
          clipRight += blankSpace(pane, window, row, column, 1, align === Align.Center ? extra / 2 : extra);
        }
        if (align !== Align.Start) {
          clipLeft -= blankSpace(pane, window, row, column, -1, align === Align.Center ? extra / 2 : extra);
        }
      }
    }
    let x = box.x + startPx;
    if (align === Align.End) {
      x = box.x + box.width - endPx - width;
    } else if (align === Align.Center) {
      x = box.x + startPx + (room - width) / 2;
    }
    const overflows = clipRight > box.x + box.width || clipLeft < box.x;
    if (!isVisible && !overflows) {
      return;
    }
    const baseline = baselineOf(look, box, 1);
    const isClipped = x < clipLeft || x + width > clipRight || look.fontPx > box.height;
    if (overflows && look.fill === undefined) {
      this.hideLinesUnder(pane, window, looks, row, Math.max(clipLeft, x - 1), Math.min(clipRight, x + width + 1), box);
      pen.setInk(look.ink);
    }
    if (isClipped) {
      pen.clipped(clipLeft, box.y, clipRight - clipLeft - 1, box.height, () => pen.letters(text, x, baseline));
    } else {
      pen.letters(text, x, baseline);
    }
    this.paintStrokes(look, Math.max(x, clipLeft), baseline, Math.min(width, clipRight - Math.max(x, clipLeft)));
  }

  /** A text that runs over its neighbours is read more easily without the lines between them. */
  private hideLinesUnder(
    pane: Pane,
    window: SheetWindow,
    looks: readonly ResolvedStyle[],
    row: number,
    left: number,
    right: number,
    box: Box,
  ): void {
    const { pen } = this;
    for (let column = pane.visible.left; column <= pane.visible.right; column += 1) {
      const x = columnX(pane, column) + (pane.mirrorPx === undefined ? pane.columns.size(column) : 0);
      const index = window.index(row, column);
      const next = window.index(row, column + 1);
      const hasFill = [index, next].some((at) => at >= 0 && looks[window.look(at)]?.fill !== undefined);
      if (x > left + 1 && x < right && !hasFill) {
        pen.fill(pen.theme.paper, x - 1, box.y, 1, box.height - 1);
      }
    }
  }

  private paintWrapped(text: string, look: ResolvedStyle, align: Align, box: Box): void {
    const { pen } = this;
    const { font, style } = look;
    const lineHeightPx = look.fontPx * LINE_HEIGHT;
    const linesMax = Math.max(1, Math.ceil(box.height / lineHeightPx));
    const padding = PADDING_PX * pen.zoom;
    const indentPx = style.indent * INDENT_PX * pen.zoom;
    const lines = this.breakLines(text, font, box.width - 2 * padding - indentPx, linesMax);
    pen.clipped(box.x, box.y, box.width - 1, box.height - 1, () => {
      let baseline = baselineOf(look, box, lines.length);
      for (const line of lines) {
        const width = pen.width(font, line);
        let x = box.x + padding + indentPx;
        if (align === Align.End) {
          x = box.x + box.width - padding - indentPx - width;
        } else if (align === Align.Center) {
          x = box.x + (box.width - width) / 2;
        }
        pen.letters(line, x, baseline);
        this.paintStrokes(look, x, baseline, width);
        baseline += lineHeightPx;
      }
    });
  }

  /** Text at an angle, or with its letters below one another. */
  private paintTurned(text: string, look: ResolvedStyle, align: Align, box: Box): void {
    const { pen } = this;
    const { context } = pen;
    const { rotation, vertical } = look.style;
    const padding = PADDING_PX * pen.zoom;
    pen.clipped(box.x, box.y, box.width - 1, box.height - 1, () => {
      if (rotation === STACKED) {
        const letters = [...text];
        const lineHeightPx = look.fontPx * LINE_HEIGHT;
        let baseline = baselineOf(look, box, letters.length);
        for (const letter of letters) {
          const width = pen.width(look.font, letter);
          context.fillText(letter, box.x + (box.width - width) / 2, baseline);
          baseline += lineHeightPx;
        }
        return;
      }
      const angle = (-rotation * Math.PI) / 180;
      const width = pen.width(look.font, text);
      const rise = Math.abs(Math.sin(angle)) * width + Math.cos(angle) * look.fontPx;
      const run = Math.cos(angle) * width + Math.abs(Math.sin(angle)) * look.fontPx;
      const left =
        align === Align.End
          ? box.x + box.width - padding - run
          : align === Align.Center
            ? box.x + (box.width - run) / 2
            : box.x + padding;
      const top =
        vertical === Align.Start
          ? box.y + padding
          : vertical === Align.Center
            ? box.y + (box.height - rise) / 2
            : box.y + box.height - padding - rise;
      // Upwards the text begins at the foot of its rectangle, downwards at its head.
      const x = rotation > 0 ? left + Math.sin(-angle) * look.fontPx * 0.8 : left + Math.sin(angle) * look.fontPx * 0.2;
      const y = rotation > 0 ? top + rise : top + Math.cos(angle) * look.fontPx * 0.8;
      context.translate(x, y);
      context.rotate(angle);
      pen.letters(text, 0, 0);
      this.paintStrokes(look, 0, 0, width);
    });
  }

  breakLines(text: string, font: string, roomPx: number, linesMax: number): string[] {
    const { pen } = this;
    const lines: string[] = [];
    for (const paragraph of text.split("\n")) {
      let line = "";
      for (const word of paragraph.split(/(?<=\s)/)) {
        if (line !== "" && pen.width(font, (line + word).trimEnd()) > roomPx) {
          lines.push(line.trimEnd());
          line = "";
        }
        line += word;
        // A word longer than the cell breaks where the cell ends.
        while (line.length > 1 && pen.width(font, line.trimEnd()) > roomPx && lines.length <= linesMax) {
          const fits = this.lettersThatFit(line, font, roomPx);
          lines.push(line.slice(0, fits));
          line = line.slice(fits);
        }
        if (lines.length > linesMax) {
          return lines;
        }
      }
      lines.push(line.trimEnd());
    }
    return lines;
  }

  /** At least one. */
  private lettersThatFit(text: string, font: string, roomPx: number): number {
    let low = 1;
    let high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.pen.setFont(font);
      if (this.pen.context.measureText(text.slice(0, middle)).width <= roomPx) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private paintStrokes({ style, fontPx }: ResolvedStyle, x: number, baseline: number, width: number): void {
    if (style.underline) {
      this.pen.context.fillRect(x, Math.round(baseline + fontPx * 0.13), width, 1);
    }
    if (style.strikethrough) {
      this.pen.context.fillRect(x, Math.round(baseline - fontPx * 0.3), width, 1);
    }
  }
}

const NO_ROOM = { left: 0, right: 0 };

/** Numbers stand right, booleans and errors in the middle, texts left, unless the format says otherwise. */
function horizontalOf(given: Align, kind: ValueKind, rotation: number): Align {
  if (given !== Align.None) {
    return given;
  }
  if (rotation === 90 || rotation === -90) {
    return Align.Center;
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

/** In a sheet from right to left, texts start at the right. */
function physical(align: Align, pane: Pane): Align {
  if (pane.mirrorPx === undefined || align === Align.Center) {
    return align;
  }
  return align === Align.End ? Align.Start : Align.End;
}

/** Baseline of the first of `lines` lines; the bottom is the default, as in Excel. */
function baselineOf({ style, fontPx }: ResolvedStyle, box: Box, lines: number): number {
  const textHeightPx = lines * fontPx * LINE_HEIGHT;
  const ascent = fontPx * 1.02;
  if (style.vertical === Align.Start || textHeightPx > box.height) {
    return box.y + 1 + ascent;
  }
  if (style.vertical === Align.Center) {
    return box.y + (box.height - textHeightPx) / 2 + ascent;
  }
  return box.y + box.height - 3 - textHeightPx + ascent;
}

/** How far a text may run over blank cells beside it, at most `needPx` and a little; to the right with step 1. */
function blankSpace(
  pane: Pane,
  window: SheetWindow,
  row: number,
  column: number,
  toRight: 1 | -1,
  needPx: number,
): number {
  const step = pane.mirrorPx === undefined ? toRight : -toRight;
  let space = 0;
  for (let next = column + step; space < needPx + PADDING_PX; next += step) {
    const index = window.index(row, next);
    if (index < 0 || window.kind(index) !== ValueKind.Blank || window.merge(index) || window.mark(index)) {
      return space;
    }
    space += pane.columns.size(next);
  }
  return space;
}

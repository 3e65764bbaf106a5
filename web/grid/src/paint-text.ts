/** Draws cell texts: alignment, overflow, wrapping, shrinking, `###` and rotation. */

import { Align, HorizontalFill, ReadingOrder, type SheetWindow, STACKED, UnderlineStyle, ValueKind } from "@quadrille/protocol";
import type { Cell } from "./address.ts";
import { ChipPainter } from "./paint-chips.ts";
import { markInset } from "./paint-marks.ts";
import { heightPx, paintLine, type RichLine, richLines, type RichText } from "./paint-rich-text.ts";
import { isRightToLeftText, LINE_HEIGHT, type ResolvedStyle, SCRIPT_SIZE, type DrawingContext } from "./drawing-context.ts";
import { type Box, boxInPane, columnX, type Pane, rowY } from "./view.ts";

/** Space between a cell's border and its text, at zoom 1. */
export const PADDING_PX = 4;
const INDENT_PX = 9;
/** Limit of wrapped lines when a row is fitted to its content. */
const WRAPPED_LINES_MAX = 60;

/** Paints and measures cell texts. */
export class TextPainter {
  private readonly drawing: DrawingContext;
  private readonly chips: ChipPainter;

  constructor(drawing: DrawingContext) {
    this.drawing = drawing;
    this.chips = new ChipPainter(drawing);
  }

  /**
   * Draws column by column, because changing the font is expensive and columns often have one
   * style.
   */
  paint(pane: Pane, window: SheetWindow, styles: readonly ResolvedStyle[], editing: Cell | undefined): void {
    const { visible } = pane;
    const { context } = this.drawing;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    this.drawing.beginTexts(window.hasRightToLeft);
    // Texts of cells outside the view may overflow into it, so all columns of the window are
    // considered.
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
            // Merged ranges may start outside the view and are drawn below.
          } else if (!isEdited && (isVisible || window.kind(index) === ValueKind.Text)) {
            const resolved = styles[window.styleIndex(index)];
            if (resolved) {
              this.paintText(pane, window, styles, resolved, index, row, column, { x, y, width, height }, isVisible);
            }
          }
        }
        y += height;
      }
    }
    for (const merge of window.merges) {
      const index = window.visibleIndexOf(merge);
      const resolved = index < 0 ? undefined : styles[window.styleIndex(index)];
      const isEdited = editing?.row === merge.top && editing.column === merge.left;
      const box = boxInPane(pane, merge);
      if (resolved && !isEdited && window.hasText(index) && box.width > 0 && box.height > 0) {
        this.paintText(pane, window, styles, resolved, index, merge.top, merge.left, box, true, true);
      }
    }
  }

  /** Width that a column needs to show `texts`. */
  widthNeededPx(texts: readonly string[], resolved: ResolvedStyle): number {
    const widest = texts.reduce((width, text) => Math.max(width, this.drawing.width(resolved.font, text)), 0);
    return Math.ceil(widest) + 2 * PADDING_PX + 2;
  }

  /** Height that the text of a cell needs in a column of this width. */
  heightNeededPx(window: SheetWindow, index: number, columnWidthPx: number, resolved: ResolvedStyle): number {
    const { style, font, fontPx } = resolved;
    const text = window.text(index);
    if (style.rotation !== 0 && style.rotation !== STACKED) {
      const angle = (Math.abs(style.rotation) * Math.PI) / 180;
      return Math.ceil(Math.sin(angle) * this.drawing.width(font, text) + Math.cos(angle) * fontPx * LINE_HEIGHT) + 6;
    }
    const mark = window.mark(index);
    if (mark?.chips) {
      return this.chips.heightNeededPx(text, mark, resolved, columnWidthPx);
    }
    const rich = richText(window, index, text);
    if (rich) {
      const roomPx = style.wrap || text.includes("\n") ? columnWidthPx - 2 * PADDING_PX : undefined;
      return Math.ceil(heightPx(richLines(this.drawing, resolved, rich, roomPx, WRAPPED_LINES_MAX))) + 5;
    }
    const lines =
      style.rotation === STACKED
        ? [...text].length
        : style.wrap
          ? this.breakLines(text, font, columnWidthPx - 2 * PADDING_PX, WRAPPED_LINES_MAX).length
          : 1;
    return Math.ceil(lines * fontPx * LINE_HEIGHT) + 5;
  }

  /** Whether the point is on a chip of the cell, which has this box. */
  isOnChip(window: SheetWindow, index: number, box: Box, isMirrored: boolean, x: number, y: number): boolean {
    const mark = window.mark(index);
    const resolved = this.drawing.resolve(window.style(index));
    const align = chipAlign(resolved, window.kind(index), isMirrored);
    return mark?.chips !== undefined && this.chips.isHit(window.text(index), mark, resolved, align, box, isMirrored, x, y);
  }

  private paintText(
    pane: Pane,
    window: SheetWindow,
    styles: readonly ResolvedStyle[],
    resolved: ResolvedStyle,
    index: number,
    row: number,
    column: number,
    box: Box,
    isVisible: boolean,
    isMerged = false,
  ): void {
    const { drawing } = this;
    const { context } = drawing;
    const { style, font } = resolved;
    const kind = window.kind(index);
    const mark = window.mark(index);
    const acrossPx = style.horizontalFill === HorizontalFill.AcrossCells && !isMerged ? blankWidthAcross(pane, window, row, column) : 0;
    if (acrossPx > 0) {
      box = { ...box, x: pane.mirrorPx === undefined ? box.x : box.x - acrossPx, width: box.width + acrossPx };
    }
    if (mark?.hidesValue || mark?.rating !== undefined || (mark?.image !== undefined && drawing.imageOf?.(mark.image))) {
      return;
    }
    if (mark?.chips) {
      if (isVisible) {
        const isMirrored = pane.mirrorPx !== undefined;
        this.chips.paint(window.text(index), mark, resolved, chipAlign(resolved, kind, isMirrored), box, isMirrored);
      }
      return;
    }
    drawing.setFont(font);
    drawing.setFillColor(kind === ValueKind.Error ? resolved.errorInk : resolved.ink);
    const align = toPhysicalAlign(effectiveAlign(resolved.align, kind, style.rotation), pane.mirrorPx !== undefined);
    let text = window.text(index);
    if (style.rotation !== 0 && isVisible) {
      this.paintRotated(text, resolved, align, box);
      return;
    }
    const rich = richText(window, index, text);
    if (rich && (style.wrap || text.includes("\n"))) {
      if (isVisible) {
        const roomPx = box.width - (2 * PADDING_PX + style.indent * INDENT_PX) * drawing.zoom;
        this.paintLines(richLines(drawing, resolved, rich, roomPx, WRAPPED_LINES_MAX), resolved, align, box);
      }
      return;
    }
    if (style.wrap && kind === ValueKind.Text) {
      this.paintWrapped(text, resolved, align, box);
      return;
    }
    const lineEnd = text.indexOf("\n");
    if (lineEnd >= 0) {
      text = text.slice(0, lineEnd);
    }

    const zoomed = PADDING_PX * drawing.zoom;
    const indentPx = style.indent * INDENT_PX * drawing.zoom;
    const marked = mark ? markInset(mark, drawing.zoom, pane.mirrorPx !== undefined) : NO_INSET;
    const startPx = zoomed + marked.left + (align === Align.Start ? indentPx : 0);
    const endPx = zoomed + marked.right + (align === Align.End ? indentPx : 0);
    const room = box.width - startPx - endPx;
    const line = rich && richLines(drawing, resolved, rich, undefined, 1)[0];
    let width = line ? line.widthPx : drawing.widths.sum(context, font, text);
    // The exact width is not needed for a start-aligned text that certainly fits.
    if (line) {
      // Measured already.
    } else if (width < 0 || (kind !== ValueKind.Number && (width > room * 0.9 || align !== Align.Start))) {
      width = drawing.width(font, text);
    }
    if (style.horizontalFill === HorizontalFill.Repeat && !line && width > 0) {
      width = drawing.width(font, text);
      text = text.repeat(Math.max(1, Math.min(REPEATS_MAX, Math.floor(room / width))));
      width = drawing.width(font, text);
    }
    let clipLeft = box.x;
    let clipRight = box.x + box.width;
    if (width > room && style.shrinks && room > 0 && !line) {
      // Smaller text is not legible.
      const factor = Math.max(0.3, room / width);
      drawing.setFont(font.replace(/[\d.]+px/, `${resolved.fontPx * factor}px`));
      width *= factor;
    } else if (width > room) {
      if (kind === ValueKind.Number) {
        text = "#".repeat(Math.max(1, Math.floor(room / Math.max(1, drawing.width(font, "#")))));
        width = drawing.width(font, text);
      } else if (kind === ValueKind.Text && !isMerged && !style.clips && style.horizontalFill !== HorizontalFill.Repeat) {
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
    const overflows = acrossPx > 0 || clipRight > box.x + box.width || clipLeft < box.x;
    if (!isVisible && !overflows) {
      return;
    }
    const baseline = baselineOf(resolved, box, 1);
    const isClipped = x < clipLeft || x + width > clipRight || resolved.fontPx > box.height;
    if (overflows && resolved.fill === undefined) {
      this.eraseGridlinesUnder(pane, window, styles, row, Math.max(clipLeft, x - 1), Math.min(clipRight, x + width + 1), box);
      drawing.setFillColor(resolved.ink);
    }
    if (line) {
      drawing.clipped(clipLeft, box.y, clipRight - clipLeft - 1, box.height, () => paintLine(drawing, line, x, baseline));
      return;
    }
    if (isClipped) {
      drawing.clipped(clipLeft, box.y, clipRight - clipLeft - 1, box.height, () => drawing.letters(text, x, baseline, style.readingOrder));
    } else {
      drawing.letters(text, x, baseline, style.readingOrder);
    }
    if (style.underline && style.underlineStyle >= UnderlineStyle.SingleAccounting && kind !== ValueKind.Text) {
      // Accounting underlines of numbers have the width of the cell.
      this.paintStrokes(resolved, box.x + zoomed, baseline, box.width - 2 * zoomed, box);
    } else {
      this.paintStrokes(resolved, Math.max(x, clipLeft), baseline, Math.min(width, clipRight - Math.max(x, clipLeft)), box);
    }
  }

  /** Erases the gridlines under a text that overflows into neighbouring cells. */
  private eraseGridlinesUnder(
    pane: Pane,
    window: SheetWindow,
    styles: readonly ResolvedStyle[],
    row: number,
    left: number,
    right: number,
    box: Box,
  ): void {
    const { drawing } = this;
    for (let column = pane.visible.left; column <= pane.visible.right; column += 1) {
      const x = columnX(pane, column) + (pane.mirrorPx === undefined ? pane.columns.size(column) : 0);
      const index = window.index(row, column);
      const next = window.index(row, column + 1);
      const hasFill = [index, next].some((at) => at >= 0 && styles[window.styleIndex(at)]?.fill !== undefined);
      if (x > left + 1 && x < right && !hasFill) {
        drawing.fill(drawing.theme.paper, x - 1, box.y, 1, box.height - 1);
      }
    }
  }

  /** Draws lines with formats of their own, from the top if not all of them fit. */
  private paintLines(lines: readonly RichLine[], { style }: ResolvedStyle, align: Align, box: Box): void {
    const { drawing } = this;
    const padding = (PADDING_PX + style.indent * INDENT_PX) * drawing.zoom;
    const free = box.height - 2 - heightPx(lines);
    const isTop = style.vertical === Align.Start || free < 0;
    let top = box.y + 1 + (isTop ? 0 : style.vertical === Align.Center ? free / 2 : free);
    drawing.clipped(box.x, box.y, box.width - 1, box.height - 1, () => {
      for (const line of lines) {
        const free = box.width - line.widthPx;
        const x = box.x + (align === Align.End ? free - padding : align === Align.Center ? free / 2 : padding);
        paintLine(drawing, line, x, top + line.fontPx * 1.02);
        top += line.fontPx * LINE_HEIGHT;
      }
    });
  }

  private paintWrapped(text: string, resolved: ResolvedStyle, align: Align, box: Box): void {
    const { drawing } = this;
    const { font, style } = resolved;
    const lineHeightPx = resolved.fontPx * LINE_HEIGHT;
    const linesMax = Math.max(1, Math.ceil(box.height / lineHeightPx));
    const padding = PADDING_PX * drawing.zoom;
    const indentPx = style.indent * INDENT_PX * drawing.zoom;
    const lines = this.breakLines(text, font, box.width - 2 * padding - indentPx, linesMax);
    drawing.clipped(box.x, box.y, box.width - 1, box.height - 1, () => {
      let baseline = baselineOf(resolved, box, lines.length);
      let stepPx = lineHeightPx;
      if (style.fillsHeight && lines.length > 1 && lines.length * lineHeightPx < box.height) {
        baseline = box.y + 1 + resolved.fontPx * 1.02;
        stepPx = (box.height - 3 - lineHeightPx) / (lines.length - 1);
      }
      const justifies = style.horizontalFill === HorizontalFill.Justify || style.horizontalFill === HorizontalFill.Distributed;
      for (const [at, line] of lines.entries()) {
        if (justifies && (style.horizontalFill === HorizontalFill.Distributed || at < lines.length - 1)) {
          if (this.paintJustified(line, resolved, box.x + padding + indentPx, baseline, box.width - 2 * (padding + indentPx))) {
            baseline += stepPx;
            continue;
          }
        }
        const width = drawing.width(font, line);
        let x = box.x + padding + indentPx;
        if (align === Align.End) {
          x = box.x + box.width - padding - indentPx - width;
        } else if (align === Align.Center) {
          x = box.x + (box.width - width) / 2;
        }
        drawing.letters(line, x, baseline, style.readingOrder);
        this.paintStrokes(resolved, x, baseline, width);
        baseline += stepPx;
      }
    });
  }

  /**
   * Draws a line with its words spread over `roomPx`. Returns false, and draws nothing, for a line of one
   * word and for right-to-left text, whose words are not in the order of the line.
   */
  private paintJustified(line: string, resolved: ResolvedStyle, left: number, baseline: number, roomPx: number): boolean {
    const { drawing } = this;
    const words = line.split(" ").filter((word) => word !== "");
    const isTurned = resolved.style.readingOrder === ReadingOrder.RightToLeft || isRightToLeftText(line);
    const widths = words.map((word) => drawing.width(resolved.font, word));
    const free = roomPx - widths.reduce((sum, width) => sum + width, 0);
    if (words.length < 2 || isTurned || free <= 0) {
      return false;
    }
    let x = left;
    for (const [at, word] of words.entries()) {
      drawing.letters(word, x, baseline);
      x += (widths[at] ?? 0) + free / (words.length - 1);
    }
    this.paintStrokes(resolved, left, baseline, roomPx);
    return true;
  }

  /** Draws rotated or stacked text. */
  private paintRotated(text: string, resolved: ResolvedStyle, align: Align, box: Box): void {
    const { drawing } = this;
    const { context } = drawing;
    const { rotation, vertical } = resolved.style;
    const padding = PADDING_PX * drawing.zoom;
    drawing.clipped(box.x, box.y, box.width - 1, box.height - 1, () => {
      if (rotation === STACKED) {
        const letters = [...text];
        const lineHeightPx = resolved.fontPx * LINE_HEIGHT;
        let baseline = baselineOf(resolved, box, letters.length);
        for (const letter of letters) {
          const width = drawing.width(resolved.font, letter);
          context.fillText(letter, box.x + (box.width - width) / 2, baseline);
          baseline += lineHeightPx;
        }
        return;
      }
      const angle = (-rotation * Math.PI) / 180;
      const width = drawing.width(resolved.font, text);
      const rise = Math.abs(Math.sin(angle)) * width + Math.cos(angle) * resolved.fontPx;
      const run = Math.cos(angle) * width + Math.abs(Math.sin(angle)) * resolved.fontPx;
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
      // Text rotated upwards starts at the bottom of its rectangle, downwards at the top.
      const x = rotation > 0 ? left + Math.sin(-angle) * resolved.fontPx * 0.8 : left + Math.sin(angle) * resolved.fontPx * 0.2;
      const y = rotation > 0 ? top + rise : top + Math.cos(angle) * resolved.fontPx * 0.8;
      context.translate(x, y);
      context.rotate(angle);
      drawing.letters(text, 0, 0);
      this.paintStrokes(resolved, 0, 0, width);
    });
  }

  /**
   * Wraps a text into at most `linesMax` + 1 lines of `roomPx`. Words that are too long are broken.
   */
  breakLines(text: string, font: string, roomPx: number, linesMax: number): string[] {
    const { drawing } = this;
    const lines: string[] = [];
    for (const paragraph of text.split("\n")) {
      let line = "";
      for (const word of paragraph.split(/(?<=\s)/)) {
        if (line !== "" && drawing.width(font, (line + word).trimEnd()) > roomPx) {
          lines.push(line.trimEnd());
          line = "";
        }
        line += word;
        // Breaks words that are wider than the cell.
        while (line.length > 1 && drawing.width(font, line.trimEnd()) > roomPx && lines.length <= linesMax) {
          const fits = this.fittingLength(line, font, roomPx);
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

  /** Number of characters that fit into `roomPx`, at least one. */
  private fittingLength(text: string, font: string, roomPx: number): number {
    let low = 1;
    let high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.drawing.setFont(font);
      if (this.drawing.context.measureText(text.slice(0, middle)).width <= roomPx) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Draws underline and strikethrough; accounting underlines are at the bottom of `box`, if given. */
  private paintStrokes({ style, fontPx }: ResolvedStyle, x: number, baseline: number, width: number, box?: Box): void {
    if (style.underline) {
      const kind = style.underlineStyle;
      const isAccounting = kind === UnderlineStyle.SingleAccounting || kind === UnderlineStyle.DoubleAccounting;
      const isDouble = kind === UnderlineStyle.Double || kind === UnderlineStyle.DoubleAccounting;
      const below = Math.round(baseline + fontPx * (isAccounting ? 0.25 : 0.13));
      const y = box ? Math.min(below, Math.round(box.y + box.height - (isDouble ? 4 : 2))) : below;
      this.drawing.context.fillRect(x, y, width, 1);
      if (isDouble) {
        this.drawing.context.fillRect(x, y + 2, width, 1);
      }
    }
    if (style.strikethrough) {
      this.drawing.context.fillRect(x, Math.round(baseline - fontPx * 0.3), width, 1);
    }
  }
}

/** Limit of the repetitions of a text that fills its cell. */
const REPEATS_MAX = 500;

const NO_INSET = { left: 0, right: 0 };

/** The text of a cell of which parts have formats of their own. */
function richText(window: SheetWindow, index: number, text: string): RichText | undefined {
  const runs = window.mark(index)?.runs;
  return runs && { text, runs, styleAt: (number) => window.styleNumbered(number) };
}

/** Default alignment: numbers at the end, booleans and errors centred, texts at the start. */
function effectiveAlign(given: Align, kind: ValueKind, rotation: number): Align {
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

/** Alignment of chips, which are never rotated. */
function chipAlign({ align }: ResolvedStyle, kind: ValueKind, isMirrored: boolean): Align {
  return toPhysicalAlign(effectiveAlign(align, kind, 0), isMirrored);
}

/** Maps start and end to left and right: in a right-to-left sheet, the start is at the right. */
function toPhysicalAlign(align: Align, isMirrored: boolean): Align {
  if (!isMirrored || align === Align.Center) {
    return align;
  }
  return align === Align.End ? Align.Start : Align.End;
}

/**
 * Baseline of the first of `lines` lines. Bottom is the default vertical alignment, as in Excel.
 */
function baselineOf(resolved: ResolvedStyle, box: Box, lines: number): number {
  const { style, fontPx, baselineShiftPx } = resolved;
  if (baselineShiftPx !== 0) {
    // The line has the height of the full font size, so that the shift stays within the cell.
    return baselineOf({ ...resolved, baselineShiftPx: 0, fontPx: fontPx / SCRIPT_SIZE }, box, lines) + baselineShiftPx;
  }
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

/** Width of the blank cells after a cell that are also centered across. */
function blankWidthAcross(pane: Pane, window: SheetWindow, row: number, column: number): number {
  let width = 0;
  for (let next = column + 1; ; next += 1) {
    const index = window.index(row, next);
    const isBlank = index >= 0 && window.kind(index) === ValueKind.Blank && !window.merge(index);
    if (!isBlank || window.style(index).horizontalFill !== HorizontalFill.AcrossCells) {
      return width;
    }
    width += pane.columns.size(next);
  }
}

/**
 * Width of the blank cells beside a cell, to the right with step 1; counting stops once `needPx` is
 * reached.
 */
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

/** Draws the choices of a dropdown list in a cell as chips: rounded areas in the colour of the choice. */

import { Align, type CellMark } from "@quadrille/protocol";
import { type DrawingContext, LINE_HEIGHT, type ResolvedStyle } from "./drawing-context.ts";
import { paintLater } from "./paint-marks.ts";
import { cssColor, textColorOn } from "./theme.ts";
import type { Box } from "./view.ts";

/** Space between a chip and the border of its cell, and between chips, at zoom 1. */
const GAP_PX = 3;
/** Space between the end of a chip and its text. */
const PADDING_PX = 7;
/** Width that the arrow of a chip adds to it. */
const ARROW_PX = 12;
/** Part of the padding that a face covers. */
const FACE_OVERLAP_PX = 3;
/** Fills of choices without a colour. */
const NEUTRAL_COLOR = 0xe6e9ed;
const NEUTRAL_COLOR_DARK = 0x434a54;
/** More colours than a window contains. */
const CACHED_COLORS_MAX = 4096;

interface ChipColors {
  readonly fill: string;
  readonly ink: string;
}

type Chips = NonNullable<CellMark["chips"]>;

/** Lays out, draws and measures chips. The layout of one cell is valid until that of the next. */
export class ChipPainter {
  private readonly drawing: DrawingContext;
  private readonly colors = new Map<number, ChipColors>();
  private readonly lefts: number[] = [];
  private readonly tops: number[] = [];
  private readonly widths: number[] = [];
  private heightPx = 0;
  private arrowPx = 0;
  /** Width that the face of a person adds to a chip. */
  private facePx = 0;

  constructor(drawing: DrawingContext) {
    this.drawing = drawing;
  }

  /** Draws the chips of a cell with this text. `align` is the side of the screen, not of the sheet. */
  paint(text: string, mark: CellMark, resolved: ResolvedStyle, align: Align, box: Box, isMirrored: boolean): void {
    const { drawing, heightPx } = this;
    const isInside = this.layOut(text, mark, resolved, align, box, isMirrored);
    if (isInside) {
      this.paintAll(text, mark, resolved, box, isMirrored);
    } else {
      drawing.clipped(box.x, box.y, box.width - 1, Math.max(heightPx, box.height - 1), () => this.paintAll(text, mark, resolved, box, isMirrored));
    }
  }

  /** Whether the point is on a chip of the cell. */
  isHit(text: string, mark: CellMark, resolved: ResolvedStyle, align: Align, box: Box, isMirrored: boolean, x: number, y: number): boolean {
    this.layOut(text, mark, resolved, align, box, isMirrored);
    return mark.chips?.some((_, index) => {
      const left = this.lefts[index] ?? 0;
      const top = this.tops[index] ?? 0;
      const width = this.widths[index] ?? 0;
      return x >= left && x <= left + width && y >= top && y <= top + this.heightPx;
    }) ?? false;
  }

  /** Height that the chips need in a cell of this width. */
  heightNeededPx(text: string, mark: CellMark, resolved: ResolvedStyle, widthPx: number): number {
    const bottom = 1e6;
    this.layOut(text, mark, resolved, Align.Start, { x: 0, y: 0, width: widthPx, height: bottom }, false);
    const first = this.tops[0] ?? 0;
    return Math.ceil((this.tops[(mark.chips?.length ?? 0) - 1] ?? first) - first + this.heightPx) + 4;
  }

  /** Positions the chips and returns whether they fit into the cell. */
  private layOut(text: string, mark: CellMark, { style, font, fontPx }: ResolvedStyle, align: Align, box: Box, isMirrored: boolean): boolean {
    const { drawing, lefts, tops, widths } = this;
    const { chips = [] } = mark;
    const { zoom } = drawing;
    const gap = GAP_PX * zoom;
    const hasArrow = drawing.canEdit && !drawing.isPaper;
    const isSingle = chips.length === 1;
    this.arrowPx = hasArrow && isSingle ? ARROW_PX * zoom : 0;
    // The arrow of a cell with several chips is at the end of the cell.
    const endPx = hasArrow && !isSingle ? ARROW_PX * zoom : 0;
    const indentPx = style.indent * 9 * zoom;
    const left = box.x + gap + (isMirrored ? endPx : 0) + (align === Align.End ? 0 : indentPx);
    const right = box.x + box.width - 1 - gap - (isMirrored ? 0 : endPx) - (align === Align.End ? indentPx : 0);
    const room = Math.max(0, right - left);
    this.heightPx = Math.min(fontPx * LINE_HEIGHT + 2, Math.max(fontPx, box.height - 4));
    // Its end of the chip needs no padding.
    this.facePx = mark.control === "people" ? this.heightPx - FACE_OVERLAP_PX * zoom : 0;
    const step = this.heightPx + gap;

    let line = 0;
    let first = 0;
    let x = 0;
    for (let index = 0; index < chips.length; index += 1) {
      const width = Math.min(room, drawing.width(font, partOf(text, chips, index)) + 2 * PADDING_PX * zoom + this.arrowPx + this.facePx);
      if (style.wrap && index > first && x + width > room) {
        this.endLine(first, index, x - gap, left, room, align, isMirrored);
        line += 1;
        first = index;
        x = 0;
      }
      lefts[index] = x;
      tops[index] = line * step;
      widths[index] = width;
      x += width + gap;
    }
    this.endLine(first, chips.length, x - gap, left, room, align, isMirrored);
    const totalPx = (line + 1) * step - gap;
    const free = box.height - 1 - totalPx;
    const isTop = style.vertical === Align.Start || free < 0;
    const top = box.y + (isTop ? 1.5 : style.vertical === Align.Center ? free / 2 : free - 1.5);
    for (let index = 0; index < chips.length; index += 1) {
      tops[index] = (tops[index] ?? 0) + top;
    }
    return free >= 0 && x - gap <= room;
  }

  /** Aligns the chips of one line, which have positions from 0 to `used`. */
  private endLine(first: number, end: number, used: number, left: number, room: number, align: Align, isMirrored: boolean): void {
    const { lefts, widths } = this;
    const free = Math.max(0, room - used);
    const start = left + (align === Align.End ? free : align === Align.Center ? free / 2 : 0);
    for (let index = first; index < end; index += 1) {
      const at = lefts[index] ?? 0;
      // In a right-to-left sheet the first chip is at the right.
      lefts[index] = start + (isMirrored ? used - at - (widths[index] ?? 0) : at);
    }
  }

  private paintAll(text: string, mark: CellMark, resolved: ResolvedStyle, box: Box, isMirrored: boolean): void {
    const { drawing, heightPx, arrowPx, facePx } = this;
    const { chips = [] } = mark;
    const { context, zoom } = drawing;
    const padding = PADDING_PX * zoom;
    for (let index = 0; index < chips.length; index += 1) {
      const left = this.lefts[index] ?? 0;
      const top = this.tops[index] ?? 0;
      const width = this.widths[index] ?? 0;
      if (left > box.x + box.width || top > box.y + box.height) {
        continue;
      }
      const { fill, ink } = this.colorsOf(chips[index]?.color);
      drawing.setFillColor(fill);
      context.beginPath();
      context.roundRect(left, top, width, heightPx, heightPx / 2);
      context.fill();
      drawing.setFillColor(ink);
      drawing.setFont(resolved.font);
      const part = partOf(text, chips, index);
      const room = width - 2 * padding - arrowPx - facePx;
      const x = left + padding + (isMirrored ? arrowPx : facePx);
      const baseline = top + heightPx / 2 + resolved.fontPx * 0.35;
      if (drawing.width(resolved.font, part) > room + 0.5) {
        drawing.clipped(x, top, Math.max(0, room), heightPx, () => drawing.letters(part, x, baseline));
      } else {
        drawing.letters(part, x, baseline);
      }
      if (facePx > 0) {
        paintLater(drawing, ({ paintFace }) => paintFace(drawing, part, (isMirrored ? left + width - heightPx : left) + 1, top + 1, heightPx - 2));
      }
      if (arrowPx > 0) {
        const size = 7 * zoom;
        const at = isMirrored ? left + padding - 1 : left + width - padding - size + 1;
        const y = top + heightPx / 2 - 1.5 * zoom;
        drawing.setFillColor(ink);
        context.globalAlpha = 0.7;
        context.beginPath();
        context.moveTo(at, y);
        context.lineTo(at + size, y);
        context.lineTo(at + size / 2, y + 4.5 * zoom);
        context.fill();
        context.globalAlpha = 1;
      }
    }
  }

  /** Colours of a chip; its text is black or white, whichever has the higher contrast. */
  private colorsOf(color: number | undefined): ChipColors {
    const shown = color ?? (this.drawing.theme.isDark ? NEUTRAL_COLOR_DARK : NEUTRAL_COLOR);
    let colors = this.colors.get(shown);
    if (!colors) {
      if (this.colors.size >= CACHED_COLORS_MAX) {
        this.colors.clear();
      }
      colors = { fill: cssColor(shown), ink: textColorOn(shown) };
      this.colors.set(shown, colors);
    }
    return colors;
  }
}

/** The text of a chip. */
function partOf(text: string, chips: Chips, index: number): string {
  const chip = chips[index];
  return chip === undefined || (chip.start === 0 && chip.end === undefined) ? text : text.slice(chip.start, chip.end);
}

/**
 * Lays out and draws texts of which parts have formats of their own, such as texts in HTML. The engine has
 * read the markup: here are only letters, formats and colours.
 */

import { type CellStyle, type TextRun, UnderlineStyle } from "@quadrille/protocol";
import { type DrawingContext, LINE_HEIGHT, type ResolvedStyle } from "./drawing-context.ts";

/** Bits of `TextRun.style`. */
const BOLD = 1;
const ITALIC = 2;
const UNDERLINE = 4;
const STRIKETHROUGH = 8;
const MONOSPACE = 16;

/** Letters of one format in one line. */
interface TextPart {
  readonly text: string;
  readonly font: string;
  readonly fontPx: number;
  readonly ink: string;
  readonly style: number;
  /** Form of the underline. */
  readonly underlineStyle: UnderlineStyle;
  /** Distance of the letters below the baseline of the line. */
  readonly shiftPx: number;
  readonly widthPx: number;
}

/** Formats of the parts of a text. */
export interface RichText {
  readonly text: string;
  readonly runs: readonly TextRun[];
  /** A style of the window by its number. */
  readonly styleAt: (number: number) => CellStyle;
}

/** A line of a text. */
export interface RichLine {
  readonly parts: readonly TextPart[];
  readonly widthPx: number;
  /** Of its largest letters. */
  readonly fontPx: number;
}

/**
 * The lines of a text, which wraps into `roomPx`. Without `roomPx` only line breaks of the text begin a
 * line.
 */
export function richLines(
  drawing: DrawingContext,
  resolved: ResolvedStyle,
  { text, runs, styleAt }: RichText,
  roomPx: number | undefined,
  linesMax: number,
): RichLine[] {
  const lines: RichLine[] = [];
  let parts: TextPart[] = [];
  let widthPx = 0;
  const endLine = (): void => {
    const fontPx = parts.reduce((largest, part) => Math.max(largest, part.fontPx), 0);
    lines.push({ parts, widthPx, fontPx: fontPx === 0 ? resolved.fontPx : fontPx });
    parts = [];
    widthPx = 0;
  };
  let start = 0;
  for (const run of runs) {
    const format = run.cellStyle === undefined ? formatOf(drawing, resolved, run) : fontOf(drawing.resolve(styleAt(run.cellStyle)));
    for (const [index, paragraph] of text.slice(start, run.end).split("\n").entries()) {
      if (index > 0) {
        endLine();
      }
      // Words with the space behind them.
      const words = roomPx === undefined ? [paragraph] : paragraph.split(/(?<=\s)/);
      for (const word of words) {
        if (word === "") {
          continue;
        }
        const wordPx = drawing.width(format.font, word);
        if (roomPx !== undefined && widthPx > 0 && widthPx + drawing.width(format.font, word.trimEnd()) > roomPx) {
          // Letters of one word in several fonts stay together.
          const first = parts.findLastIndex((part) => /\s$/.test(part.text)) + 1;
          const carried = first > 0 ? parts.splice(first) : [];
          const carriedPx = carried.reduce((sum, part) => sum + part.widthPx, 0);
          widthPx -= carriedPx;
          endLine();
          parts = carried;
          widthPx = carriedPx;
        }
        parts.push({ ...format, text: word, widthPx: wordPx });
        widthPx += wordPx;
      }
      if (lines.length >= linesMax) {
        return lines;
      }
    }
    start = run.end;
  }
  endLine();
  return lines;
}

/** Height of lines, in pixels. */
export function heightPx(lines: readonly RichLine[]): number {
  return lines.reduce((height, line) => height + line.fontPx * LINE_HEIGHT, 0);
}

/** Draws a line with its left end at `x`. */
export function paintLine(drawing: DrawingContext, line: RichLine, x: number, baseline: number): void {
  let left = x;
  for (const part of line.parts) {
    drawing.setFont(part.font);
    drawing.setFillColor(part.ink);
    drawing.letters(part.text, left, baseline + part.shiftPx);
    if (part.style & UNDERLINE) {
      const y = Math.round(baseline + part.fontPx * 0.13);
      drawing.context.fillRect(left, y, part.widthPx, 1);
      if (part.underlineStyle === UnderlineStyle.Double || part.underlineStyle === UnderlineStyle.DoubleAccounting) {
        drawing.context.fillRect(left, y + 2, part.widthPx, 1);
      }
    }
    if (part.style & STRIKETHROUGH) {
      drawing.context.fillRect(left, Math.round(baseline - part.fontPx * 0.3), part.widthPx, 1);
    }
    left += part.widthPx;
  }
}

/** The font of a style. */
function fontOf({ style, font, fontPx, ink, baselineShiftPx }: ResolvedStyle): Omit<TextPart, "text" | "widthPx"> {
  const lines = (style.underline ? UNDERLINE : 0) | (style.strikethrough ? STRIKETHROUGH : 0);
  return { font, fontPx, ink, style: lines, underlineStyle: style.underlineStyle, shiftPx: baselineShiftPx };
}

/** The format of a run: that of the cell with what the run adds. */
function formatOf(drawing: DrawingContext, resolved: ResolvedStyle, run: TextRun): Omit<TextPart, "text" | "widthPx"> {
  const { style } = resolved;
  const fontPx = (resolved.fontPx * run.size) / 100;
  const family = run.style & MONOSPACE ? "ui-monospace, monospace" : resolved.font.slice(resolved.font.indexOf("px ") + 3);
  const isItalic = style.italic || (run.style & ITALIC) !== 0;
  const isBold = style.bold || (run.style & BOLD) !== 0;
  return {
    font: `${isItalic ? "italic " : ""}${isBold ? "700 " : ""}${fontPx}px ${family}`,
    fontPx,
    ink: run.color === undefined ? resolved.ink : drawing.textColor(run.color, resolved),
    style: run.style | (style.underline ? UNDERLINE : 0) | (style.strikethrough ? STRIKETHROUGH : 0),
    underlineStyle: style.underlineStyle,
    shiftPx: 0,
  };
}

/** A canvas context that remembers its font and ink, and how wide texts are. */

import { type Align, type CellStyle, NO_COLOR } from "@quadrille/protocol";
import { TextWidths } from "./text-width.ts";
import { cssColor, inkOn, LINE_CONTRAST, PaperColors, TEXT_CONTRAST, type Theme } from "./theme.ts";

/** CSS pixels of a point. */
const POINT_PX = 96 / 72;
export const LINE_HEIGHT = 1.3;

/** The first letter is Hebrew, Arabic or one of their neighbours. */
const FROM_THE_RIGHT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

export function runsFromTheRight(text: string): boolean {
  return FROM_THE_RIGHT.test(text);
}

/** A cell's style as the canvas wants it; made once for each style of a window. */
export interface ResolvedStyle {
  readonly style: CellStyle;
  readonly font: string;
  readonly fontPx: number;
  readonly ink: string;
  readonly errorInk: string;
  /** Of the cell's fill; none is the paper's. */
  readonly fill: string | undefined;
  readonly align: Align;
  readonly hasBorder: boolean;
}

export class Pen {
  readonly context: CanvasRenderingContext2D;
  readonly widths = new TextWidths();
  theme: Theme;
  /** Device pixels per CSS pixel. */
  dpr = 1;
  zoom = 1;
  /** A part of what draws has come. */
  loaded: (() => void) | undefined;
  /** Without what is only for working with cells. */
  isPaper = false;
  /** Otherwise boxes and lists do not look as if they could be used. */
  mayEdit = true;
  /** Entries that break their rule have a circle round them. */
  circlesInvalid = false;
  private readonly lineColors = new PaperColors(LINE_CONTRAST);
  private readonly textColors = new PaperColors(TEXT_CONTRAST);
  private hasRightToLeft = false;
  private isTurned = false;
  private font = "";
  private ink = "";

  constructor(context: CanvasRenderingContext2D, theme: Theme) {
    this.context = context;
    this.theme = theme;
  }

  /** Somebody else changed the context. */
  forget(): void {
    this.font = "";
    this.ink = "";
  }

  setFont(font: string): void {
    if (this.font !== font) {
      this.font = font;
      this.context.font = font;
    }
  }

  setInk(ink: string): void {
    if (this.ink !== ink) {
      this.ink = ink;
      this.context.fillStyle = ink;
    }
  }

  fill(color: string, x: number, y: number, width: number, height: number): void {
    this.setInk(color);
    this.context.fillRect(x, y, width, height);
  }

  /** Before the texts of a window; `hasRightToLeft`: whether one of them may run that way. */
  startLetters(hasRightToLeft: boolean): void {
    this.hasRightToLeft = hasRightToLeft;
    this.isTurned = false;
    this.context.direction = "ltr";
  }

  /** A text in the direction of its first letter, as a paragraph of its own; its left end is at `x`. */
  letters(text: string, x: number, y: number): void {
    const isTurned = this.hasRightToLeft && runsFromTheRight(text);
    if (isTurned !== this.isTurned) {
      this.isTurned = isTurned;
      this.context.direction = isTurned ? "rtl" : "ltr";
    }
    this.context.fillText(text, x, y);
  }

  /** Exact. The font becomes `font`. */
  width(font: string, text: string): number {
    this.setFont(font);
    return this.widths.width(this.context, font, text);
  }

  /** To the nearest device pixel. */
  snap(px: number): number {
    return Math.round(px * this.dpr) / this.dpr;
  }

  /** Everything inside is drawn within the rectangle; font and ink are afterwards as they were. */
  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    const { context, font, ink, isTurned } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
    this.font = font;
    this.ink = ink;
    this.isTurned = isTurned;
  }

  /** Of a border. */
  lineColor(color: number): string {
    return this.lineColors.of(color, this.theme);
  }

  resolve(style: CellStyle): ResolvedStyle {
    const { theme } = this;
    const fontPx = (style.fontSize === 0 ? theme.fontPx : style.fontSize * POINT_PX) * this.zoom;
    const family = style.fontFamily === "" ? theme.fontFamily : `${JSON.stringify(style.fontFamily)}, ${theme.fontFamily}`;
    const hasFill = style.fillColor !== NO_COLOR;
    const plainInk = hasFill ? inkOn(style.fillColor) : theme.ink;
    const ownInk = style.textColor === NO_COLOR ? undefined : hasFill ? cssColor(style.textColor) : this.textColors.of(style.textColor, theme);
    return {
      style,
      font: `${style.italic ? "italic " : ""}${style.bold ? "700 " : ""}${fontPx}px ${family}`,
      fontPx,
      ink: ownInk ?? plainInk,
      errorInk: ownInk ?? (hasFill ? plainInk : theme.error),
      fill: hasFill ? cssColor(style.fillColor) : undefined,
      align: style.horizontal,
      hasBorder: Boolean(style.top ?? style.right ?? style.bottom ?? style.left),
    };
  }
}

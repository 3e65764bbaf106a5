/** A canvas context that caches its font, its fill colour and the widths of texts. */

import { type Align, type CellStyle, FillPattern, FontScript, NO_COLOR, ReadingOrder } from "@quadrille/protocol";
import { TextWidths } from "./text-width.ts";
import { cssColor, textColorOn, LINE_CONTRAST, PaperColors, TEXT_CONTRAST, type Theme } from "./theme.ts";

/** CSS pixels per point. */
const POINT_PX = 96 / 72;
/** Line height as a multiple of the font size. */
export const LINE_HEIGHT = 1.3;
/** Size of superscripts and subscripts, and the shift of their baselines, as multiples of the font size. */
export const SCRIPT_SIZE = 0.65;
const SUPERSCRIPT_RISE = 0.35;
const SUBSCRIPT_DROP = 0.12;

/** Matches texts whose first letter belongs to a right-to-left script. */
const FROM_THE_RIGHT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** Whether the base direction of `text` is right to left, judged by its first letter. */
export function isRightToLeftText(text: string): boolean {
  return FROM_THE_RIGHT.test(text);
}

/** How a person is drawn. */
export interface Face {
  /** `0xRRGGBB`. */
  readonly color: number;
  readonly initials: string;
}

/** The faces of people whose names are in cells; the client sets how they are drawn when it knows the people. */
export const faces: { of: (name: string) => Face | undefined } = { of: () => undefined };

/** A cell style translated to canvas properties, once per style of a window. */
export interface ResolvedStyle {
  readonly style: CellStyle;
  readonly font: string;
  readonly fontPx: number;
  readonly ink: string;
  readonly errorInk: string;
  /** Fill colour of the cell; `undefined` for no fill. */
  readonly fill: string | undefined;
  /** Colour of the fill's pattern; `undefined` for a solid fill. */
  readonly patternInk: string | undefined;
  /** Shift of the baseline of superscripts and subscripts. */
  readonly baselineShiftPx: number;
  readonly align: Align;
  readonly hasBorder: boolean;
  readonly hasDiagonal: boolean;
}

/** Wraps a canvas context. All painters draw through it. */
export class DrawingContext {
  readonly context: CanvasRenderingContext2D;
  readonly widths = new TextWidths();
  theme: Theme;
  /** Device pixels per CSS pixel. */
  dpr = 1;
  zoom = 1;
  /** Called when a painter was loaded on demand, to paint again. */
  loaded: (() => void) | undefined;
  /** The image at an address; `undefined` until it is loaded, and for those that cannot be. */
  imageOf: ((address: string) => ImageBitmap | undefined) | undefined;
  /** Leaves out controls and note corners, for printing. */
  isPaper = false;
  /** Without edit permission, checkboxes are grey and lists have no arrow. */
  canEdit = true;
  /** Draws ellipses around values that violate their data validation. */
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

  /** Drops the cached state after the underlying context was changed directly. */
  forget(): void {
    this.font = "";
    this.ink = "";
  }

  /** Sets the font if it differs. */
  setFont(font: string): void {
    if (this.font !== font) {
      this.font = font;
      this.context.font = font;
    }
  }

  /** Sets the fill colour if it differs. */
  setFillColor(ink: string): void {
    if (this.ink !== ink) {
      this.ink = ink;
      this.context.fillStyle = ink;
    }
  }

  /** Fills a rectangle. */
  fill(color: string, x: number, y: number, width: number, height: number): void {
    this.setFillColor(color);
    this.context.fillRect(x, y, width, height);
  }

  /**
   * Call before the texts of a window. `hasRightToLeft`: whether the window may contain
   * right-to-left texts.
   */
  beginTexts(hasRightToLeft: boolean): void {
    this.hasRightToLeft = hasRightToLeft;
    this.isTurned = false;
    this.context.direction = "ltr";
  }

  /** Draws a text as a paragraph with its own base direction. `x` is its left end. */
  letters(text: string, x: number, y: number, order = ReadingOrder.Automatic): void {
    const isTurned =
      order === ReadingOrder.Automatic ? this.hasRightToLeft && isRightToLeftText(text) : order === ReadingOrder.RightToLeft;
    if (isTurned !== this.isTurned) {
      this.isTurned = isTurned;
      this.context.direction = isTurned ? "rtl" : "ltr";
    }
    this.context.fillText(text, x, y);
  }

  /** Measured width of `text`. Sets the font. */
  width(font: string, text: string): number {
    this.setFont(font);
    return this.widths.width(this.context, font, text);
  }

  /** Rounds to the nearest device pixel. */
  snap(px: number): number {
    return Math.round(px * this.dpr) / this.dpr;
  }

  /** Calls `draw` with the rectangle as clipping region, then restores the context. */
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

  /** CSS colour of a part of a cell's text, adjusted to the theme if the cell has no fill. */
  textColor(color: number, { fill }: ResolvedStyle): string {
    return fill === undefined ? this.textColors.of(color, this.theme) : cssColor(color);
  }

  /** CSS colour of a border, adjusted to the theme. */
  lineColor(color: number): string {
    return this.lineColors.of(color, this.theme);
  }

  /** Translates a cell style at the current theme and zoom. */
  resolve(style: CellStyle): ResolvedStyle {
    const { theme } = this;
    const fullPx = (style.fontSize === 0 ? theme.fontPx : style.fontSize * POINT_PX) * this.zoom;
    const fontPx = style.script === FontScript.None ? fullPx : fullPx * SCRIPT_SIZE;
    const family = style.fontFamily === "" ? theme.fontFamily : `${JSON.stringify(style.fontFamily)}, ${theme.fontFamily}`;
    const hasPattern = style.pattern !== FillPattern.Solid;
    const hasFill = style.fillColor !== NO_COLOR || hasPattern;
    // Without a background colour, a pattern is drawn on white.
    const fillColor = style.fillColor === NO_COLOR ? 0xff_ffff : style.fillColor;
    const plainInk = hasFill ? textColorOn(fillColor) : theme.ink;
    const ownInk = style.textColor === NO_COLOR ? undefined : hasFill ? cssColor(style.textColor) : this.textColors.of(style.textColor, theme);
    return {
      style,
      font: `${style.italic ? "italic " : ""}${style.bold ? "700 " : ""}${fontPx}px ${family}`,
      fontPx,
      ink: ownInk ?? plainInk,
      errorInk: ownInk ?? (hasFill ? plainInk : theme.error),
      fill: hasFill ? cssColor(fillColor) : undefined,
      patternInk: hasPattern ? cssColor(style.patternColor === NO_COLOR ? 0 : style.patternColor) : undefined,
      baselineShiftPx:
        style.script === FontScript.Superscript ? -fullPx * SUPERSCRIPT_RISE : style.script === FontScript.Subscript ? fullPx * SUBSCRIPT_DROP : 0,
      align: style.horizontal,
      hasBorder: Boolean(style.top ?? style.right ?? style.bottom ?? style.left),
      hasDiagonal: Boolean(style.diagonalUp ?? style.diagonalDown),
    };
  }
}

/** Colours and fonts of the grid, and their contrast on light and dark backgrounds. */

/** Colours and fonts of the grid; the client reads them from its style sheet. */
export interface Theme {
  readonly isDark: boolean;
  readonly fontFamily: string;
  readonly fontPx: number;
  readonly paper: string;
  readonly ink: string;
  readonly error: string;
  readonly line: string;
  readonly headerPaper: string;
  readonly headerInk: string;
  readonly headerSelectedPaper: string;
  readonly headerSelectedInk: string;
  readonly accent: string;
  /** Translucent tint of selected cells. */
  readonly accentWash: string;
}

/** CSS notation of the colour `0xRRGGBB`. */
export function cssColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

/** `color` mixed half and half with white, for dark backgrounds. */
export function lightenedForDark(color: number): number {
  return ((color >> 1) & 0x7f7f7f) + 0x808080;
}

/** Black or white, whichever has the higher contrast on `color`. */
export function textColorOn(color: number): string {
  // At this luminance both have a contrast of 4.58:1, the minimum over all colours.
  return luminanceOf(color) > 0.179 ? "#000000" : "#ffffff";
}

type PageColors = Pick<Theme, "isDark" | "paper" | "ink">;

/** Minimum contrast ratios of WCAG 2 for graphics and for text. */
export const LINE_CONTRAST = 3;
export const TEXT_CONTRAST = 4.5;

/**
 * CSS colour of a cell's text or border on the background. In dark themes black becomes the text
 * colour, and other colours are mixed with as much white as `contrast` needs.
 */
export function onPaper(color: number, theme: PageColors, contrast: number): string {
  if (!theme.isDark) {
    return cssColor(color);
  }
  if (color === 0) {
    return theme.ink;
  }
  const enough = contrast * (luminanceOf(Number.parseInt(theme.paper.slice(1), 16)) + 0.05) - 0.05;
  let whiter = 0;
  while (luminanceOf(blendedWithWhite(color, whiter)) < enough && whiter < WHITE_STEPS) {
    whiter += 1;
  }
  return cssColor(blendedWithWhite(color, whiter));
}

/** A cache of `onPaper` for one theme. */
export class PaperColors {
  private readonly contrast: number;
  private readonly cache = new Map<number, string>();
  private theme: PageColors | undefined;

  constructor(contrast: number) {
    this.contrast = contrast;
  }

  of(color: number, theme: PageColors): string {
    if (this.theme !== theme || this.cache.size >= CACHED_COLORS_MAX) {
      this.theme = theme;
      this.cache.clear();
    }
    let displayColor = this.cache.get(color);
    if (displayColor === undefined) {
      displayColor = onPaper(color, theme, this.contrast);
      this.cache.set(color, displayColor);
    }
    return displayColor;
  }
}

/** More colours than a window contains. */
const CACHED_COLORS_MAX = 4096;

const WHITE_STEPS = 16;

/** Mixes `steps` sixteenths of white into `color`. */
function blendedWithWhite(color: number, steps: number): number {
  const channel = (shift: number): number => {
    const value = (color >> shift) & 0xff;
    return (value + Math.round(((0xff - value) * steps) / WHITE_STEPS)) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/** Relative luminance of WCAG 2: 0 for black, 1 for white. */
export function luminanceOf(color: number): number {
  const channel = (shift: number): number => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

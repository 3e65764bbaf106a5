/** Colours and type of the grid; the page reads them from its style sheet. */
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
  /** Translucent, laid over selected cells. */
  readonly accentWash: string;
}

/** `0xRRGGBB` as CSS. */
export function cssColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

/** Half way to white: a dark colour that is to be seen on dark paper. */
export function lightened(color: number): number {
  return ((color >> 1) & 0x7f7f7f) + 0x808080;
}

/** Black or white, whichever reads better on `color`. */
export function inkOn(color: number): string {
  // At this luminance both have a contrast of 4.58; on every other colour the better one has more.
  return luminanceOf(color) > 0.179 ? "#000000" : "#ffffff";
}

type Ground = Pick<Theme, "isDark" | "paper" | "ink">;

/** What WCAG asks of lines and of texts. */
export const LINE_CONTRAST = 3;
export const TEXT_CONTRAST = 4.5;

/** How a cell's own colour is drawn straight on the paper: in the dark black is the ink's, and others are as much lighter as it takes. */
export function onPaper(color: number, theme: Ground, contrast: number): string {
  if (!theme.isDark) {
    return cssColor(color);
  }
  if (color === 0) {
    return theme.ink;
  }
  const enough = contrast * (luminanceOf(Number.parseInt(theme.paper.slice(1), 16)) + 0.05) - 0.05;
  let whiter = 0;
  while (luminanceOf(whitened(color, whiter)) < enough && whiter < WHITE_STEPS) {
    whiter += 1;
  }
  return cssColor(whitened(color, whiter));
}

/** `onPaper`, worked out once for each colour of a theme. */
export class PaperColors {
  private readonly contrast: number;
  private readonly known = new Map<number, string>();
  private theme: Ground | undefined;

  constructor(contrast: number) {
    this.contrast = contrast;
  }

  of(color: number, theme: Ground): string {
    if (this.theme !== theme || this.known.size >= MAX_KNOWN_COLORS) {
      this.theme = theme;
      this.known.clear();
    }
    let seen = this.known.get(color);
    if (seen === undefined) {
      seen = onPaper(color, theme, this.contrast);
      this.known.set(color, seen);
    }
    return seen;
  }
}

/** More than a window shows at once. */
const MAX_KNOWN_COLORS = 4096;

const WHITE_STEPS = 16;

/** So many sixteenths of the way to white. */
function whitened(color: number, steps: number): number {
  const channel = (shift: number): number => {
    const value = (color >> shift) & 0xff;
    return (value + Math.round(((0xff - value) * steps) / WHITE_STEPS)) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/** As WCAG has it: 0 for black, 1 for white. */
function luminanceOf(color: number): number {
  const channel = (shift: number): number => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

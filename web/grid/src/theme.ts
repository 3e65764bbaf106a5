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
  const channel = (shift: number): number => {
    const value = ((color >> shift) & 0xff) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
  // At this luminance both have a contrast of 4.58; on every other colour the better one has more.
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

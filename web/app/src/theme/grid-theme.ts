/** The theme of the grid, from the style sheet. */

import type { Theme } from "@quadrille/grid";
import { isDark } from "./color-scheme.ts";

/** Reads the theme in the current color scheme. */
export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  return {
    isDark: isDark(),
    fontFamily: color("--font-sheet"),
    fontPx: 13,
    paper: color("--sheet-paper"),
    ink: color("--sheet-ink"),
    error: color("--sheet-error"),
    line: color("--sheet-line"),
    headerPaper: color("--sheet-header"),
    headerInk: color("--sheet-header-ink"),
    headerSelectedPaper: color("--sheet-header-selected"),
    headerSelectedInk: color("--sheet-header-selected-ink"),
    accent: color("--accent"),
    accentWash: color("--accent-wash"),
  };
}

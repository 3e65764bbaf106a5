/** The theme for printing. */

import type { Theme } from "@quadrille/grid";
import { readTheme } from "../theme/index.ts";

/** The theme of the grid with black on white. */
export function paperTheme(): Theme {
  return {
    ...readTheme(),
    isDark: false,
    paper: "#ffffff",
    ink: "#000000",
    error: "#000000",
    line: "#b4b4b4",
    headerInk: "#000000",
    accent: "#1f6f5c",
  };
}

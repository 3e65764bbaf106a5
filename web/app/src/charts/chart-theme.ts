/** The colors, font and texts of charts on the page. */

import { showNumber, t } from "../language/index.ts";
import { isDark } from "../theme/index.ts";
import type { ChartTheme } from "./chart-options.ts";

/** Texts of drawn charts and of their descriptions. */
export const CHART_TEXTS = {
  seriesName: (number: number) => t("Series {number}", { number }),
  trendName: (series: string) => t("Trendline of {series}", { series }),
  showNumber,
};

/** The theme of the page. */
export function chartTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  return {
    isDark: isDark(),
    ink: color("--ink"),
    softInk: color("--ink-soft"),
    line: color("--border"),
    paper: color("--raised"),
    font: color("--font"),
    otherName: t("Other"),
    ...CHART_TEXTS,
    animates: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/** The colors, font and texts of charts on the page and on paper. */

import { isRightToLeft, language, showNumber, showSignificant, t } from "../language/index.ts";
import { isDark } from "../theme/index.ts";
import type { ChartTheme } from "./chart-options.ts";
import { FACTOR_DIGITS } from "./trend-lines.ts";

/** Texts of drawn charts and of their descriptions. */
export const CHART_TEXTS = {
  seriesName: (number: number) => t("Series {number}", { number }),
  trendName: (series: string) => t("Trendline of {series}", { series }),
  errorBarsName: (series: string) => t("Error bars of {series}", { series }),
  // RLI and PDI: the sentence begins at the right, also before Latin names.
  notOnMap: (names: string) => (isRightToLeft() ? `\u2067${t("Not on the map: {names}", { names })}\u2069` : t("Not on the map: {names}", { names })),
  showNumber,
  showFactor: (number: number) => showSignificant(number, FACTOR_DIGITS),
  // LRI and PDI: `isolated` is for texts of any direction.
  showEquation: (equation: string) => (isRightToLeft() ? `\u2066${equation}\u2069` : equation),
  get boxNames(): readonly string[] {
    return [t("Min"), t("Lower quartile"), t("Median"), t("Upper quartile"), t("Max")];
  },
};

/** The theme of the page. */
export function chartTheme(): ChartTheme {
  return {
    language: language(),
    isDark: isDark(),
    ink: property("--ink"),
    softInk: property("--ink-soft"),
    line: property("--border"),
    paper: property("--raised"),
    font: property("--font"),
    otherName: t("Other"),
    totalName: t("Total"),
    ...CHART_TEXTS,
    animates: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/** The theme for printing and for images, in any color scheme: dark on white, without animation. */
export function paperChartTheme(): ChartTheme {
  return {
    language: language(),
    isDark: false,
    ink: "#000000",
    softInk: "#444444",
    line: "#b4b4b4",
    paper: "#ffffff",
    // ECharts writes it between double quotes of an attribute, without escapes.
    font: property("--font").replaceAll('"', "'"),
    otherName: t("Other"),
    totalName: t("Total"),
    ...CHART_TEXTS,
    animates: false,
  };
}

function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

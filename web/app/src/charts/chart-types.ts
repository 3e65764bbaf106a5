/** The fields of chart items, and the theme of drawn charts. */

import type { ItemValue } from "@quadrille/protocol";
import type { ErrorBarFields } from "./error-bars.ts";
import type { GaugeBand } from "./gauge-scale.ts";
import type { TrendFields } from "./trend-lines.ts";

/** The type of a chart as the item stores it. */
export type ChartType = (typeof CHART_TYPES)[number];

/** The chart types in the order of the menu. */
export const CHART_TYPES = [
  "column",
  "bar",
  "line",
  "area",
  "pie",
  "doughnut",
  "scatter",
  "bubble",
  "radar",
  "combo",
  "histogram",
  "boxPlot",
  "waterfall",
  "funnel",
  "treemap",
  "stock",
  "heatMap",
  "gauge",
  "map",
] as const;

/** One series of a chart item; names and data are formulas. */
export interface SeriesFields extends TrendFields, ErrorBarFields {
  readonly name?: string;
  readonly categories?: string;
  readonly values?: string;
  readonly sizes?: string;
  readonly type?: string;
  readonly axis?: string;
  readonly color?: string;
  readonly smooth?: boolean;
  readonly markers?: boolean;
  readonly labels?: boolean;
  /** Cells whose texts are the labels, instead of the values. */
  readonly labelCells?: string;
  readonly trendlineEquation?: boolean;
  readonly trendlineRSquared?: boolean;
}

/** The fields of a chart item. */
export interface ChartFields {
  readonly type?: string;
  readonly stacking?: string;
  /** How the values of equal categories are combined; the engine does it. */
  readonly aggregate?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly series?: readonly SeriesFields[];
  readonly legend?: string;
  readonly xTitle?: string;
  readonly yTitle?: string;
  readonly y2Title?: string;
  readonly xMin?: number;
  readonly xMax?: number;
  readonly yMin?: number;
  readonly yMax?: number;
  readonly xLogarithmic?: boolean;
  readonly yLogarithmic?: boolean;
  readonly gridlines?: boolean;
  /** The bands of a gauge. */
  readonly stops?: readonly GaugeBand[];
  readonly showsHidden?: boolean;
  readonly offsetX?: number;
  readonly offsetY?: number;
  readonly width?: number;
  readonly height?: number;
  readonly altText?: string;
}

/**
 * The fields of a chart item with their types; the engine validates them against the schema of
 * charts (`crates/workbook/src/items/schema.rs`).
 */
export function chartFields(fields: Readonly<Record<string, ItemValue>>): ChartFields {
  return fields as unknown as ChartFields;
}

/**
 * Palettes that can be told apart with most kinds of color blindness, for light and dark
 * backgrounds.
 */
const LIGHT_PALETTE = ["#1f7a64", "#d9822b", "#3f6fc4", "#b5485d", "#8a63b8", "#6f7a1f", "#2a9bb0", "#8a5a33"];
const DARK_PALETTE = ["#57c2a5", "#f0a65a", "#86aef0", "#ec8fa2", "#bd9ee6", "#b9c35e", "#6fcfe0", "#cc9b72"];

/** The color of the series at `index`: its seriesFields, or the next one of the palette. */
export function seriesColor(seriesFields: string | undefined, index: number, isDark: boolean): string {
  const colors = palette(isDark);
  return seriesFields ?? colors[index % colors.length] ?? "";
}

/** The colors of series, and of the slices of a pie. */
export function palette(isDark: boolean): string[] {
  return [...(isDark ? DARK_PALETTE : LIGHT_PALETTE)];
}

/** Colors, font and localized texts of a drawn chart. */
export interface ChartTheme {
  /** The language of names of countries, as a BCP 47 tag. */
  readonly language: string;
  readonly isDark: boolean;
  readonly ink: string;
  readonly softInk: string;
  readonly line: string;
  readonly paper: string;
  readonly font: string;
  readonly otherName: string;
  /** The name of the last step of a waterfall. */
  readonly totalName: string;
  /** Names of the five numbers of a box, from the least to the greatest. */
  readonly boxNames: readonly string[];
  readonly seriesName: (number: number) => string;
  readonly trendName: (series: string) => string;
  readonly errorBarsName: (series: string) => string;
  /** The labels of a map that are no country. */
  readonly notOnMap: (names: string) => string;
  readonly showNumber: (number: number) => string;
  /** A number of an equation, with few digits but never 0 for a small number. */
  readonly showFactor: (number: number) => string;
  /** An equation, read from left to right in all languages. */
  readonly showEquation: (equation: string) => string;
  readonly animates: boolean;
}

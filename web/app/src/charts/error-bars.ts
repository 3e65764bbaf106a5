/** Error bars of series: their lengths, and how ECharts draws them. */

import type { CustomSeriesOption } from "echarts/charts";

/** How the length of error bars is determined. */
export const ERROR_BARS = ["fixed", "percent", "standardDeviation", "standardError"] as const;
/** The name of a kind of error bars as the item stores it. */
export type ErrorBars = (typeof ERROR_BARS)[number];

/** Fields of a series that say which error bars it has. */
export interface ErrorBarFields {
  readonly errorBars?: string;
  /** A length, a percentage, or a number of standard deviations. */
  readonly errorAmount?: number;
  readonly errorDirection?: string;
}

/** The amounts where the series does not say them; a standard error has none. */
export const ERROR_AMOUNTS: Readonly<Record<Exclude<ErrorBars, "standardError">, number>> = { fixed: 1, percent: 5, standardDeviation: 1 };

/** Ends of an error bar on the value axis. */
export type Ends = readonly [low: number, high: number];

/** Half of the width of the line at the end of an error bar, at most. */
const CAP_HALF_PX = 5;

/** Whether `name` is a kind of error bars. */
export function isErrorBars(name: string | undefined): name is ErrorBars {
  return ERROR_BARS.some((kind) => kind === name);
}

/**
 * The length of error bars in one direction, which is the same for all points; `undefined` for
 * percentages of the values, without error bars, and with fewer than two values to deviate.
 *
 * The standard deviation is that of a sample, as in STDEV.S. The standard error is that of the mean:
 * the standard deviation divided by the square root of the number of values.
 */
export function errorLength(fields: ErrorBarFields, values: readonly (number | null)[]): number | undefined {
  const kind = fields.errorBars;
  const numbers = values.filter((value) => value !== null);
  switch (kind) {
    case "fixed":
      return fields.errorAmount ?? ERROR_AMOUNTS.fixed;
    case "standardDeviation":
      return numbers.length < 2 ? undefined : sampleDeviation(numbers) * (fields.errorAmount ?? ERROR_AMOUNTS.standardDeviation);
    case "standardError":
      return numbers.length < 2 ? undefined : sampleDeviation(numbers) / Math.sqrt(numbers.length);
    default:
      return undefined;
  }
}

/** The ends of the error bar of each point; `null` where there is none. */
export function errorEnds(fields: ErrorBarFields, values: readonly (number | null)[]): readonly (Ends | null)[] {
  const share = fields.errorBars === "percent" ? (fields.errorAmount ?? ERROR_AMOUNTS.percent) / 100 : undefined;
  const common = errorLength(fields, values);
  return values.map((value) => {
    const length = share === undefined || value === null ? common : Math.abs(value) * share;
    if (value === null || length === undefined) {
      return null;
    }
    return [fields.errorDirection === "plus" ? value : value - length, fields.errorDirection === "minus" ? value : value + length];
  });
}

/** Texts and position of error bars in a chart. */
export interface ErrorBarStyle {
  readonly color: string;
  /** Whether the value axis is horizontal. */
  readonly isHorizontal: boolean;
  readonly isLogarithmic: boolean;
  /**
   * Indices of the series that are drawn as bars beside each other, and the index of this series among
   * them; `undefined` when the points of the series are in the middle of their category.
   */
  readonly bars: readonly number[] | undefined;
  readonly index: number;
  readonly barWidthPxMax: number;
}

/** The ECharts series that draws error bars. `xs` has the position of each point on the other axis. */
export function errorBarSeries(fields: ErrorBarFields, values: readonly (number | null)[], xs: readonly number[], style: ErrorBarStyle): CustomSeriesOption {
  const data = errorEnds(fields, values).flatMap((ends, at) => {
    const value = values[at] ?? 0;
    if (!ends || (style.isLogarithmic && value <= 0)) {
      return [];
    }
    // A logarithmic axis has no place for an end at or below 0.
    return [[xs[at] ?? at, style.isLogarithmic && ends[0] <= 0 ? value : ends[0], ends[1]]];
  });
  const hasCap = { low: fields.errorDirection !== "plus", high: fields.errorDirection !== "minus" };
  return {
    type: "custom",
    clip: true,
    silent: true,
    // The points have the tooltips.
    tooltip: { show: false },
    data,
    encode: style.isHorizontal ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
    renderItem: (_, api) => {
      const x = Number(api.value(0));
      const pointOf = (value: number): readonly [number, number] => {
        const [left = 0, top = 0] = api.coord(style.isHorizontal ? [value, x] : [x, value]);
        return style.isHorizontal ? [left, top] : [top, left];
      };
      // The first number is along the value axis.
      const [low, middle] = pointOf(Number(api.value(1)));
      const [high] = pointOf(Number(api.value(2)));
      const { offset, width } = barPlace(style, api);
      const across = middle + offset;
      const cap = Math.min(CAP_HALF_PX, width / 2);
      const line = (fromAlong: number, fromAcross: number, toAlong: number, toAcross: number) => ({
        type: "line" as const,
        shape: style.isHorizontal ? { x1: fromAlong, y1: fromAcross, x2: toAlong, y2: toAcross } : { x1: fromAcross, y1: fromAlong, x2: toAcross, y2: toAlong },
        style: { stroke: style.color, lineWidth: 1.5 },
      });
      return {
        type: "group",
        children: [
          line(low, across, high, across),
          ...(hasCap.low ? [line(low, across - cap, low, across + cap)] : []),
          ...(hasCap.high ? [line(high, across - cap, high, across + cap)] : []),
        ],
      };
    },
  };
}

type DrawingApi = Parameters<NonNullable<CustomSeriesOption["renderItem"]>>[1];

/** Where the bar of a series is beside the middle of its category, and its width in pixels. */
function barPlace(style: ErrorBarStyle, api: DrawingApi): { readonly offset: number; readonly width: number } {
  const others = style.bars;
  if (!others) {
    return { offset: 0, width: 2 * CAP_HALF_PX };
  }
  // Series that the legend hides leave their place to the others.
  const visible = new Set(api.currentSeriesIndices());
  const bars = others.filter((index) => visible.has(index));
  const places: readonly { readonly offsetCenter?: number; readonly width?: number }[] = api.barLayout({ count: bars.length, barMaxWidth: style.barWidthPxMax }) ?? [];
  const { offsetCenter = 0, width = 2 * CAP_HALF_PX } = places[bars.indexOf(style.index)] ?? {};
  return { offset: offsetCenter, width };
}

function sampleDeviation(numbers: readonly number[]): number {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / (numbers.length - 1));
}

/** Small drawings of suggested charts. */

import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { chartOption, type ChartTheme } from "./chart-options.ts";
import type { DataField } from "./data-block.ts";
import { hasAxes } from "./more-chart-options.ts";
import type { ChartSuggestion } from "./suggestions.ts";

/** Size of a preview, in CSS pixels. */
export const PREVIEW_SIZE = { width: 124, height: 78 };
const POINTS_MAX = 60;

/** The ECharts options of a preview: the chart without titles, legend, axes and labels. */
export function previewOption(suggestion: ChartSuggestion, theme: ChartTheme): EChartsCoreOption {
  const fields = { ...PREVIEW_SIZE, type: suggestion.type, stacking: suggestion.stacking ?? "none", series: suggestion.series, legend: "none", gridlines: false };
  const option = chartOption(fields, suggestion.values.map((values) => previewSeries(values, suggestion)), { ...theme, animates: false });
  const isPie = suggestion.type === "pie";
  const series = option["series"] as readonly object[];
  return {
    ...option,
    tooltip: { show: false },
    grid: { top: 6, right: 6, bottom: 6, left: 6, containLabel: false },
    title: { show: false },
    ...(option["geo"] ? { geo: { ...(option["geo"] as object), top: 2, right: 2, bottom: 2, left: 2 } } : {}),
    ...(!hasAxes(suggestion.type) ? {} : { xAxis: withoutLabels(option["xAxis"]), yAxis: withoutLabels(option["yAxis"]) }),
    series: series.map((one) => ({ ...one, silent: true, label: { show: false }, ...(isPie ? { radius: "86%", center: ["50%", "50%"] } : {}) })),
  };
}

/** The first points of a suggested series, combined as the chart will combine them. */
export function previewSeries(values: DataField, { category, aggregate, type }: Pick<ChartSuggestion, "category" | "aggregate" | "type">): ChartSeriesDetails {
  const points = values.points.map(({ number }, at) => ({ name: category?.points[at]?.text ?? String(at + 1), position: category?.points[at]?.number ?? null, number }));
  const combined = new Map<string, number | null>();
  for (const [at, { name, number }] of points.entries()) {
    const added = aggregate === "count" ? (values.points[at]?.text === "" ? 0 : 1) : number;
    combined.set(name, added === null ? (combined.get(name) ?? null) : (combined.get(name) ?? 0) + added);
  }
  const shown = (aggregate ? [...combined].map(([name, number]) => ({ name, position: null, number })) : points).slice(0, type === "histogram" ? points.length : POINTS_MAX);
  return {
    name: values.name,
    categories: shown.map(({ name }) => name),
    positions: type === "scatter" ? shown.map(({ position }) => position) : [],
    values: shown.map(({ number }) => number),
    sizes: [],
    texts: [],
    labels: [],
    isCutShort: false,
  };
}

function withoutLabels(axis: unknown): unknown {
  const hide = (one: object): object => ({ ...one, show: false, name: "", splitLine: { show: false } });
  return Array.isArray(axis) ? axis.map(hide) : hide(axis as object);
}

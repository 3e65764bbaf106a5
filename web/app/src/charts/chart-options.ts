/** From a chart's fields and its calculated series to what ECharts draws. */

import { LINE_CONTRAST, onPaper } from "@quadrille/grid";
import type { ChartSeriesDetails, ItemValue } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { DEFAULT_SIZE } from "./default-size.ts";
import { isTrend, type Point, trendLine, trendValues } from "./trend-lines.ts";

export type ChartType = "line" | "bar" | "column" | "area" | "pie" | "doughnut" | "scatter" | "bubble" | "radar" | "combo";

export const CHART_TYPES: readonly ChartType[] = [
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
];

/** Formulas of one series as the item holds them. */
export interface SeriesFields {
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
  readonly trendline?: string;
}

export interface ChartFields {
  readonly type?: string;
  readonly stacking?: string;
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
  readonly yLogarithmic?: boolean;
  readonly gridlines?: boolean;
  readonly showsHidden?: boolean;
  readonly offsetX?: number;
  readonly offsetY?: number;
  readonly width?: number;
  readonly height?: number;
  readonly altText?: string;
}

/** Fields arrive as the schema of charts lets them be (crates/workbook/src/items/schema.rs). */
export function chartFields(fields: Readonly<Record<string, ItemValue>>): ChartFields {
  return fields as unknown as ChartFields;
}

/** Distinguishable for most kinds of colour blindness, and against light and dark paper. */
const LIGHT = ["#1f7a64", "#d9822b", "#3f6fc4", "#b5485d", "#8a63b8", "#6f7a1f", "#2a9bb0", "#8a5a33"];
const DARK = ["#57c2a5", "#f0a65a", "#86aef0", "#ec8fa2", "#bd9ee6", "#b9c35e", "#6fcfe0", "#cc9b72"];

/** The colour of the series at `index`, its own or the next of the usual ones. */
export function seriesColor(own: string | undefined, index: number, isDark: boolean): string {
  const palette = isDark ? DARK : LIGHT;
  return own ?? palette[index % palette.length] ?? "";
}

/** How many categories a pie names; the smaller rest is one slice. */
const SLICES_MAX = 24;

export interface Look {
  readonly isDark: boolean;
  readonly ink: string;
  readonly softInk: string;
  readonly line: string;
  readonly paper: string;
  readonly font: string;
  readonly otherName: string;
  readonly seriesName: (number: number) => string;
  readonly trendName: (series: string) => string;
  readonly showNumber: (number: number) => string;
  readonly animates: boolean;
}

export function chartOption(
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  look: Look,
): EChartsCoreOption {
  const names = series.map((one, index) => one.name || look.seriesName(index + 1));
  const colors = series.map((_, index) => seriesColor(fields.series?.[index]?.color, index, look.isDark));
  const text = { color: look.softInk, fontFamily: look.font };
  const common: EChartsCoreOption = {
    animation: look.animates,
    animationDuration: 300,
    color: isRound(fields.type) ? (look.isDark ? DARK : LIGHT) : colors,
    textStyle: text,
    title: title(fields, look),
    legend: legend(fields, series.length, look),
    tooltip: {
      trigger: isRound(fields.type) || isPaired(fields.type) || fields.type === "radar" ? "item" : "axis",
      backgroundColor: look.paper,
      borderColor: look.line,
      textStyle: { color: look.ink, fontFamily: look.font },
      confine: true,
      // The content security policy forbids the inline styles of the other way.
      renderMode: "richText",
      valueFormatter: (value: unknown) => (typeof value === "number" ? look.showNumber(value) : "–"),
    },
  };
  if (isRound(fields.type)) {
    return { ...common, series: [pie(fields, series[0], look)] };
  }
  if (fields.type === "radar") {
    return { ...common, ...radar(fields, series, names, look) };
  }
  return { ...common, ...cartesian(fields, series, names, colors, look) };
}

/** Points that are read out; more of them are a table that nobody listens to. */
const SPOKEN_MAX = 60;

/** The figures as words: "North: May 30, June 45; Trend line of North: 29, 46; South: …". Of trend lines both ends are told. */
export function spoken(
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  { seriesName, trendName, showNumber }: Pick<Look, "seriesName" | "trendName" | "showNumber">,
): string {
  return series
    .flatMap((one, index) => {
      const name = one.name || seriesName(index + 1);
      const points = one.texts.slice(0, SPOKEN_MAX).map((text, at) => `${one.categories[at] ?? at + 1} ${text}`);
      const rest = one.texts.length > SPOKEN_MAX ? " …" : "";
      const ends = (trendOf(fields, index, one) ?? []).flatMap((point) => (typeof point === "number" ? [point] : point ? [point[1]] : []));
      const trend = ends.length > 0 ? [`${trendName(name)}: ${showNumber(ends[0] ?? 0)}, ${showNumber(ends.at(-1) ?? 0)}`] : [];
      return [`${name}: ${points.join(", ")}${rest}`, ...trend];
    })
    .join("; ");
}

/** As in Excel, series that stand on one another have none, nor have round charts. */
export function canHaveTrendLines(fields: ChartFields): boolean {
  return !isRound(fields.type) && fields.type !== "radar" && (isPaired(fields.type) || (fields.stacking ?? "none") === "none");
}

/** A value for each category, or points with places of their own. */
function trendOf(fields: ChartFields, index: number, series: ChartSeriesDetails): readonly (number | null | Point)[] | undefined {
  const trend = fields.series?.[index]?.trendline;
  if (!isTrend(trend) || !canHaveTrendLines(fields)) {
    return undefined;
  }
  if (!isPaired(fields.type)) {
    return trendValues(trend, series.values);
  }
  const points = series.values.flatMap((value, at): Point[] => (value === null ? [] : [[series.positions[at] ?? at + 1, value]]));
  return trendLine(trend, points);
}

function isRound(type: string | undefined): boolean {
  return type === "pie" || type === "doughnut";
}

function isPaired(type: string | undefined): boolean {
  return type === "scatter" || type === "bubble";
}

function title(fields: ChartFields, look: Look): object {
  return {
    text: fields.title ?? "",
    subtext: fields.subtitle ?? "",
    left: "center",
    top: 6,
    textStyle: { color: look.ink, fontFamily: look.font, fontSize: 15, fontWeight: 600, overflow: "truncate", width: (fields.width ?? DEFAULT_SIZE.width) - 24 },
    subtextStyle: { color: look.softInk, fontFamily: look.font },
  };
}

function legend(fields: ChartFields, count: number, look: Look): object {
  const place = fields.legend ?? (count > 1 || isRound(fields.type) ? "bottom" : "none");
  const isSide = place === "left" || place === "right";
  return {
    show: place !== "none",
    type: "scroll",
    orient: isSide ? "vertical" : "horizontal",
    ...(isSide ? { [place]: 8, top: "middle" } : { left: "center", [place === "top" ? "top" : "bottom"]: place === "top" ? headPx(fields) : 6 }),
    textStyle: { color: look.softInk, fontFamily: look.font },
    pageTextStyle: { color: look.softInk },
    pageIconColor: look.ink,
    pageIconInactiveColor: look.line,
    icon: "roundRect",
    itemWidth: 12,
    itemHeight: 12,
  };
}


function headPx(fields: ChartFields): number {
  return (fields.title ? 34 : 10) + (fields.subtitle ? 18 : 0);
}

function pie(fields: ChartFields, series: ChartSeriesDetails | undefined, look: Look): object {
  const slices = (series?.values ?? []).flatMap((value, index) =>
    value !== null && value > 0 ? [{ name: series?.categories[index] || String(index + 1), value }] : [],
  );
  const largest = [...slices].sort((a, b) => b.value - a.value).slice(0, SLICES_MAX);
  const kept = slices.length > SLICES_MAX ? slices.filter((slice) => largest.includes(slice)) : slices;
  const rest = slices.reduce((sum, slice) => sum + slice.value, 0) - kept.reduce((sum, slice) => sum + slice.value, 0);
  return {
    type: "pie",
    radius: fields.type === "doughnut" ? ["38%", "62%"] : "62%",
    center: ["50%", fields.title ? "54%" : "48%"],
    data: rest > 0 ? [...kept, { name: look.otherName, value: rest }] : kept,
    labelLine: { length: 8, length2: 6 },
    label: {
      color: look.softInk,
      fontFamily: look.font,
      // Half a number is another number.
      overflow: "none",
      // Names that the legend gives are not said again: there is seldom room for them.
      formatter: ({ name, percent }: { readonly name: string; readonly percent: number }) => {
        const share = `${look.showNumber(Math.round(percent * 10) / 10)}%`;
        return fields.legend === "none" ? `${name}: ${share}` : share;
      },
    },
    itemStyle: { borderColor: look.paper, borderWidth: 1.5 },
  };
}

/** Between a corner and the far side of its name. */
const CORNER_NAME_PX = 28;

function radar(fields: ChartFields, series: readonly ChartSeriesDetails[], names: readonly string[], look: Look): EChartsCoreOption {
  const corners = series[0]?.categories.length ? series[0].categories : (series[0]?.values ?? []).map((_, index) => String(index + 1));
  const largest = Math.max(0, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const { width, height } = { ...DEFAULT_SIZE, ...fields };
  const place = fields.legend ?? (series.length > 1 ? "bottom" : "none");
  const topPx = headPx(fields) + (place === "top" ? 28 : 12) + CORNER_NAME_PX;
  const bottomPx = height - (place === "bottom" ? 34 : 12) - CORNER_NAME_PX;
  const radiusPx = Math.min((bottomPx - topPx) / 2, width * 0.3);
  // There are no figures beside the web: its lines are all that values are read by.
  const lineStyle = { color: look.isDark ? onPaper(Number.parseInt(look.line.slice(1), 16), look, LINE_CONTRAST) : look.line };
  return {
    radar: {
      // In parts of the chart, which may be drawn smaller than it is. The radius is a part of half of its shorter side.
      center: ["50%", `${((topPx + bottomPx) / 2 / height) * 100}%`],
      radius: `${Math.max(20, (radiusPx / (Math.min(width, height) / 2)) * 100)}%`,
      indicator: corners.map((name) => ({ name, max: largest || 1 })),
      axisName: { color: look.softInk },
      splitLine: { lineStyle },
      splitArea: { show: false },
      axisLine: { lineStyle },
    },
    series: [{ type: "radar", data: series.map((one, index) => ({ name: names[index], value: one.values.map((value) => value ?? 0) })) }],
  };
}

function cartesian(
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  names: readonly string[],
  colors: readonly string[],
  look: Look,
): EChartsCoreOption {
  const isFlat = fields.type === "bar";
  const paired = isPaired(fields.type);
  const longest = series.reduce((count, one) => Math.max(count, one.values.length), 0);
  const named = series.find((one) => one.categories.length > 0);
  const categories = Array.from({ length: longest }, (_, index) => named?.categories[index] || String(index + 1));
  const isPercent = fields.stacking === "percent";
  const totals = categories.map((_, index) =>
    series.reduce((sum, one) => sum + Math.abs(one.values[index] ?? 0), 0),
  );
  const hasSecond = series.some((_, index) => fields.series?.[index]?.axis === "secondary");
  const line = { show: true, lineStyle: { color: look.line } };
  const labels = { color: look.softInk, fontFamily: look.font, hideOverlap: true };
  const nameStyle = { color: look.softInk, fontFamily: look.font };
  const categoryAxis = paired
    ? { type: "value", scale: true, min: fields.xMin, max: fields.xMax, splitLine: { show: fields.gridlines !== false, lineStyle: { color: look.line } } }
    : { type: "category", data: categories, boundaryGap: fields.type !== "line" && fields.type !== "area" };
  const valueAxis = (isSecond: boolean): object => ({
    type: fields.yLogarithmic === true ? "log" : "value",
    ...(isPercent ? { max: 1 } : { min: isSecond ? undefined : fields.yMin, max: isSecond ? undefined : fields.yMax }),
    scale: paired || fields.type === "line",
    name: isSecond ? fields.y2Title : isFlat ? fields.xTitle : fields.yTitle,
    nameLocation: "middle",
    nameGap: isFlat ? 28 : 44,
    nameTextStyle: nameStyle,
    axisLabel: {
      ...labels,
      formatter: (value: number) => (isPercent ? `${look.showNumber(value * 100)}%` : look.showNumber(value)),
    },
    splitLine: { show: !isSecond && fields.gridlines !== false, lineStyle: { color: look.line } },
  });
  const first = {
    ...categoryAxis,
    name: isFlat ? fields.yTitle : fields.xTitle,
    nameLocation: "middle",
    nameGap: isFlat ? 56 : 28,
    nameTextStyle: nameStyle,
    axisLine: line,
    axisTick: { lineStyle: { color: look.line } },
    axisLabel: labels,
  };
  const onAxis = (own: SeriesFields | undefined): object => (own?.axis === "secondary" ? (isFlat ? { xAxisIndex: 1 } : { yAxisIndex: 1 }) : {});
  const trends = series.flatMap((one, index) => {
    const data = trendOf(fields, index, one);
    const color = colors[index];
    return data
      ? {
          name: look.trendName(names[index] ?? ""),
          type: "line",
          data,
          ...onAxis(fields.series?.[index]),
          showSymbol: false,
          sampling: "lttb",
          lineStyle: { width: 2, type: "dashed", color },
          itemStyle: { color },
        }
      : [];
  });
  const values = hasSecond ? [valueAxis(false), valueAxis(true)] : [valueAxis(false)];
  const place = fields.legend ?? (series.length > 1 ? "bottom" : "none");
  return {
    grid: {
      top: headPx(fields) + (place === "top" ? 28 : 12),
      bottom: (place === "bottom" ? 34 : 12) + (isFlat ? (fields.xTitle ? 18 : 0) : fields.xTitle ? 18 : 0),
      left: (place === "left" ? 110 : 14) + ((isFlat ? fields.yTitle : fields.yTitle) ? 18 : 0),
      right: (place === "right" ? 120 : 18) + (hasSecond && fields.y2Title ? 18 : 0),
      containLabel: true,
    },
    xAxis: isFlat ? values : first,
    yAxis: isFlat ? { ...first, inverse: true } : values,
    series: [
      ...series.map((one, index) => {
        const own = fields.series?.[index];
        return {
          name: names[index],
          ...mark(fields, own),
          ...onAxis(own),
          ...(fields.stacking === "stacked" || isPercent ? { stack: "all" } : {}),
          label: own?.labels ? { show: true, color: look.softInk, formatter: (point: { dataIndex: number }) => one.texts[point.dataIndex] ?? "" } : undefined,
          data: paired
            ? one.values.map((value, at) => [one.positions[at] ?? at + 1, value, one.sizes[at] ?? null])
            : one.values.map((value, at) => (isPercent && value !== null ? Math.abs(value) / (totals[at] || 1) : value)),
          ...(fields.type === "bubble" ? { symbolSize: bubbleSize(one) } : {}),
        };
      }),
      ...trends,
    ],
  };
}

function mark(fields: ChartFields, own: SeriesFields | undefined): object {
  const type = fields.type === "combo" ? (own?.type ?? "column") : fields.type;
  switch (type) {
    case "line":
    case "area":
      return {
        type: "line",
        smooth: own?.smooth ?? false,
        showSymbol: own?.markers ?? false,
        sampling: "lttb",
        lineStyle: { width: 2 },
        ...(type === "area" ? { areaStyle: { opacity: 0.28 } } : {}),
      };
    case "scatter":
    case "bubble":
      return { type: "scatter", symbolSize: 8, large: true };
    default:
      return { type: "bar", barMaxWidth: 56, large: true, itemStyle: { borderRadius: 2 } };
  }
}

/** Areas, not diameters, follow the sizes. */
function bubbleSize(series: ChartSeriesDetails): (point: readonly (number | null)[]) => number {
  const largest = Math.max(1e-300, ...series.sizes.map((size) => Math.abs(size ?? 0)));
  return (point) => 6 + 38 * Math.sqrt(Math.abs(point[2] ?? 0) / largest);
}

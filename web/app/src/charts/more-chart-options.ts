/** ECharts options of histograms, waterfalls, funnels, box plots, treemaps, stock charts, heat maps, gauges and maps. */

import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { type Box, boxOf } from "./box-plot.ts";
import { tooltip } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, palette } from "./chart-types.ts";
import { gaugeOption } from "./gauge.ts";
import { heatMap } from "./heat-map.ts";
import { mapOption } from "./map-chart.ts";
import { type Bin, histogramBins } from "./histogram.ts";
import { type StockPoint, stockPoints, stockSeries } from "./stock.ts";
import { waterfallSteps } from "./waterfall.ts";

/** Types whose drawing is not a point for each value. */
const TYPES = ["histogram", "waterfall", "funnel", "boxPlot", "treemap", "stock", "heatMap", "gauge", "map"] as const;
type MoreType = (typeof TYPES)[number];

/** Space and axes that a chart gives to its drawing. */
export interface Frame {
  /** Space for the title and a legend above the drawing. */
  readonly topPx: number;
  readonly bottomPx: number;
  /** A category axis with these names. */
  readonly categoryAxis: (names: readonly string[]) => object;
  readonly valueAxis: object;
  /** A value axis on the other side. */
  readonly secondaryAxis: object;
  readonly grid: { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };
  /** The options of the title. */
  readonly title: object;
}

/** Whether a type is one of this file. */
export function isMoreType(type: string | undefined): type is MoreType {
  return TYPES.some((known) => known === type);
}

/**
 * Whether the names of series stand in a legend: areas, gauges and maps name their parts themselves, heat
 * maps have them at their axis, waterfalls draw one series, and stock charts draw all series as one.
 */
export function hasSeriesNames(type: string | undefined): boolean {
  return !isMoreType(type) || type === "histogram" || type === "boxPlot";
}

/** Whether a bar of colors stands in the place of a legend. */
export function hasColorBar(type: string | undefined): boolean {
  return type === "heatMap" || type === "map";
}

/** Whether the drawing has axes. */
export function hasAxes(type: string | undefined): boolean {
  return type !== "funnel" && type !== "treemap" && type !== "gauge" && type !== "map" && type !== "pie" && type !== "doughnut" && type !== "radar";
}

/** The options beside those that all charts have. */
export function moreChartOption(
  type: MoreType,
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  names: readonly string[],
  colors: readonly string[],
  theme: ChartTheme,
  frame: Frame,
): EChartsCoreOption {
  const [first] = series;
  switch (type) {
    case "histogram": {
      const bins = histogramBins(series.map(({ values }) => values));
      return {
        grid: frame.grid,
        xAxis: frame.categoryAxis(bins.map((bin) => binName(bin, theme))),
        yAxis: { ...frame.valueAxis, minInterval: 1 },
        series: series.map((_, index) => ({ type: "bar", name: names[index], data: bins.map(({ counts }) => counts[index]), barCategoryGap: "4%", barGap: "0%" })),
      };
    }
    case "waterfall":
      return { ...waterfall(first, theme, frame), tooltip: { ...tooltip(theme), trigger: "item" } };
    case "funnel":
      return {
        color: palette(theme.isDark),
        series: [
          {
            type: "funnel",
            top: frame.topPx,
            bottom: frame.bottomPx,
            left: "12%",
            right: "12%",
            sort: "none",
            gap: 2,
            label: { position: "inside", color: theme.paper, fontFamily: theme.font, formatter: ({ dataIndex }: { dataIndex: number }) => labelOf(first, dataIndex) },
            itemStyle: { borderWidth: 0 },
            data: positive(first),
          },
        ],
      };
    case "treemap":
      return {
        color: palette(theme.isDark),
        series: [
          {
            type: "treemap",
            top: frame.topPx,
            bottom: frame.bottomPx,
            left: 12,
            right: 12,
            roam: false,
            nodeClick: false,
            breadcrumb: { show: false },
            itemStyle: { borderColor: theme.paper, borderWidth: 1, gapWidth: 1 },
            label: { color: theme.paper, fontFamily: theme.font, formatter: ({ dataIndex, name }: { dataIndex: number; name: string }) => (dataIndex < 0 ? name : labelOf(first, dataIndex - 1)) },
            data: positive(first).map((one, index) => ({ ...one, itemStyle: { color: palette(theme.isDark)[index % palette(theme.isDark).length] } })),
          },
        ],
      };
    case "boxPlot":
      return { ...boxPlot(series, names, colors, theme, frame), tooltip: { ...tooltip(theme), trigger: "item" } };
    case "stock":
      return stock(fields, series, names, theme, frame);
    case "heatMap":
      return heatMap(fields, series, names, theme, frame);
    case "gauge":
      return gaugeOption(fields, series, names, theme, frame);
    case "map":
      return mapOption(fields, series, names, theme, frame);
  }
}

/** The numbers that are drawn, for screen readers: `10–20: 5`; `undefined` when they are the values themselves. */
export function describeMore(type: string | undefined, series: readonly ChartSeriesDetails[], index: number, theme: Pick<ChartTheme, "showNumber" | "boxNames">): string | undefined {
  if (type === "histogram") {
    return histogramBins(series.map(({ values }) => values))
      .map((bin) => `${binName(bin, theme)} ${theme.showNumber(bin.counts[index] ?? 0)}`)
      .join(", ");
  }
  if (type === "boxPlot") {
    const one = series[index];
    return one && groups(one).map(([name, values]) => [name, boxText(boxOf(values), theme)].filter((text) => text !== "").join(" ")).join(", ");
  }
  return undefined;
}

function binName({ from, to }: Bin, { showNumber }: Pick<ChartTheme, "showNumber">): string {
  return `${showNumber(from)}–${showNumber(to)}`;
}

/** On one line: parts may be low. */
function labelOf(series: ChartSeriesDetails | undefined, index: number): string {
  return `${series?.categories[index] || index + 1}  ${series?.texts[index] ?? ""}`;
}

/** Areas cannot show numbers below zero. Their places stay, so that labels find their points. */
function positive(series: ChartSeriesDetails | undefined): { readonly name: string; readonly value: number }[] {
  return (series?.values ?? []).map((value, index) => ({ name: series?.categories[index] || String(index + 1), value: Math.max(0, value ?? 0) }));
}

/** Bodies of candles from sum to sum, as stacked columns cannot cross zero. */
function waterfall(series: ChartSeriesDetails | undefined, theme: ChartTheme, frame: Frame): EChartsCoreOption {
  const [steps, total] = waterfallSteps(series?.values ?? []);
  const names = [...steps.map((_, index) => series?.categories[index] || String(index + 1)), theme.totalName];
  const texts = [...(series?.texts ?? []), theme.showNumber(total.to)];
  const all = [...steps, total];
  // Green for steps up, red for steps down, blue for the sum.
  const colors = palette(theme.isDark);
  return {
    grid: frame.grid,
    xAxis: frame.categoryAxis(names),
    yAxis: frame.valueAxis,
    series: [
      {
        type: "candlestick",
        name: series?.name,
        barWidth: "64%",
        barMaxWidth: 56,
        data: all.map(({ from, to }, index) => {
          const fill = index === steps.length ? colors[2] : to < from ? colors[3] : colors[0];
          return { value: [from, to, Math.min(from, to), Math.max(from, to)], itemStyle: { color: fill, color0: fill, borderColor: fill, borderColor0: fill } };
        }),
        tooltip: { formatter: ({ dataIndex }: { dataIndex: number }) => `${names[dataIndex] ?? ""}\n${texts[dataIndex] ?? ""}` },
      },
    ],
  };
}

/** The part of the height that the columns of volumes take, from the bottom. */
const VOLUMES_HEIGHT = 0.25;

/** The space for the volumes below the lowest price, as a part of the range of prices; none below zero. */
function spaceBelow(points: readonly (StockPoint | undefined)[]): number | string {
  const known = points.filter((point) => point !== undefined);
  const lowest = Math.min(...known.map(({ low }) => low));
  const range = Math.max(...known.map(({ high }) => high)) - lowest;
  return range > 0 ? `${100 * Math.min(VOLUMES_HEIGHT / (1 - VOLUMES_HEIGHT), Math.max(0, lowest / range))}%` : 0;
}

/**
 * Bodies are hollow where the price rose and filled where it fell, so that the two are told apart
 * without their colors. Volumes are columns at the bottom, on an axis of their own.
 */
function stock(fields: ChartFields, series: readonly ChartSeriesDetails[], names: readonly string[], theme: ChartTheme, frame: Frame): EChartsCoreOption {
  const { volumes, prices } = stockSeries(series, fields.series?.[0]?.type) ?? { volumes: undefined, prices: series };
  const points = stockPoints(prices.map(({ values }) => values));
  const named = series.find(({ categories }) => categories.length > 0);
  const count = Math.max(points.length, volumes?.values.length ?? 0);
  const categories = Array.from({ length: count }, (_, index) => named?.categories[index] || String(index + 1));
  const [risen, , unchanged, fallen] = palette(theme.isDark);
  const priceAxis = { ...frame.valueAxis, scale: true, ...(volumes && fields.yLogarithmic !== true ? { boundaryGap: [spaceBelow(points), 0] } : {}) };
  const highest = Math.max(0, ...(volumes?.values ?? []).map((volume) => volume ?? 0));
  const volumeAxis = {
    ...frame.secondaryAxis,
    type: "value",
    min: 0,
    max: highest / VOLUMES_HEIGHT || 1,
    splitNumber: 8,
    axisLabel: { color: theme.softInk, fontFamily: theme.font, hideOverlap: true, formatter: (volume: number) => (volume > highest ? "" : theme.showNumber(volume)) },
    axisTick: { show: false },
  };
  const hasTitle = volumes !== undefined && fields.y2Title;
  return {
    grid: { ...frame.grid, right: frame.grid.right + (hasTitle ? 18 : 0) },
    xAxis: frame.categoryAxis(categories),
    yAxis: volumes ? [priceAxis, volumeAxis] : priceAxis,
    series: [
      ...(volumes ? [{ type: "bar", yAxisIndex: 1, barMaxWidth: 22, data: volumes.values, itemStyle: { color: theme.softInk, opacity: 0.7 } }] : []),
      {
        type: "candlestick",
        barMaxWidth: 22,
        data: points.map((point) => (point ? [point.open, point.close, point.low, point.high] : [])),
        itemStyle: { color: theme.paper, borderColor: risen, color0: fallen, borderColor0: fallen, borderColorDoji: unchanged, borderWidth: 1.5 },
      },
    ],
    tooltip: {
      ...tooltip(theme),
      trigger: "axis",
      formatter: (shown: readonly { dataIndex: number }[]) => {
        const index = shown[0]?.dataIndex ?? 0;
        const lines = series.map(({ texts }, at) => `${names[at] ?? ""}: ${texts[index] || "–"}`);
        return [categories[index], ...lines].join("\n");
      },
    },
  };
}

/** The values of each category, or all of them without categories. */
function groups(series: ChartSeriesDetails): (readonly [name: string, values: (number | null)[]])[] {
  const found = new Map<string, (number | null)[]>();
  for (const [index, value] of series.values.entries()) {
    const name = series.categories[index] ?? "";
    const values = found.get(name);
    if (values) {
      values.push(value);
    } else {
      found.set(name, [value]);
    }
  }
  return [...found];
}

function boxText(box: Box | undefined, { showNumber, boxNames }: Pick<ChartTheme, "showNumber" | "boxNames">): string {
  return box ? boxNames.map((name, at) => `${name} ${showNumber(box.five[at] ?? 0)}`).join(", ") : "";
}

/** A box of a box plot: in the place of a category, or of its series when there are no categories. */
interface PlacedBox {
  readonly place: number;
  readonly box: Box;
  readonly color: string;
}

function boxPlot(series: readonly ChartSeriesDetails[], names: readonly string[], colors: readonly string[], theme: ChartTheme, frame: Frame): EChartsCoreOption {
  const grouped = series.map(groups);
  const categories = [...new Set(grouped.flat().map(([name]) => name))];
  const isBySeries = categories.every((name) => name === "");
  const places = isBySeries ? names : categories;
  // Several boxes in one place are drawn beside one another; points could not follow them, so their
  // whiskers reach to the outliers.
  const isShared = !isBySeries && series.length > 1;
  const boxes = grouped.map((own, index) =>
    own.flatMap(([name, values]): PlacedBox[] => {
      const box = boxOf(values, isShared);
      return box ? [{ place: isBySeries ? index : places.indexOf(name), box, color: colors[index] ?? "" }] : [];
    }),
  );
  const rows = isBySeries ? [boxes.flat()] : boxes;
  return {
    grid: frame.grid,
    xAxis: frame.categoryAxis(places),
    yAxis: { ...frame.valueAxis, scale: true },
    series: [
      ...rows.map((row, index) => {
        const at = places.map((_, place) => row.find((one) => one.place === place));
        return {
          type: "boxplot",
          name: isBySeries ? undefined : names[index],
          itemStyle: { color: theme.paper, borderColor: colors[index], borderWidth: 1.5 },
          data: at.map((one) => (one ? { value: one.box.five, itemStyle: { borderColor: one.color } } : [])),
          tooltip: { formatter: ({ dataIndex }: { dataIndex: number }) => `${places[dataIndex] ?? ""}\n${boxText(at[dataIndex]?.box, theme).replaceAll(", ", "\n")}` },
        };
      }),
      {
        type: "scatter",
        symbolSize: 6,
        data: rows.flat().flatMap(({ place, box, color }) => box.outliers.map((value) => ({ value: [place, value], itemStyle: { color } }))),
        tooltip: { formatter: ({ value }: { value: readonly number[] }) => `${places[value[0] ?? 0] ?? ""}\n${theme.showNumber(value[1] ?? 0)}` },
      },
    ],
  };
}

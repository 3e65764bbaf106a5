/** Heat maps: a row of colored cells for each series, from the first series at the top. */

import { cssColor, textColorOn } from "@quadrille/grid";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { titleHeightPx, tooltip } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, palette, seriesColor } from "./chart-types.ts";

/** Values and their colors: between the stops, colors are mixed. */
export interface ColorScale {
  readonly min: number;
  readonly max: number;
  /** Colors at equal distances from `min` to `max`. */
  readonly colors: readonly string[];
}

/** Part of its color in the color of the least value, which differs from an empty cell. */
const LEAST_SHARE = 0.1;

/**
 * The color scale of values: from a light to the full color, or for values on both sides of zero from one
 * color over a light one at zero to the other. `min` and `max` replace the least and the greatest value.
 */
export function colorScale(values: readonly number[], { yMin, yMax }: Pick<ChartFields, "yMin" | "yMax">, color: string, theme: Pick<ChartTheme, "isDark" | "paper">): ColorScale {
  const [least, greatest] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  const light = mixed(theme.paper, color, LEAST_SHARE);
  if (yMin === undefined && yMax === undefined && least < 0 && greatest > 0) {
    const reach = Math.max(-least, greatest);
    const [, , , negative = ""] = palette(theme.isDark);
    return { min: -reach, max: reach, colors: [negative, light, color] };
  }
  const min = yMin ?? (Number.isFinite(least) ? least : 0);
  const max = yMax ?? (Number.isFinite(greatest) ? greatest : 1);
  // A scale has a length: equal values have the full color.
  return { min: min < max ? min : max - 1, max, colors: [light, color] };
}

/** The color of a value, which is that of an end of the scale beyond it. */
export function colorOf({ min, max, colors }: ColorScale, value: number): string {
  const place = Math.min(1, Math.max(0, (value - min) / (max - min))) * (colors.length - 1);
  const before = Math.min(Math.floor(place), colors.length - 2);
  return mixed(colors[before] ?? "", colors[before + 1] ?? "", place - before);
}

/** The color between two, of which `share` is the part of the second. Colors are `#rrggbb` or `#rgb`. */
function mixed(first: string, second: string, share: number): string {
  const [from, to] = [numberOf(first), numberOf(second)];
  const channel = (shift: number): number => {
    const value = (from >> shift) & 0xff;
    return Math.round(value + (((to >> shift) & 0xff) - value) * share) << shift;
  };
  return cssColor(channel(16) | channel(8) | channel(0));
}

function numberOf(color: string): number {
  const digits = color.slice(1);
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, "$&$&") : digits, 16);
}

/** Width of the names of rows, at most. */
const NAME_WIDTH_PX = 96;

/** The options of a heat map. `categoryAxis` makes an axis with names. */
export function heatMap(
  fields: ChartFields,
  series: readonly ChartSeriesDetails[],
  names: readonly string[],
  theme: ChartTheme,
  { grid, categoryAxis }: { readonly grid: object; readonly categoryAxis: (names: readonly string[]) => object },
): EChartsCoreOption {
  const named = series.find(({ categories }) => categories.length > 0);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const columns = Array.from({ length: count }, (_, at) => named?.categories[at] || String(at + 1));
  const cells = series.flatMap(({ values }, row) => values.flatMap((value, column) => (value === null ? [] : [{ row, column, value }])));
  const scale = colorScale(cells.map(({ value }) => value), fields, seriesColor(fields.series?.[0]?.color, 0, theme.isDark), theme);
  const textOf = (row: number, column: number): string => series[row]?.texts[column] ?? "";
  return {
    grid,
    xAxis: categoryAxis(columns),
    yAxis: {
      ...categoryAxis(names),
      inverse: true,
      name: fields.yTitle,
      nameGap: NAME_WIDTH_PX - 24,
      axisLabel: { color: theme.softInk, fontFamily: theme.font, hideOverlap: true, width: NAME_WIDTH_PX, overflow: "truncate" },
    },
    visualMap: legend(fields, scale, theme),
    series: [
      {
        type: "heatmap",
        data: cells.map(({ row, column, value }) => ({
          value: [column, row, value],
          label: {
            show: fields.series?.[row]?.labels ?? false,
            color: textColorOn(numberOf(colorOf(scale, value))),
            fontFamily: theme.font,
            formatter: textOf(row, column),
          },
        })),
        itemStyle: { borderColor: theme.paper, borderWidth: 1 },
      },
    ],
    tooltip: {
      ...tooltip(theme),
      trigger: "item",
      formatter: ({ value: [column = 0, row = 0] }: { value: readonly number[] }) => `${names[row] ?? ""}, ${columns[column] ?? ""}\n${textOf(row, column)}`,
    },
  };
}

/** The bar of colors with its least and greatest value, at the place of a legend. */
function legend(fields: ChartFields, { min, max, colors }: ColorScale, theme: ChartTheme): object {
  const position = fields.legend ?? "bottom";
  const isSide = position === "left" || position === "right";
  return {
    type: "continuous",
    show: position !== "none",
    min,
    max,
    inRange: { color: colors },
    orient: isSide ? "vertical" : "horizontal",
    ...(isSide ? { [position]: 10, top: "middle" } : { left: "center", [position === "top" ? "top" : "bottom"]: position === "top" ? titleHeightPx(fields) : 2 }),
    itemWidth: 10,
    itemHeight: 140,
    text: [theme.showNumber(max), theme.showNumber(min)],
    textStyle: { color: theme.softInk, fontFamily: theme.font },
    hoverLink: false,
  };
}

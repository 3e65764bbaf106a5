/** Heat maps: a row of colored cells for each series, from the first series at the top. */

import { textColorOn } from "@quadrille/grid";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { tooltip } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, seriesColor } from "./chart-types.ts";
import { colorLegend, colorOf, colorScale, numberOf } from "./color-scale.ts";

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
    visualMap: colorLegend(fields, scale, theme),
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

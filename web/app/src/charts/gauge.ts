/** Gauges: a dial with a needle or an arc for each value. */

import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { type ChartFields, type ChartTheme, seriesColor } from "./chart-types.ts";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";
import { bandColors, gaugeScale } from "./gauge-scale.ts";

/** Gauges of a chart, at most. */
const GAUGES_MAX = 24;

/** The value of a gauge with its name. */
export interface Gauge {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

/** The gauges of a chart: one for each value, named by its category, or by its series when there are several. */
export function gaugesOf(series: readonly ChartSeriesDetails[], names: readonly string[]): readonly Gauge[] {
  const gauges = series.flatMap(({ values, categories, texts }, index) =>
    values.flatMap((value, at): Gauge[] => {
      const category = categories[at] ?? "";
      const own = series.length === 1 ? (category || (values.length === 1 ? (names[index] ?? "") : String(at + 1))) : [names[index], category].filter(Boolean).join(", ");
      return value === null ? [] : [{ name: own, value, text: texts[at] ?? "" }];
    }),
  );
  return gauges.slice(0, GAUGES_MAX);
}

/** Angles of the ends of a dial, in degrees against the clock from the right. */
const START_ANGLE = 210;
const END_ANGLE = -30;
/** Height of a dial below its center, as a part of its radius: the sine of 30°. */
const BELOW = 0.5;

/** Dials from this radius on have room for the ends of the scale. */
const LABELED_RADIUS_PX = 64;

/** The options of a chart of gauges. `topPx` and `bottomPx` are the space for titles. */
export function gaugeOption(fields: ChartFields, series: readonly ChartSeriesDetails[], names: readonly string[], theme: ChartTheme, { topPx, bottomPx }: { readonly topPx: number; readonly bottomPx: number }): EChartsCoreOption {
  const gauges = gaugesOf(series, names);
  const [min, max] = gaugeScale(gauges.map(({ value }) => value), fields);
  const bands = bandColors(fields.stops ?? [], [min, max], theme.line);
  const hasBands = (fields.stops ?? []).length > 0;
  const { width, height } = { ...DEFAULT_CHART_SIZE, ...fields };
  const area = { width: width - 16, height: Math.max(40, height - topPx - bottomPx) };
  const columns = columnsOf(gauges.length, area);
  const rows = Math.ceil(gauges.length / columns);
  const cell = { width: area.width / columns, height: area.height / rows };
  // The name stands below the dial.
  const namePx = 20;
  const radiusPx = Math.max(16, Math.min(cell.width / 2 - 10, (cell.height - namePx - 8) / (1 + BELOW)));
  const arcPx = Math.max(6, radiusPx * 0.18);
  const hasEnds = radiusPx >= LABELED_RADIUS_PX;
  // The value of a dial with a needle stands between the ends of the scale.
  const endsPx = hasBands && hasEnds ? 7 * (theme.showNumber(min).length + theme.showNumber(max).length) : 0;
  const fontPx = (text: string): number => Math.max(10, Math.min(28, radiusPx * 0.26, (1.3 * radiusPx - endsPx) / (0.6 * Math.max(1, text.length))));
  const color = seriesColor(fields.series?.[0]?.color, 0, theme.isDark);
  return {
    series: gauges.map(({ name, value, text }, index) => {
      const [column, row] = [index % columns, Math.floor(index / columns)];
      const inRow = row === rows - 1 ? gauges.length - row * columns : columns;
      const left = 8 + (area.width - inRow * cell.width) / 2 + column * cell.width;
      const top = topPx + row * cell.height + (cell.height - radiusPx * (1 + BELOW) - namePx) / 2;
      return {
        type: "gauge",
        // Percentages, because a chart can be drawn smaller than its size.
        center: [`${((left + cell.width / 2) / width) * 100}%`, `${((top + radiusPx) / height) * 100}%`],
        radius: `${(radiusPx / (Math.min(width, height) / 2)) * 100}%`,
        startAngle: START_ANGLE,
        endAngle: END_ANGLE,
        min,
        max,
        splitNumber: 1,
        axisLine: { lineStyle: { width: arcPx, color: bands } },
        progress: { show: !hasBands, width: arcPx, itemStyle: { color } },
        pointer: { show: hasBands, length: "62%", width: Math.max(3, radiusPx * 0.05), itemStyle: { color: theme.ink } },
        anchor: { show: hasBands, showAbove: true, size: Math.max(6, radiusPx * 0.1), itemStyle: { color: theme.ink } },
        axisTick: { show: false },
        splitLine: { show: false, length: 0 },
        // In a small dial, the ends of the scale would lie over the value.
        axisLabel: { show: hasEnds, distance: arcPx + 4, color: theme.softInk, fontFamily: theme.font, fontSize: 11, formatter: (end: number) => theme.showNumber(end) },
        title: { offsetCenter: [0, radiusPx * BELOW + namePx / 2], color: theme.softInk, fontFamily: theme.font, fontSize: 12, width: cell.width - 8, overflow: "truncate" },
        detail: { offsetCenter: [0, radiusPx * (hasBands ? 0.36 : 0)], color: theme.ink, fontFamily: theme.font, fontSize: fontPx(text || theme.showNumber(value)), formatter: () => text || theme.showNumber(value) },
        data: [{ name, value }],
      };
    }),
    tooltip: { show: false },
  };
}

/** The number of dials in a row with which they are largest. */
function columnsOf(count: number, area: { readonly width: number; readonly height: number }): number {
  const radiusOf = (columns: number): number => Math.min(area.width / columns / 2, area.height / Math.ceil(count / columns) / (1 + BELOW));
  return Array.from({ length: Math.max(1, count) }, (_, at) => at + 1).reduce((best, columns) => (radiusOf(columns) > radiusOf(best) + 0.5 ? columns : best), 1);
}

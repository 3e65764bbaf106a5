import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import { type ChartFields, chartOption, type ChartTheme, describeChart } from "./chart-options.ts";
import { type Point, type Trend, trendLine, trendValues } from "./trend-lines.ts";

/** The published examples have six digits. */
function near(actual: readonly (number | null)[], expected: readonly (number | null)[]): void {
  assert.equal(actual.length, expected.length);
  expected.forEach((value, at) => {
    const number = actual[at] ?? null;
    assert.ok(number === value || Math.abs((number ?? Number.NaN) - (value ?? Number.NaN)) < 2e-6 * Math.abs(value ?? 1), `${at}: ${number}, not ${value}`);
  });
}

const ends = (trend: Trend, points: readonly Point[]) => {
  const line = trendLine(trend, points);
  return [line[0], line.at(-1)].map((point) => point?.[1] ?? null);
};

test("a linear trend equals SLOPE and INTERCEPT in Microsoft's examples", () => {
  // SLOPE(A3:A9,B3:B9) is 0.305556 in the example; INTERCEPT of the first five points is 0.0483871.
  const ys = [2, 3, 9, 1, 8, 7, 5];
  const xs = [6, 5, 11, 7, 5, 4, 4];
  const points = xs.map((x, at): Point => [x, ys[at] ?? 0]);
  const [low, high] = ends("linear", points);
  near([((high ?? 0) - (low ?? 0)) / 7], [0.305556]);
  const five = ends("linear", points.slice(0, 5));
  near([(five[0] ?? 0) - (5 * ((five[1] ?? 0) - (five[0] ?? 0))) / 6], [0.0483871]);
});

test("an exponential trend equals GROWTH in Microsoft's example", () => {
  const units = [33_100, 47_300, 69_000, 102_000, 150_000, 220_000];
  const expected = [32_618.20377, 47_729.42261, 69_841.30086, 102_197.0734, 149_542.4867, 218_821.8762];
  near(trendValues("exponential", units), expected);
  // The example numbers the months 11 to 16; the curve is the same.
  near(ends("exponential", units.map((unit, at) => [11 + at, unit])), [32_618.20377, 218_821.8762]);
  near(trendValues("exponential", [1, 0, 2]), [null, null, null]);
});

test("logarithmic and quadratic trends equal the results of Python's fractions and statistics modules", () => {
  const points: readonly Point[] = [[6, 12], [1, 1], [2, 2], [3, 3.5], [4, 7]];
  near(ends("logarithmic", points), [-0.7642217765429304, 9.806874424063428]);
  near(ends("polynomial", points), [0.7835051546391752, 12.149484536082474]);
  near(trendLine("polynomial", points).filter(([x]) => Math.abs(x - 3.5) < 1e-9).map(([, y]) => y), [5.12951030927835]);
  near(trendValues("logarithmic", [1, 2, 3.5, 7, null, 12]).slice(5), [9.806874424063428]);
  // An offset of the x values does not change the curve.
  const far = points.map(([x, y]): Point => [x + 45_000, y]);
  near(ends("polynomial", far), [0.7835051546391752, 12.149484536082474]);
});

test("a moving average starts at the second point and follows the order of the x values", () => {
  near(trendValues("movingAverage", [4, 8, null, 2, 10]), [null, 6, null, 5, 6]);
  assert.deepEqual(trendLine("movingAverage", [[3, 2], [1, 4], [2, 8]]), [[2, 6], [3, 5]]);
});

test("too few points have no trend", () => {
  near(trendValues("linear", [5, null]), [null, null]);
  assert.deepEqual(trendLine("polynomial", [[1, 1], [2, 2]]), []);
  assert.deepEqual(trendLine("linear", []), []);
});

const THEME: ChartTheme = {
  isDark: false,
  ink: "#000",
  softInk: "#444",
  line: "#ccc",
  paper: "#fff",
  font: "sans-serif",
  totalName: "Total",
  boxNames: [],
  otherName: "Other",
  seriesName: (number) => `Series ${number}`,
  trendName: (series) => `Trendline of ${series}`,
  showNumber: String,
  animates: false,
};

test("a trend line is drawn on the axis and in the color of its series, and both ends are described", () => {
  const series: ChartSeriesDetails[] = [
    { name: "North", categories: ["a", "b", "c"], positions: [], values: [3, 5, 7], sizes: [], texts: ["3", "5", "7"], isCutShort: false },
  ];
  const fields: ChartFields = { type: "column", series: [{ trendline: "linear", axis: "secondary", color: "#123456" }] };
  const drawn = (of: ChartFields) => (chartOption(of, series, THEME)["series"] as Record<string, unknown>[])[1];
  const { name, type, data, yAxisIndex, itemStyle } = drawn(fields) ?? {};
  assert.deepEqual({ name, type, yAxisIndex, itemStyle }, { name: "Trendline of North", type: "line", yAxisIndex: 1, itemStyle: { color: "#123456" } });
  near(data as number[], [3, 5, 7]);
  assert.equal(describeChart(fields, series, THEME), "North: a 3, b 5, c 7; Trendline of North: 3, 7");
  for (const without of [{ stacking: "stacked" }, { type: "pie" }, { type: "radar" }]) {
    assert.equal(drawn({ ...fields, ...without }), undefined);
    assert.equal(describeChart({ ...fields, ...without }, series, THEME), "North: a 3, b 5, c 7");
  }
});

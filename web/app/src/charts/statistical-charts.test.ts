import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import { boxOf } from "./box-plot.ts";
import { type ChartFields, chartOption, type ChartTheme } from "./chart-options.ts";
import { histogramBins } from "./histogram.ts";
import { stockPoints, stockSeries } from "./stock.ts";
import { waterfallSteps } from "./waterfall.ts";

function bins(...series: readonly (readonly (number | null)[])[]): string {
  return histogramBins(series).map(({ from, to, counts }) => `${from}–${to}: ${counts.join("/")}`).join(", ");
}

test("the bins of a histogram begin at round numbers", () => {
  // σ is 10.54 and n 8: Scott's width is 18.4.
  assert.equal(bins([52, 58, 61, 64, 69, 71, 75, 86]), "40–60: 2, 60–80: 5, 80–100: 1");
  assert.equal(bins([0.12, 0.18, 0.25, 0.31, null]), "0–0.2: 2, 0.2–0.4: 2");
  assert.equal(bins([-3, -1, 2, 4], [1]), "-5–0: 2/0, 0–5: 2/1");
  assert.equal(bins([7, 7, 7]), "7–8: 3");
  assert.equal(bins([null]), "");
});

test("a number at the end of a bin is in the next one, and the greatest in the last", () => {
  assert.equal(bins([0, 10, 10, 20]), "0–20: 4");
  assert.equal(bins(Array.from({ length: 40 }, (_, at) => (at % 4) / 10)), "0–0.1: 10, 0.1–0.2: 10, 0.2–0.3: 20");
  assert.equal(bins(Array.from({ length: 101 }, (_, at) => at)), "0–20: 20, 20–40: 20, 40–60: 20, 60–80: 20, 80–100: 21");
});

test("far numbers do not make more bins than can be shown", () => {
  assert.ok(histogramBins([[...Array.from({ length: 10_000 }, (_, at) => at % 10), 1e6]]).length <= 100);
});

test("a box has the quartiles of QUARTILE.EXC", () => {
  // The example of Microsoft's description of QUARTILE.EXC.
  assert.deepEqual(boxOf([6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49])?.five, [6, 15, 40, 43, 49]);
  assert.deepEqual(boxOf([3]), { five: [3, 3, 3, 3, 3], outliers: [] });
  assert.deepEqual(boxOf([1, 2])?.five, [1, 1, 1.5, 2, 2]);
  assert.equal(boxOf([null]), undefined);
});

test("numbers beyond the whiskers are outliers", () => {
  assert.deepEqual(boxOf([1, 2, 3, 4, 5, 6, 7, 100]), { five: [1, 2.25, 4.5, 6.75, 7], outliers: [100] });
});

test("a waterfall adds its numbers, also below zero", () => {
  assert.deepEqual(waterfallSteps([100, -120, null, 50]), [
    [{ from: 0, to: 100 }, { from: 100, to: -20 }, { from: -20, to: -20 }, { from: -20, to: 30 }],
    { from: 0, to: 30 },
  ]);
});

test("the first series of a stock chart has the volumes if its type is column", () => {
  const parts = (series: string, firstType?: string): string => {
    const found = stockSeries([...series], firstType);
    return found ? `${found.volumes ?? "–"} ${found.prices.join("")}` : "";
  };
  assert.deepEqual([parts("OHLC"), parts("HLC"), parts("VOHLC", "column"), parts("VHLC", "column")], ["– OHLC", "– HLC", "V OHLC", "V HLC"]);
  // Two or five prices are none.
  assert.deepEqual([parts("HL"), parts("VOHLC"), parts("VHL", "column")], ["", "", ""]);
});

test("both axes of a scatter chart have limits and can be logarithmic", () => {
  const theme = { isDark: false, showNumber: String, seriesName: String } as Partial<ChartTheme> as ChartTheme;
  const points = { name: "", categories: [], positions: [1, 10, 100], values: [5, 6, 7], sizes: [], texts: [], labels: [], isCutShort: false };
  const xAxis = (fields: ChartFields): unknown => {
    const option = chartOption({ series: [{}], ...fields }, [points], theme);
    const { type, min, max } = [option["xAxis"]].flat()[0] as { type: string; min?: number; max?: number };
    return { type, min, max };
  };
  assert.deepEqual(xAxis({ type: "scatter", xMin: 1, xMax: 1_000, xLogarithmic: true }), { type: "log", min: 1, max: 1_000 });
  assert.deepEqual(xAxis({ type: "bubble" }), { type: "value", min: undefined, max: undefined });
  // Names of points have neither.
  assert.deepEqual(xAxis({ type: "line", xMin: 1, xLogarithmic: true }), { type: "category", min: undefined, max: undefined });
});

test("the horizontal axis of a scatter chart has dates and units as the cells have", () => {
  const theme = { language: "en", isDark: false, showNumber: String, seriesName: String } as Partial<ChartTheme> as ChartTheme;
  const labels = (series: Partial<ChartSeriesDetails>, ...positions: readonly number[]): string[] => {
    const whole = { name: "", categories: [], positions: [], values: [5, 6], sizes: [], texts: [], labels: [], isCutShort: false, ...series };
    const option = chartOption({ type: "scatter", series: [{}] }, [whole], theme);
    const axis = [option["xAxis"]].flat()[0] as { axisLabel: { formatter: (position: number) => string } };
    return positions.map(axis.axisLabel.formatter);
  };
  // 46,023 is 1 January 2026 in Excel, and 44,561 in its 1904 date system.
  assert.deepEqual(labels({ positions: [46_023, 46_054], categories: ["1 Jan", "1 Feb"], dateOffset: 0 }, 46_023, 46_040.5), ["1/1/2026", "1/18/2026"]);
  assert.deepEqual(labels({ positions: [44_561, 44_592], dateOffset: 1_462 }, 44_561), ["1/1/2026"]);
  assert.deepEqual(labels({ positions: [10, 20], categories: ["10 km", "20 km"] }, 15), ["15 km"]);
  assert.deepEqual(labels({ positions: [10, 20], categories: ["10", "20"] }, 15), ["15"]);
});

test("below the lowest price is space for the volumes, but none below zero or on a logarithmic axis", () => {
  const theme = { isDark: false, showNumber: String, seriesName: String } as Partial<ChartTheme> as ChartTheme;
  const one = (...values: number[]) => ({ name: "", categories: [], positions: [], values, sizes: [], texts: [], labels: [], isCutShort: false });
  const spaceFor = (low: number, high: number, yLogarithmic = false): unknown => {
    const option = chartOption({ type: "stock", yLogarithmic, series: [{ type: "column" }, {}, {}, {}] }, [one(500), one(high), one(low), one(high)], theme);
    return (option["yAxis"] as readonly { boundaryGap?: readonly unknown[] }[])[0]?.boundaryGap?.[0];
  };
  // A third of the range of prices is a quarter of the height.
  assert.equal(Math.round(parseFloat(String(spaceFor(90, 120)))), 33);
  assert.equal(spaceFor(10, 110), "10%");
  assert.equal(spaceFor(7, 7), 0);
  assert.equal(spaceFor(10, 110, true), undefined);
});

test("a stock chart takes its prices from four series, or from three without the opening ones", () => {
  assert.deepEqual(stockPoints([[10, null, 12], [14, 15, null], [9, 11, null], [13, 12, 11]]), [
    { open: 10, high: 14, low: 9, close: 13 },
    { open: 12, high: 15, low: 11, close: 12 },
    { open: 12, high: 12, low: 11, close: 11 },
  ]);
  assert.deepEqual(stockPoints([[14], [9, null], [13]]), [{ open: 13, high: 14, low: 9, close: 13 }, undefined]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import { type ChartFields, chartOption, type ChartTheme, describeChart } from "./chart-options.ts";
import { categoryPoints, type Point, rSquared, type Trend, trendEquation, type TrendFields, trendLine, trendValues } from "./trend-lines.ts";

/** The published examples have six digits. */
function near(actual: readonly (number | null)[], expected: readonly (number | null)[]): void {
  assert.equal(actual.length, expected.length);
  expected.forEach((value, at) => {
    const number = actual[at] ?? null;
    assert.ok(number === value || Math.abs((number ?? Number.NaN) - (value ?? Number.NaN)) < 2e-6 * Math.abs(value ?? 1), `${at}: ${number}, not ${value}`);
  });
}

const ends = (trend: Trend, points: readonly Point[]) => {
  const line = trendLine({ trendline: trend }, points);
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
  near(trendValues({ trendline: "exponential" }, units), expected);
  // The example numbers the months 11 to 16; the curve is the same.
  near(ends("exponential", units.map((unit, at) => [11 + at, unit])), [32_618.20377, 218_821.8762]);
  near(trendValues({ trendline: "exponential" }, [1, 0, 2]), [null, null, null]);
});

test("logarithmic and quadratic trends equal the results of Python's fractions and statistics modules", () => {
  const points: readonly Point[] = [[6, 12], [1, 1], [2, 2], [3, 3.5], [4, 7]];
  near(ends("logarithmic", points), [-0.7642217765429304, 9.806874424063428]);
  near(ends("polynomial", points), [0.7835051546391752, 12.149484536082474]);
  near(trendLine({ trendline: "polynomial" }, points).filter(([x]) => Math.abs(x - 3.5) < 1e-9).map(([, y]) => y), [5.12951030927835]);
  near(trendValues({ trendline: "logarithmic" }, [1, 2, 3.5, 7, null, 12]).slice(5), [9.806874424063428]);
  // An offset of the x values does not change the curve.
  const far = points.map(([x, y]): Point => [x + 45_000, y]);
  near(ends("polynomial", far), [0.7835051546391752, 12.149484536082474]);
});

test("a moving average starts at the second point and follows the order of the x values", () => {
  near(trendValues({ trendline: "movingAverage" }, [4, 8, null, 2, 10]), [null, 6, null, 5, 6]);
  assert.deepEqual(trendLine({ trendline: "movingAverage" }, [[3, 2], [1, 4], [2, 8]]), [[2, 6], [3, 5]]);
});

/** numpy 2.4 calculated the factors (polyfit) and R² (from its residuals) of these values. */
const VALUES = [3.1, 4.9, 9.2, 15.8, 26.5, 41];
/** The equation with six significant digits. */
const equation = (fields: TrendFields, points = categoryPoints(VALUES)) => trendEquation(fields, points, (factor) => String(Number(factor.toPrecision(6))));

test("equations and R² equal the results of numpy", () => {
  const points = categoryPoints(VALUES);
  const cases: readonly (readonly [TrendFields, string, number])[] = [
    [{ trendline: "linear" }, "y = 7.45429x - 9.34", 0.9106895848175612],
    [{ trendline: "exponential" }, "y = 1.81646 e^(0.529011x)", 0.9974873510286335],
    [{ trendline: "logarithmic" }, "y = 18.8191 ln(x) - 3.88588", 0.7281915311747984],
    [{ trendline: "polynomial" }, "y = 1.59107x² - 3.68321x + 5.51", 0.9992004067202493],
    [{ trendline: "polynomial", trendlineOrder: 3 }, "y = 0.110185x³ + 0.434127x² - 0.190344x + 2.73333", 0.9999371932363433],
    [{ trendline: "polynomial", trendlineOrder: 4 }, "y = -0.00208333x⁴ + 0.139352x³ + 0.295139x² + 0.0679894x + 2.58333", 0.9999375277102326],
  ];
  for (const [fields, expected, determination] of cases) {
    assert.equal(equation(fields), expected);
    assert.ok(Math.abs((rSquared(fields, points) ?? 0) - determination) < 1e-10, `${expected}: ${rSquared(fields, points)}`);
  }
  // Far from 0, as dates are.
  const far = points.map(([x, y]): Point => [x + 45_000, y]);
  assert.ok(Math.abs((rSquared({ trendline: "polynomial", trendlineOrder: 3 }, far) ?? 0) - 0.9999371932363298) < 1e-9);
});

test("trend lines with a fixed intercept equal the results of numpy", () => {
  // `numpy.linalg.lstsq` of the values less the intercept, without a column of ones.
  const points = categoryPoints(VALUES);
  const cases: readonly (readonly [TrendFields, string, number])[] = [
    [{ trendline: "linear", trendlineIntercept: 0 }, "y = 5.2989x", 0.9287498354833833],
    [{ trendline: "linear", trendlineIntercept: 2 }, "y = 4.83736x + 2", 0.8972913776908468],
    [{ trendline: "polynomial", trendlineIntercept: 5 }, "y = 1.55123x² - 3.37243x + 5", 0.9995068602355902],
    [{ trendline: "polynomial", trendlineOrder: 3, trendlineIntercept: 0 }, "y = 0.191952x³ - 0.476984x² + 2.81165x", 0.999766728696449],
    [{ trendline: "exponential", trendlineIntercept: 2.5 }, "y = 2.5 e^(0.455303x)", 0.9931533257293309],
  ];
  for (const [fields, expected, determination] of cases) {
    assert.equal(equation(fields), expected);
    assert.ok(Math.abs((rSquared(fields, points) ?? 0) - determination) < 1e-10, `${expected}: ${rSquared(fields, points)}`);
  }
  // One point and the intercept make a line; a point at zero does not.
  assert.equal(equation({ trendline: "linear", trendlineIntercept: 1 }, [[2, 5]]), "y = 2x + 1");
  assert.equal(equation({ trendline: "linear", trendlineIntercept: 1 }, [[0, 5]]), undefined);
  assert.equal(equation({ trendline: "exponential", trendlineIntercept: -1 }), undefined);
});

test("a forecast continues the trend before and after the points", () => {
  // `numpy.polyfit` of the values.
  near(trendValues({ trendline: "linear", trendlineForward: 2, trendlineBackward: 1 }, VALUES).slice(-2), [42.84, 50.2942857142857]);
  near(trendValues({ trendline: "linear", trendlineForward: 2, trendlineBackward: 1 }, VALUES).slice(0, 1), [-9.34]);
  near(trendValues({ trendline: "polynomial", trendlineBackward: 2 }, VALUES).slice(0, 2), [10.7842857142857, 5.51]);
  near(trendValues({ trendline: "exponential", trendlineForward: 2 }, VALUES).slice(6), [73.69731779, 125.08298533]);
  near(trendValues({ trendline: "logarithmic", trendlineForward: 2, trendlineBackward: 1 }, VALUES).slice(-2), [32.73430596, 35.2472402]);
  assert.equal(trendValues({ trendline: "logarithmic", trendlineBackward: 1 }, VALUES)[0], null);
  assert.equal(trendValues({ trendline: "movingAverage", trendlineForward: 2 }, VALUES).length, VALUES.length);
  const points: readonly Point[] = [[2, 10], [4, 14]];
  const line = trendLine({ trendline: "linear", trendlineForward: 1.5, trendlineBackward: 0.5 }, points);
  near(line.flat(), [1.5, 9, 5.5, 17]);
});

test("an equation omits terms of 0 and factors of 1", () => {
  assert.equal(equation({ trendline: "linear" }, [[0, 0], [1, 1], [3, 3]]), "y = x");
  assert.equal(equation({ trendline: "linear" }, [[0, 0.3], [1, 0.2], [3, 0]]), "y = -0.1x + 0.3");
  assert.equal(equation({ trendline: "linear" }, [[1, 5], [2, 5]]), "y = 5");
  assert.equal(equation({ trendline: "polynomial" }, [[-1, 1], [0, 0], [1, 1], [2, 4]]), "y = x²");
  assert.equal(equation({ trendline: "logarithmic" }, [[1, 2], [Math.E, 1]]), "y = -ln(x) + 2");
  assert.equal(rSquared({ trendline: "linear" }, [[1, 5], [2, 5]]), undefined);
  for (const fields of [{ trendline: "movingAverage" }, { trendline: "exponential" }, { trendline: "polynomial", trendlineOrder: 6 }]) {
    assert.equal(equation(fields, [[1, 4], [2, -1], [3, 2]]), undefined);
    assert.equal(rSquared(fields, [[1, 4], [2, -1], [3, 2]]), undefined);
  }
});

test("a polynomial has the order of its series, a moving average its number of points", () => {
  near(trendValues({ trendline: "polynomial", trendlineOrder: 3 }, [1, 8, 27, 64, 125]), [1, 8, 27, 64, 125]);
  near(trendValues({ trendline: "movingAverage", trendlinePeriod: 3 }, [3, 6, 9, 0]), [null, null, 6, 5]);
});

test("too few points have no trend", () => {
  near(trendValues({ trendline: "linear" }, [5, null]), [null, null]);
  assert.deepEqual(trendLine({ trendline: "polynomial" }, [[1, 1], [2, 2]]), []);
  assert.deepEqual(trendLine({ trendline: "linear" }, []), []);
});

const THEME: ChartTheme = {
  language: "en",
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
  errorBarsName: (series) => `Error bars of ${series}`,
  notOnMap: (names) => `Not on the map: ${names}`,
  showNumber: String,
  showFactor: (number) => String(Number(number.toPrecision(5))),
  showEquation: String,
  animates: false,
};

test("a trend line is drawn on the axis and in the color of its series, and both ends are described", () => {
  const series: ChartSeriesDetails[] = [
    { name: "North", categories: ["a", "b", "c"], positions: [], values: [3, 5, 7], sizes: [], texts: ["3", "5", "7"], labels: [], isCutShort: false },
  ];
  const fields: ChartFields = { type: "column", series: [{ trendline: "linear", axis: "secondary", color: "#123456" }] };
  const drawn = (of: ChartFields) => (chartOption(of, series, THEME)["series"] as Record<string, unknown>[])[1];
  const { name, type, data, yAxisIndex, itemStyle } = drawn(fields) ?? {};
  assert.deepEqual({ name, type, yAxisIndex, itemStyle }, { name: "Trendline of North", type: "line", yAxisIndex: 1, itemStyle: { color: "#123456" } });
  near(data as number[], [3, 5, 7]);
  assert.equal(describeChart(fields, series, THEME), "North: a 3, b 5, c 7; Trendline of North: 3, 7");
  const withTexts = { ...fields, series: [{ ...fields.series?.[0], trendlineEquation: true, trendlineRSquared: true }] };
  const { show, formatter } = drawn(withTexts)?.["endLabel"] as { readonly show: boolean; readonly formatter: string };
  assert.deepEqual({ show, formatter }, { show: true, formatter: "y = 2x + 1\nR² = 1" });
  assert.equal(describeChart(withTexts, series, THEME), "North: a 3, b 5, c 7; Trendline of North: 3, 7, y = 2x + 1, R² = 1");
  const forecast = { ...fields, series: [{ ...fields.series?.[0], trendlineForward: 2, trendlineBackward: 1 }] };
  near(drawn(forecast)?.["data"] as number[], [1, 3, 5, 7, 9, 11]);
  const option = chartOption(forecast, series, THEME);
  assert.deepEqual((option["xAxis"] as { readonly data: unknown }).data, ["", "a", "b", "c", "", ""]);
  assert.deepEqual((option["series"] as { readonly data: unknown }[])[0]?.data, [null, 3, 5, 7]);
  assert.equal(describeChart(forecast, series, THEME), "North: a 3, b 5, c 7; Trendline of North: 1, 11");
  assert.equal((drawn(fields)?.["endLabel"] as { readonly show: boolean }).show, false);
  for (const without of [{ stacking: "stacked" }, { type: "pie" }, { type: "radar" }]) {
    assert.equal(drawn({ ...fields, ...without }), undefined);
    assert.equal(describeChart({ ...fields, ...without }, series, THEME), "North: a 3, b 5, c 7");
  }
});

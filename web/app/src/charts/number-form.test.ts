import assert from "node:assert/strict";
import { test } from "node:test";
import { chartOption, type ChartFields, type ChartTheme } from "./chart-options.ts";
import { numberForm } from "./number-form.ts";

const showNumber = (number: number): string => new Intl.NumberFormat("en", { maximumFractionDigits: 10 }).format(number);

function shown(values: readonly (number | null)[], texts: readonly string[], ...numbers: readonly number[]): string {
  const form = numberForm([{ values: [...values], texts: [...texts] }], showNumber);
  return numbers.map(form).join(" ");
}

test("numbers are shown with the currency, the unit or the percent sign of their cells", () => {
  assert.equal(shown([1250.7, -3], ["€1,250.70", "-€3.00"], 2_000, -500), "€2,000 -€500");
  assert.equal(shown([1250.7], ["1.250,70 €"], 2_000.5), "2,000.5 €");
  assert.equal(shown([-12], ["($12)"], 20), "$20");
  assert.equal(shown([0.256, 0.07], ["26%", "7%"], 0.07, 1), "7% 100%");
  assert.equal(shown([3], ["3 kg"], 4), "4 kg");
  assert.equal(shown([0, null, 5], ["–", "", "5 kg"], 4), "4 kg");
});

test("texts that are not the number leave the axis as it is", () => {
  assert.equal(shown([5], ["5"], 1_000), "1,000");
  // Thousands, a date, a time and an exponent.
  assert.equal(shown([1_250_000], ["1,250 K"], 1_000), "1,000");
  assert.equal(shown([45_413], ["2024-05-01"], 45_000), "45,000");
  assert.equal(shown([0.5625], ["1:30 PM"], 0.5), "0.5");
  assert.equal(shown([120_000], ["1.2E+05 m"], 1_000), "1,000");
  assert.equal(shown([5], ["5 pieces of something"], 1_000), "1,000");
  assert.equal(shown([], [], 1_000), "1,000");
});

test("series with different units share an axis without one", () => {
  const form = numberForm([{ values: [5], texts: ["$5"] }, { values: [6], texts: ["6 kg"] }], showNumber);
  assert.equal(form(7), "7");
});

test("a number that is rounded differently does not decide", () => {
  // 1.005 is a little less in binary; spreadsheets round the decimal digits.
  assert.equal(shown([1.005, 2, 3], ["$1.01", "$2.00", "$3.00"], 4), "$4");
});

/** What the tooltips of the points of a column or line chart show. */
function tooltips(fields: ChartFields): unknown[] {
  const theme = { isDark: false, showNumber, showFactor: showNumber, seriesName: String, trendName: String } as Partial<ChartTheme> as ChartTheme;
  const one = { name: "", categories: [], positions: [], values: [0.4, null, 0.1], sizes: [], texts: ["40.0%", "", "10.0%"], labels: [], isCutShort: false };
  const option = chartOption(fields, [one], theme);
  const [drawn] = option["series"] as { data: (number | null)[]; tooltip: { valueFormatter: (value: number | null, index: number) => string } }[];
  return drawn?.data.map((value, index) => drawn.tooltip.valueFormatter(value, index)) ?? [];
}

test("the tooltip of a point shows what its cell shows", () => {
  assert.deepEqual(tooltips({ type: "line" }), ["40.0%", "–", "10.0%"]);
  // Of a stack of 100 %, also its share.
  assert.deepEqual(tooltips({ type: "column", stacking: "percent" }), ["40.0% (100%)", "–", "10.0% (100%)"]);
  // A trendline may begin before the first point.
  assert.deepEqual(tooltips({ type: "line", series: [{ trendline: "linear", trendlineBackward: 1 }] }), ["–", "40.0%", "–", "10.0%"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { ChartFields, ChartTheme } from "./chart-types.ts";
import { colorOf, colorScale } from "./color-scale.ts";
import { heatMap } from "./heat-map.ts";

const PAPER = { isDark: false, paper: "#ffffff" };

test("colors go from a light one at the least value to the full one at the greatest", () => {
  const scale = colorScale([2, 10, 6], {}, "#000000", PAPER);
  assert.deepEqual(scale, { min: 2, max: 10, colors: ["#e6e6e6", "#000000"] });
  assert.deepEqual([2, 6, 10].map((value) => colorOf(scale, value)), ["#e6e6e6", "#737373", "#000000"]);
  assert.deepEqual([-5, 99].map((value) => colorOf(scale, value)), ["#e6e6e6", "#000000"], "beyond the ends");
  assert.equal(colorOf(colorScale([7, 7], {}, "#000000", PAPER), 7), "#000000");
  assert.deepEqual(colorScale([2, 10], { yMin: 0, yMax: 20 }, "#000000", PAPER), { min: 0, max: 20, colors: ["#e6e6e6", "#000000"] });
});

test("colors of style sheets may have three digits", () => {
  assert.deepEqual(colorScale([2, 10], {}, "#000", { isDark: false, paper: "#fff" }).colors, ["#e6e6e6", "#000"]);
  assert.equal(colorOf({ min: 0, max: 2, colors: ["#fff", "#000"] }, 1), "#808080");
});

test("values on both sides of zero have two colors of equal reach", () => {
  const scale = colorScale([-2, 8], {}, "#000000", PAPER);
  assert.deepEqual([scale.min, scale.max, scale.colors.length], [-8, 8, 3]);
  assert.deepEqual([colorOf(scale, 0), colorOf(scale, 8), colorOf(scale, -8)], ["#e6e6e6", "#000000", scale.colors[0]]);
  assert.equal(colorScale([-2, 8], { yMin: -2 }, "#000000", PAPER).colors.length, 2, "a minimum of its own");
});

test("each series is a row, and cells without numbers are empty", () => {
  const one = (name: string, values: (number | null)[]): ChartSeriesDetails => ({ name, categories: ["a", "b"], positions: [], values, sizes: [], texts: values.map(String), labels: [], isCutShort: false });
  const fields: ChartFields = { type: "heatMap", series: [{ color: "#000000" }, { labels: true }] };
  const theme = { isDark: false, ink: "#000000", softInk: "#444444", line: "#cccccc", paper: "#ffffff", font: "sans-serif", showNumber: String } as Partial<ChartTheme> as ChartTheme;
  const option = heatMap(fields, [one("North", [1, null]), one("South", [3, 5])], ["North", "South"], theme, { grid: {}, categoryAxis: (names) => ({ type: "category", data: names }) });
  const [series] = option["series"] as { data: { value: number[]; label: { show: boolean; color: string; formatter: string } }[] }[];
  assert.deepEqual(series?.data.map(({ value }) => value), [[0, 0, 1], [0, 1, 3], [1, 1, 5]]);
  assert.deepEqual(series?.data.map(({ label }) => label.show && `${label.formatter} in ${label.color}`), [false, "3 in #ffffff", "5 in #ffffff"]);
  const axes = [option["xAxis"], option["yAxis"]] as { readonly data: readonly string[] }[];
  assert.deepEqual(axes.map(({ data }) => data), [["a", "b"], ["North", "South"]]);
});

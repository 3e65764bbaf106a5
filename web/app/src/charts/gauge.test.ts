import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import { gaugesOf } from "./gauge.ts";
import { bandColors, gaugeScale } from "./gauge-scale.ts";

function series(name: string, categories: string[], values: (number | null)[]): ChartSeriesDetails {
  return { name, categories, positions: [], values, sizes: [], texts: values.map((value) => (value === null ? "" : `${value} km`)), labels: [], isCutShort: false };
}

test("a gauge has the name of its category, or of its series", () => {
  const named = (...all: ChartSeriesDetails[]): string[] => gaugesOf(all, all.map(({ name }) => name)).map(({ name, text }) => `${name} ${text}`);
  assert.deepEqual(named(series("Speed", ["North", "South"], [40, 55])), ["North 40 km", "South 55 km"]);
  assert.deepEqual(named(series("Speed", [], [40])), ["Speed 40 km"]);
  assert.deepEqual(named(series("Speed", [], [40, null, 55])), ["1 40 km", "3 55 km"]);
  assert.deepEqual(named(series("Speed", ["May"], [40]), series("Height", ["May"], [7])), ["Speed, May 40 km", "Height, May 7 km"]);
});

test("the scale ends at 100, at 1 for parts, or at a round number above", () => {
  const cases: readonly (readonly [number[], [number, number]])[] = [
    [[40, 55], [0, 100]],
    [[0.4, 1], [0, 1]],
    [[0], [0, 100]],
    [[130], [0, 200]],
    [[1_000], [0, 1_000]],
    [[-3, 5_001], [-5, 10_000]],
    [[], [0, 100]],
  ];
  for (const [values, expected] of cases) {
    assert.deepEqual(gaugeScale(values, {}), expected, `${values}`);
  }
  assert.deepEqual(gaugeScale([40], { yMin: 20, yMax: 60 }), [20, 60]);
  assert.deepEqual(gaugeScale([40], { yMin: 300 }), [300, 301], "a maximum below the minimum");
});

test("a band reaches to the next one, the last to the end", () => {
  const bands = [{ value: 80, color: "#00ff00" }, { value: 0, color: "#ff0000" }, { value: 50, color: "#ffff00" }];
  assert.deepEqual(bandColors(bands, [0, 100], "#cccccc"), [[0.5, "#ff0000"], [0.8, "#ffff00"], [1, "#00ff00"]]);
  assert.deepEqual(bandColors([{ value: 75, color: "#ff0000" }], [50, 100], "#cccccc"), [[0.5, "#cccccc"], [1, "#ff0000"]]);
  assert.deepEqual(bandColors([], [0, 100], "#cccccc"), [[1, "#cccccc"]]);
  assert.deepEqual(bandColors([{ value: -10, color: "#ff0000" }, { value: 500, color: "#00ff00" }], [0, 100], "#cccccc"), [[1, "#ff0000"], [1, "#00ff00"]]);
});

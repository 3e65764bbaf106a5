import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { registerMap } from "echarts/core";
import { chartOption, describeChart } from "./chart-options.ts";
import type { ChartFields, ChartTheme } from "./chart-types.ts";
import * as countries from "./countries.ts";
import { project, stretch } from "./equal-area.ts";
import { mapValues } from "./map-chart.ts";
import { provideMapParts } from "./map-parts.ts";
import { viewOf, worldView } from "./map-view.ts";
import * as world from "./world-map.ts";

const registered: string[] = [];
provideMapParts({ countries, world, registerMap: ((name: string) => registered.push(name)) as unknown as typeof registerMap });

const THEME = {
  language: "de",
  isDark: false,
  ink: "#000000",
  softInk: "#444444",
  line: "#cccccc",
  paper: "#ffffff",
  font: "sans-serif",
  seriesName: (number: number) => `Series ${number}`,
  showNumber: String,
  notOnMap: (names: string) => `Not on the map: ${names}`,
} as Partial<ChartTheme> as ChartTheme;

function series(name: string, ...points: readonly (readonly [category: string, value: number | null])[]): ChartSeriesDetails {
  const values = points.map(([, value]) => value);
  return { name, categories: points.map(([category]) => category), positions: [], values, sizes: [], texts: values.map((value) => `${value} m`), labels: [], isCutShort: false };
}

interface Option {
  readonly title: object | readonly { readonly text: string }[];
  readonly geo: { readonly map: string };
  readonly visualMap: { readonly min: number; readonly max: number };
  readonly series: readonly { readonly data: readonly { readonly name: string; readonly value: unknown }[] }[];
  readonly tooltip: { readonly formatter: (point: { readonly name: string }) => string };
}

function option(fields: ChartFields, ...all: readonly ChartSeriesDetails[]): Option {
  return chartOption({ type: "map", ...fields }, all, THEME) as unknown as Option;
}

// Computed with geoEqualEarthRaw of d3-geo 3.1.1.
for (const [longitude, latitude, x, y] of [
  [0, 0, 0, 0],
  [30, 45, 0.386618166, 0.860231086],
  [-90, -30, -1.265850838, -0.59293512],
  [180, 0, 2.706629984, 0],
  [120, 80, 1.11351812, 1.288211196],
  [-60, 60, -0.679686696, 1.088300836],
] as const) {
  test(`${longitude}°, ${latitude}° is projected as by d3-geo`, () => {
    const point = project(longitude, latitude);
    assert.deepEqual(point.map((value) => value.toFixed(8)), [x, y].map((value) => value.toFixed(8)));
  });
}

test("a narrowed map shows small squares as squares", () => {
  for (const latitude of [-40, 0.5, 35, 60]) {
    const [width, top, bottom] = [project(0.01, latitude)[0], project(0, latitude + 0.005)[1], project(0, latitude - 0.005)[1]];
    const ratio = width / Math.cos((latitude * Math.PI) / 180) / (top - bottom);
    assert.ok(Math.abs(ratio / stretch(latitude) - 1) < 1e-3, `${latitude}`);
  }
});

test("no outline crosses the whole map", () => {
  for (const meridian of [11, -105, 150]) {
    for (const { geometry, properties } of world.mapAround(meridian).features as { geometry: { coordinates: number[][][][] }; properties: { name: string } }[]) {
      for (const ring of geometry.coordinates.flat()) {
        assert.ok(ring.every(([x = 0], at) => Math.abs(x - (ring[at - 1]?.[0] ?? x)) < 1), `${properties.name} around ${meridian}`);
      }
    }
  }
});

/** Countries, and the meridian in the middle of the map that shows them. */
for (const [codes, meridian] of [
  ["FR DE IT PL", 15],
  ["FR", 0],
  ["US CA", -105],
  ["FJ NZ WS TO", 180],
  ["BR AR CL", -60],
  ["US CN", 11],
  ["RU", 105],
  ["", 11],
] as const) {
  test(`a map of ${codes || "nothing"} is around ${meridian}°`, () => {
    const list = codes.split(" ").filter((code) => code !== "");
    const view = viewOf(list.flatMap((code) => [...world.mainParts(code)]), 1.6);
    assert.equal((view.meridian + 360) % 360, (meridian + 360) % 360);
    const { left, right, top, bottom } = view.box;
    assert.ok(right > left && top > bottom);
    if (meridian !== worldView().meridian) {
      assert.ok(Math.abs(((right - left) * view.narrowing) / (top - bottom) - 1.6) < 1e-9, "fills its frame");
    }
  });
}

test("values of a country are summed, and labels that are no country are listed", () => {
  const found = mapValues(series("Sales", ["France", 3], ["FRA", 4], ["Deutschland", 5], ["Total", 12], ["Atlantis", null], ["Gibraltar", 1], ["", 7]), { countries, world }, THEME);
  assert.deepEqual([...found.values], [["FR", { value: 7, text: "7" }], ["DE", { value: 5, text: "5 m" }]]);
  assert.deepEqual(found.unknown, ["Total", "Gibraltar"]);
});

test("a map has the values of the first series as colors, and those of all in its tooltips", () => {
  const { geo, visualMap, series: drawn, tooltip, title } = option({}, series("Sales", ["France", 3], ["Luxembourg", 9], ["Utopia", 1]), series("Costs", ["FR", 2]));
  assert.ok(registered.includes(geo.map));
  assert.deepEqual([visualMap.min, visualMap.max], [3, 9]);
  assert.deepEqual(drawn[0]?.data, [{ name: "FR", value: 3 }, { name: "LU", value: 9 }]);
  assert.equal(tooltip.formatter({ name: "FR" }), "Frankreich\nSales: 3 m\nCosts: 2 m");
  assert.equal(tooltip.formatter({ name: "LU" }), "Luxemburg\nSales: 9 m\nCosts: –");
  assert.equal(tooltip.formatter({ name: "PL" }), "Polen\n–");
  assert.deepEqual((title as readonly { text: string }[]).map(({ text }) => text), ["", "Not on the map: Utopia"]);
});

test("countries that are too small to be seen are circles", () => {
  const small = (...all: readonly (readonly [string, number])[]) => option({}, series("Sales", ...all)).series[1]?.data.map(({ name }) => name);
  assert.deepEqual(small(["Singapore", 1], ["China", 2], ["Brazil", 3]), ["SG"]);
  assert.deepEqual(small(["Luxembourg", 1], ["Belgium", 2]), [], "on a map of its neighbors");
});

test("the ends of the scale can be set, and the labels that are no country are described", () => {
  const sales = series("Sales", ["France", 3], ["Utopia", 1]);
  assert.deepEqual([option({ yMin: 0, yMax: 10 }, sales).visualMap.min, option({ yMin: 0, yMax: 10 }, sales).visualMap.max], [0, 10]);
  assert.equal(describeChart({ type: "map" }, [sales], THEME), "Sales: France 3 m, Utopia 1 m; Not on the map: Utopia");
  assert.equal(describeChart({ type: "column" }, [sales], THEME), "Sales: France 3 m, Utopia 1 m");
});

/** Maps of the world: countries colored by the values of the first series, whose labels name them. */

import type { ChartSeriesDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { tooltip } from "./chart-parts.ts";
import { type ChartFields, type ChartTheme, seriesColor } from "./chart-types.ts";
import { colorLegend, colorScale, LEAST_SHARE_ON_MAP, mixed } from "./color-scale.ts";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";
import { type Bounds, boundsAround } from "./equal-area.ts";
import { type MapParts, mapParts } from "./map-parts.ts";
import { type MapView, viewOf } from "./map-view.ts";

/** Smaller countries are a circle, in CSS pixels. */
const COUNTRY_PX_MIN = 6;
const CIRCLE_PX = 9;
/** Height of the line that names labels that are no country. */
const NOTE_PX = 18;
/** Names in the description, at most. */
const NAMES_MAX = 60;
/** Part of the ink in the color of countries without a value. */
const BLANK_SHARE = 0.05;

/** Space that a chart gives to a map, and its title. */
interface MapFrame {
  readonly grid: { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };
  readonly title: object;
}

/** A country of the data. */
export interface MapValue {
  readonly value: number;
  /** The displayed value. */
  readonly text: string;
}

/** The values of countries by their codes, and the labels that are no country on the map. */
export interface MapValues {
  readonly values: ReadonlyMap<string, MapValue>;
  readonly unknown: readonly string[];
}

/** Finds the countries of a series. Several values of one country are summed. */
export function mapValues(series: ChartSeriesDetails | undefined, { countries, world }: Pick<MapParts, "countries" | "world">, { showNumber }: Pick<ChartTheme, "showNumber">): MapValues {
  const drawn = world.drawnCountries();
  const values = new Map<string, MapValue>();
  const unknown: string[] = [];
  for (const [at, value] of (series?.values ?? []).entries()) {
    const label = series?.categories[at] ?? "";
    const code = countries.countryOf(label);
    if (value === null || (label === "" && (series?.categories.length ?? 0) > 0)) {
      continue;
    }
    if (code === undefined || !drawn.has(code)) {
      unknown.push(label || String(at + 1));
      continue;
    }
    const earlier = values.get(code);
    const sum = (earlier?.value ?? 0) + value;
    values.set(code, { value: sum, text: earlier ? showNumber(sum) : series?.texts[at] || showNumber(value) });
  }
  return { values, unknown: [...new Set(unknown)] };
}

/** The labels of a map that are no country, as a sentence; `undefined` without any. */
export function notOnMap(series: ChartSeriesDetails | undefined, theme: Pick<ChartTheme, "showNumber" | "notOnMap">): string | undefined {
  const parts = mapParts();
  const unknown = parts ? mapValues(series, parts, theme).unknown : [];
  return unknown.length === 0 ? undefined : theme.notOnMap([...unknown.slice(0, NAMES_MAX), ...(unknown.length > NAMES_MAX ? ["…"] : [])].join(", "));
}

/** Meridians around which a map is registered. */
const registered = new Set<number>();

/** The options of a map; of none while its data are not loaded. */
export function mapOption(fields: ChartFields, series: readonly ChartSeriesDetails[], names: readonly string[], theme: ChartTheme, { grid, title }: MapFrame): EChartsCoreOption {
  const parts = mapParts();
  if (!parts) {
    return {};
  }
  const all = series.map((one) => mapValues({ ...one, categories: one.categories.length > 0 ? one.categories : (series[0]?.categories ?? []) }, parts, theme));
  const values = all[0]?.values ?? new Map<string, MapValue>();
  const note = notOnMap(series[0], theme);
  const size = { ...DEFAULT_CHART_SIZE, ...fields };
  const bottom = grid.bottom + (note === undefined ? 0 : NOTE_PX);
  const area = { width: Math.max(40, size.width - grid.left - grid.right), height: Math.max(40, size.height - grid.top - bottom) };
  const boundsOf = new Map([...values.keys()].map((code) => [code, parts.world.mainParts(code)]));
  const view = viewOf([...boundsOf.values()].flat(), area.width / area.height);
  const map = `world ${view.meridian}`;
  if (!registered.has(view.meridian)) {
    registered.add(view.meridian);
    parts.registerMap(map, parts.world.mapAround(view.meridian) as Parameters<typeof parts.registerMap>[1]);
  }
  const scale = colorScale([...values.values()].map(({ value }) => value), fields, seriesColor(fields.series?.[0]?.color, 0, theme.isDark), theme, LEAST_SHARE_ON_MAP);
  const regionNames = new Intl.DisplayNames([theme.language], { type: "region" });
  const textOf = (code: string): string => {
    const texts = all.map((one) => one.values.get(code)?.text);
    const named = texts.map((text, at) => `${names[at] ?? ""}: ${text ?? "–"}`);
    return [regionNames.of(code), ...(series.length > 1 && texts.some((text) => text !== undefined) ? named : [texts[0] ?? "–"])].join("\n");
  };
  const tooltips = { ...tooltip(theme), trigger: "item", formatter: ({ name }: { readonly name: string }) => (/^[A-Z]{2}$/.test(name) ? textOf(name) : "") };
  const circles = smallCountries(boundsOf, view, area);
  return {
    title: note === undefined ? title : [title, { text: note, left: "center", bottom: grid.bottom - 4, padding: 0, textStyle: { color: theme.softInk, fontFamily: theme.font, fontSize: 12, fontWeight: "normal", overflow: "truncate", width: size.width - 24 } }],
    visualMap: colorLegend(fields, scale, theme),
    geo: {
      map,
      left: grid.left,
      right: grid.right,
      top: grid.top,
      bottom,
      preserveAspect: "contain",
      boundingCoords: [
        [view.box.left, view.box.top],
        [view.box.right, view.box.bottom],
      ],
      aspectScale: view.narrowing,
      clip: true,
      roam: false,
      label: { show: false },
      emphasis: { disabled: true },
      select: { disabled: true },
      itemStyle: { areaColor: mixed(theme.paper, theme.ink, BLANK_SHARE), borderColor: mixed(theme.paper, theme.ink, 0.4), borderWidth: 0.5 },
    },
    series: [
      { type: "map", geoIndex: 0, data: [...values].map(([name, { value }]) => ({ name, value })) },
      {
        type: "scatter",
        coordinateSystem: "geo",
        symbolSize: CIRCLE_PX,
        clip: true,
        itemStyle: { borderColor: theme.softInk, borderWidth: 0.5, opacity: 1 },
        data: circles.map(({ code, point }) => ({ name: code, value: [...point, values.get(code)?.value ?? 0] })),
      },
    ],
    tooltip: tooltips,
  };
}

/** Countries that would be smaller than their circles, with the points of those on the map. */
function smallCountries(
  boundsOf: ReadonlyMap<string, readonly Bounds[]>,
  { meridian, box, narrowing }: MapView,
  area: { readonly width: number; readonly height: number },
): { readonly code: string; readonly point: readonly [number, number] }[] {
  const heightPx = Math.min(area.height, (area.width * (box.top - box.bottom)) / ((box.right - box.left) * narrowing));
  const scale = heightPx / (box.top - box.bottom);
  return [...boundsOf].flatMap(([code, parts]) => {
    const shown = parts.map((part) => boundsAround(meridian, part));
    const [largest] = shown.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    return largest && sizeOf(largest) * scale < COUNTRY_PX_MIN ? [{ code, point: [(largest.left + largest.right) / 2, (largest.top + largest.bottom) / 2] as const }] : [];
  });
}

function sizeOf({ left, right, top, bottom }: Bounds): number {
  return Math.max(right - left, top - bottom);
}

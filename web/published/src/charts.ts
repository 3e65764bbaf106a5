/**
 * Draws the charts of a published page, as the client does: `/published-charts.js`, which pages with charts
 * load, with `/published-map.js` for the first map. The server sends the fields and the values of each
 * chart (`crates/server/src/published/charts.rs`).
 */

import type { ChartSeriesDetails, ItemValue } from "@quadrille/protocol";
import type { EChartsType } from "echarts/core";
import { chartFields, chartOption, type ChartTheme, describeChart } from "../../app/src/charts/chart-options.ts";
import { registerMap } from "../../app/src/charts/echarts-map.ts";
import "../../app/src/charts/echarts-more.ts";
import { init } from "../../app/src/charts/echarts.ts";
import { mapParts, provideMapParts } from "../../app/src/charts/map-parts.ts";
import { FACTOR_DIGITS } from "../../app/src/charts/trend-lines.ts";
import { significantNumber } from "../../app/src/language/significant-number.ts";

/** A chart as the server sends it. */
interface PublishedChart {
  /** Index of a row of the table, from whose top `y` counts. */
  readonly row: number;
  /** CSS pixels from the start of the table. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fields: Readonly<Record<string, ItemValue>>;
  readonly series: readonly ChartSeriesDetails[];
}

/** The texts of the page's language (`crates/server/src/published/chart_texts.rs`). */
interface ChartTexts {
  readonly chart: string;
  readonly namedChart: string;
  readonly series: string;
  readonly trendline: string;
  readonly errorBars: string;
  readonly other: string;
  readonly total: string;
  readonly boxNames: readonly string[];
  readonly noNumbers: string;
  readonly notOnMap: string;
}

/** A chart on the page. */
interface DrawnChart {
  readonly frame: HTMLElement;
  readonly canvas: HTMLElement;
  readonly note: HTMLElement;
  readonly drawing: EChartsType;
  /** What is drawn. */
  chart: PublishedChart | undefined;
}

// Vite would copy the file of a URL that is relative to `import.meta.url` itself.
const THIS_SCRIPT = import.meta.url;
/** The script with the outlines of countries, beside this one. */
const MAP = new URL("published-map.js", THIS_SCRIPT).href;

/** The size of a chart that fills its sheet, at least: in a low frame the page scrolls. */
const WIDTH_MIN_PX = 240;
const HEIGHT_MIN_PX = 160;

const drawn = new Map<string, DrawnChart>();
const numbers = new Intl.NumberFormat(document.documentElement.lang);
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
let texts: ChartTexts | undefined;

/**
 * Draws the charts over the table of `area`, and removes those that are gone. `given` are the texts of the
 * page, which it has from its first chart on.
 */
export function draw(area: HTMLElement, charts: ReadonlyMap<string, unknown>, given: unknown): void {
  texts = (given as ChartTexts | undefined) ?? texts;
  for (const [id, { frame, drawing }] of drawn) {
    if (!charts.has(id)) {
      drawing.dispose();
      frame.remove();
      drawn.delete(id);
    }
  }
  if (!texts) {
    return;
  }
  const tops = rowTops(area);
  for (const [id, sent] of charts) {
    const chart = sent as PublishedChart;
    let one = drawn.get(id);
    if (!one) {
      one = newChart();
      drawn.set(id, one);
    }
    if (one.frame.parentElement !== area) {
      area.append(one.frame);
    }
    one.frame.style.insetInlineStart = `${chart.x}px`;
    one.frame.style.top = `${(tops[chart.row] ?? 0) + chart.y}px`;
    one.frame.classList.toggle("is-own-sheet", isOwnSheet(chart));
    if (one.chart !== chart && JSON.stringify(one.chart) !== JSON.stringify(chart)) {
      show(one, chart, texts);
    }
  }
}

darkScheme.addEventListener("change", () => showAgain(() => true));
// A chart sheet has the size of the window.
window.addEventListener("resize", () => showAgain(isOwnSheet));

function showAgain(isChosen: (chart: PublishedChart) => boolean): void {
  for (const one of drawn.values()) {
    if (one.chart && texts && isChosen(one.chart)) {
      show(one, one.chart, texts);
    }
  }
}

/** Whether the chart is shown instead of the cells of its sheet. */
function isOwnSheet({ fields }: PublishedChart): boolean {
  return fields["ownSheet"] === true;
}

/** The size of a chart: its own, or that of the area around one that fills its sheet. */
function sizeOf(chart: PublishedChart, { parentElement: area }: HTMLElement): { width: number; height: number } {
  if (!area || !isOwnSheet(chart)) {
    return { width: chart.width, height: chart.height };
  }
  // With the scrollbars that a chart of the former size may have.
  const { width, height } = area.getBoundingClientRect();
  return { width: Math.max(WIDTH_MIN_PX, width), height: Math.max(HEIGHT_MIN_PX, height) };
}

/** Pixels between the top of the table and each of its rows. */
function rowTops(area: HTMLElement): number[] {
  const table = area.querySelector("table");
  const top = table?.getBoundingClientRect().top ?? 0;
  return [...(table?.rows ?? [])].map((row) => row.getBoundingClientRect().top - top);
}

function newChart(): DrawnChart {
  const frame = document.createElement("figure");
  frame.className = "chart";
  const canvas = document.createElement("div");
  canvas.setAttribute("role", "img");
  const note = document.createElement("p");
  note.dir = document.documentElement.dir;
  frame.append(canvas, note);
  // The size is set with the chart.
  return { frame, canvas, note, drawing: init(canvas, undefined, { renderer: "canvas", width: 1, height: 1 }), chart: undefined };
}

function show(one: DrawnChart, chart: PublishedChart, texts: ChartTexts): void {
  const { frame, canvas, note, drawing } = one;
  const fields = chartFields(chart.fields);
  const isFirst = one.chart === undefined;
  one.chart = chart;
  const size = sizeOf(chart, frame);
  frame.style.width = `${size.width}px`;
  frame.style.height = `${size.height}px`;
  const name = fields.altText || fields.title;
  frame.setAttribute("aria-label", name ? texts.namedChart.replace("{name}", () => name) : texts.chart);
  const theme = themeOf(texts);
  canvas.setAttribute("aria-label", describeChart(fields, chart.series, theme));
  note.textContent = chart.series.every((series) => series.values.every((value) => value === null)) ? texts.noNumbers : "";
  drawing.resize(size);
  const option = chartOption(fields, chart.series, theme);
  // The first drawing is part of the page; changes move.
  drawing.setOption(isFirst ? { ...option, animation: false } : option, { notMerge: true });
  if (fields.type === "map" && !mapParts()) {
    void loadMap().then((isLoaded) => isLoaded && one.chart === chart && show(one, chart, texts));
  }
}

/** Loads the outlines of countries. Without them, a map is blank until it changes. */
async function loadMap(): Promise<boolean> {
  try {
    provideMapParts({ registerMap, ...((await import(/* @vite-ignore */ MAP)) as typeof import("../../app/src/charts/map-data.ts")) });
    return true;
  } catch {
    return false;
  }
}

function themeOf(texts: ChartTexts): ChartTheme {
  return {
    language: document.documentElement.lang,
    isDark: darkScheme.matches,
    ink: color("--ink"),
    softInk: color("--ink-soft"),
    line: color("--border"),
    paper: color("--surface"),
    font: getComputedStyle(document.body).fontFamily,
    otherName: texts.other,
    totalName: texts.total,
    boxNames: texts.boxNames,
    seriesName: (number) => texts.series.replace("{number}", numbers.format(number)),
    trendName: (series) => texts.trendline.replace("{series}", () => series),
    errorBarsName: (series) => texts.errorBars.replace("{series}", () => series),
    // RLI and PDI: the sentence begins at the right, also before Latin names.
    notOnMap: (names) => (document.documentElement.dir === "rtl" ? `\u2067${texts.notOnMap}\u2069` : texts.notOnMap).replace("{names}", () => names),
    showNumber: (number) => numbers.format(number),
    showFactor: (number) => significantNumber(number, FACTOR_DIGITS, document.documentElement.lang),
    // LRI and PDI, for texts of any direction.
    showEquation: (equation) => (document.documentElement.dir === "rtl" ? `\u2066${equation}\u2069` : equation),
    animates: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/** A color of the page's style sheet for the current scheme, as `#rrggbb`. */
function color(property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const channels = getComputedStyle(probe).color.match(/\d+/g)?.slice(0, 3) ?? [];
  probe.remove();
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The client benchmark in a real browser: `cargo xtask bench client [--quick] [--json FILE]
 * [--browser firefox] [--peers]`.
 *
 * Figures with a limit are compared with it; the last line is the number of limits that are met.
 * Paint times are ratios to a bare canvas painted in the same run, because machines differ.
 */

import type { Browser } from "@playwright/test";
import { Server } from "../e2e/server.ts";
import { enterToPixel, keyToPixel } from "./input-latency.ts";
import { blankFrames, fling, type Fling } from "./scrolling.ts";
import { type BrowserName, calculates, countPaints, goTo, launch, noteTexts, open, ready } from "./browser.ts";
import { measurePeers } from "./peers.ts";
import { COLUMN_WIDTH_PX, COLUMNS, drawReference, ROW_HEIGHT_PX, ROWS, STYLES } from "./bare-canvas.ts";
import { quantile, Report } from "./report.ts";
import { gains } from "./memory-account.ts";
import { afterPressure, growth, type Sample, soak } from "./memory-soak.ts";
import { start } from "./page-load.ts";
import { remoteUpdates } from "./remote-updates.ts";
import { fillStyled, importMillion, makeRoom, PRECEDENT, putCells } from "./workbooks.ts";

const FRAME_MS = 1000 / 60;
/** 50 rows per frame: no row is visible in two frames. */
const FLING_PX = 50 * ROW_HEIGHT_PX;
const WHEEL_PX = 3 * ROW_HEIGHT_PX;

/** Edits of a day with one edit every two seconds. */
const A_DAY = 43_200;

interface Setting {
  readonly isQuick: boolean;
  readonly json: string | undefined;
  readonly hasPeers: boolean;
  readonly browser: BrowserName;
  readonly only: string | undefined;
  /** Number of days of editing that the memory test simulates. */
  readonly days: number;
}

function settingOf(given: readonly string[]): Setting {
  const after = (name: string): string | undefined => (given.includes(name) ? given[given.indexOf(name) + 1] : undefined);
  const known = ["--quick", "--json", "--peers", "--browser", "--only", "--days", after("--json"), after("--browser"), after("--only"), after("--days")];
  const unknown = given.find((argument) => !known.includes(argument));
  if (unknown !== undefined) {
    throw new Error(`unknown argument: ${unknown}; the arguments are --quick --json FILE --peers --browser BROWSER --only PART --days DAYS`);
  }
  const part = after("--only");
  if (part !== undefined && !Object.keys(PARTS).includes(part)) {
    throw new Error(`unknown part: ${part}; the parts are ${Object.keys(PARTS).join(", ")}`);
  }
  const browser = after("--browser") ?? "chromium";
  if (browser !== "chromium" && browser !== "firefox") {
    throw new Error(`unknown browser: ${browser}; the browsers are chromium and firefox`);
  }
  if (browser === "firefox" && part !== undefined && !IN_FIREFOX.includes(part)) {
    throw new Error(`${part} needs Chromium; in Firefox, the parts are ${IN_FIREFOX.join(", ")}`);
  }
  const days = Number(after("--days") ?? 1);
  if (!(days > 0 && days <= 30)) {
    throw new Error(`--days must be a number up to 30: ${after("--days")}`);
  }
  return { isQuick: given.includes("--quick"), json: after("--json"), hasPeers: given.includes("--peers"), browser, only: part, days };
}

async function flings(server: Server, browser: Browser, report: Report, setting: Setting): Promise<void> {
  const frames = setting.isQuick ? 120 : 400;
  const runs = setting.isQuick ? 1 : 3;
  report.section(`drawing ${ROWS.toLocaleString("en")} × ${COLUMNS} styled cells, ${frames} frames`);
  const bare = await open(browser, `${server.url}/healthz`, countPaints);
  await bare.page.setContent("<!doctype html><body></body>");
  await bare.page.evaluate(drawReference, {
    rows: ROWS,
    columns: COLUMNS,
    rowHeightPx: ROW_HEIGHT_PX,
    columnWidthPx: COLUMN_WIDTH_PX,
    styles: STYLES,
  });
  await makeRoom(server.url, "styled");
  const own = await open(browser, `${server.url}/styled`, countPaints);
  await ready(own.page);
  await fillStyled(own.page, server.url, "styled");
  const best = (found: readonly Fling[]): number => Math.min(...found.map((fling) => fling.mainMsPerFrame));
  // The best of several runs excludes interference of other processes; lost frames are averaged.
  const lost = (found: readonly Fling[]): number =>
    found.reduce((sum, fling) => sum + fling.unpaintedPercent, 0) / found.length;
  for (const [name, px] of [["fast fling", FLING_PX], ["wheel", WHEEL_PX]] as const) {
    const ofBare: Fling[] = [];
    const ofOwn: Fling[] = [];
    for (let run = 0; run < runs; run += 1) {
      await bare.page.bringToFront();
      ofBare.push(await fling(bare, frames, px));
      await own.page.bringToFront();
      ofOwn.push(await fling(own, frames, px));
    }
    report.add(`${name}: bare canvas, main thread per frame`, best(ofBare), "ms");
    report.add(`${name}: bare canvas, frames not drawn anew`, lost(ofBare), "%");
    report.add(`${name}: main thread per frame`, best(ofOwn), "ms");
    report.add(`${name}: frame p50`, Math.max(...ofOwn.map((fling) => fling.frameMsP50)), "ms");
    report.add(`${name}: frame p99`, Math.max(...ofOwn.map((fling) => fling.frameMsP99)), "ms");
    report.must(`${name}: frames not drawn anew`, lost(ofOwn), 2, "%");
    report.must(`${name}: ratio to bare canvas`, best(ofOwn) / best(ofBare), setting.browser === "firefox" ? 2.5 : 2, "×");
  }
  const blank = await blankFrames(own.page, frames / 2, FLING_PX);
  report.must("fast fling: frames that lack cells", blank * 100, 0, "%");
  await goTo(own.page, PRECEDENT);
  await own.page.keyboard.type("1");
  await own.page.keyboard.press("Enter");
  await calculates(own.page).waitFor();
  const busy = await fling(own, frames / 2, FLING_PX);
  const isOver = (await calculates(own.page).count()) === 0;
  report.add(`fast fling while ${isOver ? "some" : "all"} of it is calculated: frames not drawn anew`, busy.unpaintedPercent, "%");
  await own.context.close();
  await bare.context.close();
}

async function updates(server: Server, browser: Browser, report: Report, setting: Setting): Promise<void> {
  report.section("remote edits of visible cells");
  const seconds = setting.isQuick ? 3 : 8;
  for (const perSecond of [1_000, 10_000]) {
    await makeRoom(server.url, `updates-${perSecond}`);
    const own = await open(browser, `${server.url}/updates-${perSecond}`, countPaints);
    await ready(own.page);
    const found = await remoteUpdates(server.url, `updates-${perSecond}`, own, perSecond, seconds);
    report.add(`${perSecond}/s: reached`, found.perSecond, "cells/s");
    report.add(`${perSecond}/s: main thread busy`, found.busyShare * 100, "%");
    report.add(`${perSecond}/s: frames lost while nobody changed anything`, found.lostShareBefore * 100, "%");
    report.must(`${perSecond}/s: repaints per frame`, found.paintsPerFrame, 1, "");
    if (perSecond === 1_000) {
      report.must(`${perSecond}/s: frames lost`, found.lostShare * 100, 0, "%");
    } else {
      report.add(`${perSecond}/s: frames lost`, found.lostShare * 100, "%");
    }
    await own.context.close();
  }
}

async function typing(server: Server, browser: Browser, report: Report, setting: Setting): Promise<void> {
  report.section("input latency");
  await makeRoom(server.url, "typing");
  const own = await open(browser, `${server.url}/typing`, noteTexts);
  await ready(own.page);
  const keys = await keyToPixel(own.page, setting.isQuick ? 20 : 100);
  report.must("a typed letter, p50", quantile(keys, 0.5), FRAME_MS, "ms");
  report.add("a typed letter, p95", quantile(keys, 0.95), "ms");
  await putCells(server.url, "typing", "A1", [[1]]);
  const formulas = Array.from({ length: 10_000 }, () => [{ formula: `=$A$1+ROW()` }]);
  await putCells(server.url, "typing", "B1:B10000", formulas);
  const enters = await enterToPixel(own.page, setting.isQuick ? 5 : 20);
  report.must("Enter with 10,000 dependents, p50", quantile(enters, 0.5), 50, "ms");
  report.add("Enter with 10,000 dependents, max", quantile(enters, 1), "ms");
  await own.context.close();
}

async function opening(server: Server, browser: Browser, report: Report): Promise<void> {
  report.section("opening a workbook of 1,000,000 cells");
  await importMillion(server.url, "million");
  const url = `${server.url}/million`;
  const near = await start(browser, url, {});
  report.add("first cells on screen", near.firstCellsMs, "ms");
  report.add("engine loaded", near.engineMs, "ms");
  report.add("editable", near.editableMs, "ms");
  report.must("engine loaded before the first cells", near.engineMs > near.firstCellsMs ? 0 : 1, 0, "");
  const far = await start(browser, url, { isOverLine: true });
  report.add("over a line of 1.6 MB/s and 40 ms: first cells on screen", far.firstCellsMs, "ms");
  report.add("over that line: engine loaded", far.engineMs, "ms");
  report.add("over that line: editable", far.editableMs, "ms");
  report.must("over that line: engine loaded before the first cells", far.engineMs > far.firstCellsMs ? 0 : 1, 0, "");
  const gzip = await start(browser, url, { isGzip: true });
  report.must("JavaScript until first paint", gzip.scriptBytesUntilCells / 1024, 100, "KB gzip");
  report.add("JavaScript until editable", gzip.scriptBytes / 1024, "KB gzip");
  report.add("everything until editable, in gzip", gzip.bytesUntilEditable / 1024, "KB");
  report.must("everything until editable, as this browser asks for it", near.bytesUntilEditable / 1000, 750, "KB");
}

/** Smaller growth of a component is noise. */
const PART_BYTES_TOLD = 2 ** 18;

async function steady(server: Server, browser: Browser, report: Report, setting: Setting): Promise<void> {
  const edits = (setting.isQuick ? 4_000 : A_DAY) * setting.days;
  report.section(`${edits.toLocaleString("en")} edits at maximum speed`);
  await makeRoom(server.url, "soak");
  const own = await open(browser, `${server.url}/soak`);
  await ready(own.page);
  const { samples, before, after } = await soak(own, server.url, "soak", edits);
  const parts = [
    ["JavaScript heap", (sample: Sample) => sample.heapBytes],
    ["the engine's memory", (sample: Sample) => sample.engineBytes],
    ["the process", (sample: Sample) => sample.processBytes],
  ] as const;
  report.series("memory", samples);
  for (const [name, of] of parts) {
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last) {
      throw new Error("nothing was measured");
    }
    report.add(`${name} after the first fifth`, of(first) / 2 ** 20, "MB");
    report.add(`${name} at the end`, of(last) / 2 ** 20, "MB");
    report.add(`${name}: slope`, growth(samples, of, 10_000) / 2 ** 20, "MB in 10,000 edits");
    report.must(`${name}: growth in a day`, 1 + growth(samples, of, A_DAY) / of(first), 1.1, "×");
  }
  report.add("of the process, its own: slope", growth(samples, (sample) => sample.privateBytes, 10_000) / 2 ** 20, "MB in 10,000 edits");
  const [first, last] = [samples[0], samples.at(-1)];
  report.add("nodes of the document: more at the end", (last?.nodes ?? 0) - (first?.nodes ?? 0), "");
  report.add("listeners: more at the end", (last?.listeners ?? 0) - (first?.listeners ?? 0), "");
  for (const [name, bytes] of gains(before, after, PART_BYTES_TOLD)) {
    report.add(`more at the end, by the browser's own account: ${name}`, bytes / 2 ** 20, "MB");
  }
  const left = await afterPressure(own);
  report.add("the process at the end, when memory is short", left.processBytes / 2 ** 20, "MB");
  report.add("of the process, its own, when memory is short", left.privateBytes / 2 ** 20, "MB");
  await own.context.close();
}

const PARTS = { flings, updates, typing, opening, steady };
/** The parts that need nothing of Chromium. */
const IN_FIREFOX = ["flings", "updates", "typing"];

async function main(): Promise<void> {
  const setting = settingOf(process.argv.slice(2));
  const report = new Report();
  const server = await Server.start();
  const browser = await launch(setting.browser);
  const product = `${setting.browser === "firefox" ? "Firefox" : "Chromium"} ${browser.version()}`;
  try {
    console.log(`${product}, ${setting.isQuick ? "quick" : "full"}`);
    for (const [name, part] of Object.entries(PARTS)) {
      const isThere = setting.browser !== "firefox" || IN_FIREFOX.includes(name);
      if (setting.only === name || (setting.only === undefined && isThere)) {
        await part(server, browser, report, setting);
      }
    }
    if (setting.hasPeers) {
      await measurePeers(browser, report, FLING_PX, setting.isQuick ? 120 : 400);
    }
  } finally {
    await browser.close();
    await server.stop();
    report.finish(setting.json, { browser: product, quick: setting.isQuick });
  }
}

await main();

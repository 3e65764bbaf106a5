/**
 * The script of a published page, `/published.js`. The page is complete without it. With it, changes of
 * the workbook appear as they happen: the server sends the cells that differ, or says that the page has
 * to be loaded again.
 */

import { changedCells, changedCharts, parsed } from "./update.ts";

/** Time without a connection after which the page says that it may be out of date. */
const OFFLINE_MS = 5_000;
/** Pages load at most this much later than the event that asks for it, so that they do not all ask at once. */
const SPREAD_MS = 1_000;

/** The address of the script that draws charts, beside this one. */
const CHARTS = new URL("published-charts.js", document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href).href;

/** The charts of the page by their identities. */
const charts = new Map<string, unknown>();
/** The script that draws charts is loaded with the first of them. */
let drawing: Promise<typeof import("./charts.ts")> | undefined;

const status = document.querySelector<HTMLElement>("#status");
if (status && document.querySelector("#page")) {
  follow(status);
}

/** Shows the changes of the page as long as it is visible. */
function follow(status: HTMLElement): void {
  let source: EventSource | undefined;
  let offlineTimer: ReturnType<typeof setTimeout> | undefined;
  const say = (text: string): void => {
    if (status.textContent !== text) {
      status.textContent = text;
    }
  };
  const connected = (): void => {
    clearTimeout(offlineTimer);
    offlineTimer = undefined;
    say("");
  };
  const disconnected = (): void => {
    offlineTimer ??= setTimeout(() => say(status.dataset["offline"] ?? ""), OFFLINE_MS);
  };
  const open = (): void => {
    // Without a page there is nothing to follow: it is gone.
    if (source || !document.querySelector("#page")) {
      return;
    }
    const query = new URLSearchParams(location.search);
    query.set("version", version());
    const opened = new EventSource(`${location.pathname}/events?${query}`);
    source = opened;
    opened.addEventListener("open", connected);
    opened.addEventListener("error", () => {
      disconnected();
      if (opened.readyState === EventSource.CLOSED) {
        // Refused: the page may be gone. Loading it says so, and finds another server.
        close();
        setTimeout(() => document.visibilityState === "visible" && open(), OFFLINE_MS);
        void load();
      }
    });
    opened.addEventListener("cells", (event) => show(String(event.data)));
    opened.addEventListener("load", () => void setTimeout(() => void load(), Math.random() * SPREAD_MS));
    opened.addEventListener("stop", () => {
      close();
      document.querySelector("#page")?.remove();
      say(status.dataset["stopped"] ?? "");
    });
  };
  const close = (): void => {
    source?.close();
    source = undefined;
  };
  const load = async (): Promise<void> => {
    const response = await fetch(location.href, { cache: "no-cache" }).catch(() => undefined);
    if (response?.ok !== true && response?.status !== 404) {
      return;
    }
    const loaded = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
    const page = document.querySelector("main");
    if (loaded && page) {
      const [left, top] = [sheet()?.scrollLeft ?? 0, sheet()?.scrollTop ?? 0];
      page.replaceWith(document.adoptNode(loaded));
      sheet()?.scrollTo(left, top);
      readCharts();
      place();
    }
  };
  // A page that nobody sees costs the server nothing.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      open();
    } else {
      close();
    }
  });
  addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => event.persisted && open());
  readCharts();
  place();
  open();
}

/** Takes the charts that are in the page. */
function readCharts(): void {
  document.querySelector("#charts-note")?.remove();
  charts.clear();
  for (const [id, chart] of changedCharts(parsed(document.querySelector("#charts")?.textContent ?? "")) ?? []) {
    charts.set(id, chart);
  }
}

/** Draws the charts at their places. Without their script, the page is complete but for them. */
async function drawCharts(): Promise<void> {
  if (charts.size === 0 && !drawing) {
    return;
  }
  try {
    drawing ??= import(/* @vite-ignore */ CHARTS) as Promise<typeof import("./charts.ts")>;
    const { draw } = await drawing;
    const area = sheet();
    if (area) {
      draw(area, charts, parsed(document.querySelector<HTMLElement>("#page")?.dataset["charts"] ?? ""));
    }
  } catch {
    // Loaded again with the next change.
    drawing = undefined;
  }
}

function version(): string {
  return document.querySelector<HTMLElement>("#page")?.dataset["version"] ?? "";
}

function sheet(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".sheet");
}

/** Shows the cells that differ. */
function show(text: string): void {
  const update = changedCells(text);
  const page = document.querySelector<HTMLElement>("#page");
  if (!update || !page) {
    return;
  }
  for (const { address, classes, style, html } of update.cells) {
    const cell = document.getElementById(address);
    if (cell) {
      cell.className = classes;
      cell.style.cssText = style;
      // The server escapes and sanitises texts, and the page runs no scripts of cells.
      cell.innerHTML = html;
      freeze(cell);
    }
  }
  for (const [id, chart] of update.charts) {
    if (chart === null) {
      charts.delete(id);
    } else {
      charts.set(id, chart);
    }
  }
  page.dataset["version"] = update.version;
  place();
}

/** Keeps a cell of frozen rows or columns in view. */
function freeze(cell: HTMLElement): void {
  const { top, side } = cell.dataset;
  if (top !== undefined) {
    cell.style.top = `${top}px`;
  }
  if (side !== undefined) {
    cell.style.insetInlineStart = `${side}px`;
  }
}

/** Moves frozen rows and charts to where the rows above them end, which wrapped texts have made higher. */
function place(): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>("thead tr")];
  const tops: number[] = [];
  let top = 0;
  for (const row of rows) {
    tops.push(top);
    top += row.getBoundingClientRect().height;
  }
  for (const [index, row] of rows.entries()) {
    for (const cell of row.cells) {
      cell.dataset["top"] = String(tops[index] ?? 0);
      freeze(cell);
    }
  }
  void drawCharts();
}

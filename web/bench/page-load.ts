/** Page load: time from navigation to the first cells and to an editable workbook. */

import type { Browser } from "@playwright/test";
import { noteTexts, open, ready } from "./browser.ts";

/** A mobile connection: 1.6 MB/s and 40 ms round trip. */
const LINE = { offline: false, latency: 40, downloadThroughput: 1_600_000, uploadThroughput: 1_600_000 };

/** Times since navigation, and transferred bytes. */
export interface Start {
  /** Time of the first painted cells. */
  readonly firstCellsMs: number;
  readonly engineMs: number;
  readonly editableMs: number;
  /** Compressed size of the scripts loaded before the first cells were painted. */
  readonly scriptBytesUntilCells: number;
  readonly scriptBytes: number;
  /** Compressed size of the document, scripts, styles and engine. */
  readonly bytesUntilEditable: number;
}

/** Loads a workbook whose first column contains `item 1`, `item 2` … */
export async function start(browser: Browser, url: string, { isGzip = false, isOverLine = false }): Promise<Start> {
  const { page, context, devtools } = await open(browser, "about:blank", noteTexts);
  await devtools.send("Network.enable");
  if (isGzip) {
    await devtools.send("Network.setExtraHTTPHeaders", { headers: { "accept-encoding": "gzip" } });
  }
  if (isOverLine) {
    await devtools.send("Network.emulateNetworkConditions", LINE);
  }
  await page.goto(url, { waitUntil: "commit" });
  await ready(page);
  const found = await page.evaluate(() => {
    const drawnAt = (window as unknown as { counts: { texts: Map<string, number> } }).counts.texts.get("item 2") ?? Number.NaN;
    const [address] = performance.getEntriesByType("navigation") as PerformanceResourceTiming[];
    const parts = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(({ name }) => name.includes("/assets/"));
    const editableMs = performance.getEntriesByName("quadrille: editable")[0]?.startTime ?? Number.NaN;
    // Later requests are not needed for editing.
    const needed = parts.filter(({ startTime }) => startTime <= editableMs);
    const bytes = (entries: readonly PerformanceResourceTiming[]): number => entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const scripts = needed.filter(({ name }) => name.endsWith(".js"));
    return {
      firstCellsMs: drawnAt,
      engineMs: performance.getEntriesByName("quadrille: engine")[0]?.startTime ?? Number.NaN,
      editableMs,
      scriptBytesUntilCells: bytes(scripts.filter(({ responseEnd }) => responseEnd <= drawnAt)),
      scriptBytes: bytes(scripts),
      bytesUntilEditable: bytes(needed) + (address?.encodedBodySize ?? 0),
    };
  });
  await context.close();
  return found;
}

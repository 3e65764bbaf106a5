/** From the address to cells on the screen, and to cells that can be typed into. */

import type { Browser } from "@playwright/test";
import { noteTexts, open, ready } from "./page.ts";

/** A line as a phone has it in a town: 1.6 MB a second, 40 ms to the server and back. */
const LINE = { offline: false, latency: 40, downloadThroughput: 1_600_000, uploadThroughput: 1_600_000 };

export interface Start {
  /** Since the address was entered, in milliseconds. */
  readonly firstCellsMs: number;
  readonly engineMs: number;
  readonly editableMs: number;
  /** Of scripts that had arrived when the first cells were drawn, as they came over the line. */
  readonly scriptBytesUntilCells: number;
  readonly scriptBytes: number;
  /** The page, its scripts and styles, and the engine. */
  readonly bytesUntilEditable: number;
}

/** The workbook's first column reads `item 1`, `item 2` … */
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
    // What is asked for later is for later.
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

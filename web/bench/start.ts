/** What opening a workbook costs: time until cells show, bytes until they do and until one can type. */

import type { Browser } from "@playwright/test";
import { noteTexts, open, ready } from "./page.ts";

export interface FirstPaint {
  readonly firstPaintMs: number;
  readonly engineMs: number;
  readonly editableMs: number;
}

/** The workbook's first column reads `item 1`, `item 2` … */
export async function firstPaint(browser: Browser, url: string): Promise<FirstPaint> {
  const { page, context } = await open(browser, url, noteTexts);
  await ready(page);
  const editableMs = await page.evaluate(() => performance.now());
  const found = await page.evaluate(() => ({
    drawnAt: (window as unknown as { counts: { texts: Map<string, number> } }).counts.texts.get("item 2"),
    engineAt: performance
      .getEntriesByType("resource")
      .filter((entry): entry is PerformanceResourceTiming => entry.name.includes(".wasm"))
      .map((entry) => entry.responseEnd)[0],
  }));
  await context.close();
  return { firstPaintMs: found.drawnAt ?? Number.NaN, engineMs: found.engineAt ?? Number.NaN, editableMs };
}

/** Bytes as they come over the wire: in the best compression that the browser asks for, or in gzip. */
export async function loads(
  browser: Browser,
  url: string,
  isGzip: boolean,
): Promise<{ readonly scriptsUntilPaint: number; readonly all: number }> {
  const { page, context, devtools } = await open(browser, "about:blank", noteTexts);
  await devtools.send("Network.enable");
  if (isGzip) {
    await devtools.send("Network.setExtraHTTPHeaders", { headers: { "accept-encoding": "gzip" } });
  }
  const urls = new Map<string, string>();
  const loaded: { url: string; bytes: number; atMs: number }[] = [];
  devtools.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const from = urls.get(requestId) ?? "";
    if (from.includes("/assets/") || from.endsWith(url.slice(url.lastIndexOf("/")))) {
      loaded.push({ url: from, bytes: encodedDataLength, atMs: performance.now() });
    }
  });
  await page.goto(url);
  await page.waitForFunction(() =>
    (window as unknown as { counts: { texts: Map<string, number> } }).counts.texts.has("item 2"),
  );
  const scriptsUntilPaint = loaded.filter(({ url }) => url.endsWith(".js")).reduce((sum, { bytes }) => sum + bytes, 0);
  await ready(page);
  const all = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  await context.close();
  return { scriptsUntilPaint, all };
}

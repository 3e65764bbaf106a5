/**
 * The fling in other grids, which `bench/peers/client` builds. Univer scrolls by wheel events
 * instead of a native scroll container and supports fewer rows.
 */

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import type { Browser } from "@playwright/test";
import { fling } from "./scrolling.ts";
import { countPaints, open } from "./browser.ts";
import type { Report } from "./report.ts";

const FOLDER = resolve(import.meta.dirname, "../../bench/peers/client/dist");
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const PEERS = [
  { name: "Glide Data Grid 6.0.3, 1,000,000 rows", page: "glide.html" },
  { name: "Univer 0.25.1, 38,000 rows", page: "univer.html" },
] as const;

/** Adds the figures of other grids to the report, if they are built. */
export async function measurePeers(browser: Browser, report: Report, pxPerFrame: number, frames: number): Promise<void> {
  report.section("other grids, fast fling");
  if (!existsSync(FOLDER)) {
    console.log("  not built: run `npm install && npm run build` in bench/peers/client");
    return;
  }
  const files = createServer((request, response) => {
    const name = join(FOLDER, (request.url ?? "/").replaceAll("..", ""));
    if (existsSync(name)) {
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" });
      response.end(readFileSync(name));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
  const address = files.address();
  const port = typeof address === "object" && address ? address.port : 0;
  for (const peer of PEERS) {
    if (!existsSync(join(FOLDER, peer.page))) {
      continue;
    }
    const opened = await open(browser, `http://127.0.0.1:${port}/${peer.page}`, countPaints);
    await opened.page.waitForFunction(() => (window as unknown as { isReady?: boolean }).isReady, undefined, { timeout: 120_000 });
    const shown = await opened.page.screenshot();
    const found = await fling(opened, frames, pxPerFrame);
    if (shown.equals(await opened.page.screenshot())) {
      throw new Error(`${peer.name} did not scroll`);
    }
    report.add(`${peer.name}: main thread per frame`, found.mainMsPerFrame, "ms");
    report.add(`${peer.name}: frame p50`, found.frameMsP50, "ms");
    report.add(`${peer.name}: frames not drawn anew`, found.unpaintedPercent, "%");
    await opened.context.close();
  }
  files.close();
}

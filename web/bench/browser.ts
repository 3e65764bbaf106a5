/** The browser and pages with an open workbook. */

import { readFile } from "node:fs/promises";
import { type Browser, type BrowserContext, type CDPSession, chromium, firefox, type Locator, type Page } from "@playwright/test";
import { CHROMIUM, CHROMIUM_ARGS } from "../e2e/chromium.ts";
import { FirefoxProcess } from "../e2e/firefox/process.ts";

export const VIEWPORT = { width: 1280, height: 800 };
const READY_MS_MAX = 180_000;

export type BrowserName = "chromium" | "firefox";

export async function launch(name: BrowserName): Promise<Browser> {
  if (name === "firefox") {
    return (await FirefoxProcess.launch(firefox)).browser;
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...CHROMIUM_ARGS,
      // The memory test collects garbage before each sample.
      "--js-flags=--expose-gc",
    ],
  });
}

/** An open page. */
export class Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  private readonly session: CDPSession | undefined;
  /** The process of the page, in Firefox. */
  private readonly pid: number | undefined;

  constructor(context: BrowserContext, page: Page, session: CDPSession | undefined, pid: number | undefined) {
    this.context = context;
    this.page = page;
    this.session = session;
    this.pid = pid;
  }

  get devtools(): CDPSession {
    if (!this.session) {
      throw new Error("only Chromium has the DevTools protocol");
    }
    return this.session;
  }

  /**
   * Time in which the main thread of the page was busy, in seconds. In Firefox, it is the processor time of
   * that thread, of which Linux keeps account in nanoseconds (proc_pid_schedstat(5)).
   */
  async busySeconds(): Promise<number> {
    if (this.pid !== undefined) {
      const [nanoseconds = ""] = (await readFile(`/proc/${this.pid}/task/${this.pid}/schedstat`, "utf8")).split(" ");
      return Number(nanoseconds) / 1e9;
    }
    const { metrics } = await this.devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  }
}

/** Opens a URL in a new context; `prepare` runs before navigation. */
export async function open(browser: Browser, url: string, prepare?: (page: Page) => Promise<void>): Promise<Opened> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  // esbuild wraps named functions in calls of this helper.
  await context.addInitScript("globalThis.__name = (named) => named");
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`page: ${error.message}`));
  await prepare?.(page);
  await page.goto(url, { waitUntil: "commit" });
  if (browser.browserType().name() === "firefox") {
    return new Opened(context, page, undefined, await FirefoxProcess.of(context).processOfPage());
  }
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable");
  return new Opened(context, page, devtools, undefined);
}

/** Waits until the workbook is loaded and all edits are saved. */
export async function ready(page: Page): Promise<void> {
  await page.getByRole("status", { name: "Save status" }).getByText("Saved").waitFor({ timeout: READY_MS_MAX });
  await page.locator("[role=gridcell]").first().waitFor({ state: "attached", timeout: READY_MS_MAX });
}

/** The client shows "Calculating…" after this time. */
const CALCULATION_SHOWN_MS = 150;

/** Waits until the calculation has finished. */
export async function calculated(page: Page): Promise<void> {
  await page.waitForTimeout(2 * CALCULATION_SHOWN_MS);
  await calculates(page).waitFor({ state: "detached", timeout: READY_MS_MAX });
}

/** The indicator of a running calculation. */
export function calculates(page: Page): Locator {
  return page.getByText("Calculating…");
}

/** Selects a range by the name box. */
export async function goTo(page: Page, range: string): Promise<void> {
  const box = page.getByRole("textbox", { name: /^Name box/ });
  await box.fill(range);
  await box.press("Enter");
}

interface Counts {
  paints: number;
  frames: number;
  readonly texts: Map<string, number>;
}

/** Counts frames and canvas paints; all draw calls of one task are one paint. */
export async function countPaints(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counts: Counts = { paints: 0, frames: 0, texts: new Map() };
    (window as unknown as { counts: Counts }).counts = counts;
    const { prototype } = CanvasRenderingContext2D;
    let isPainting = false;
    const paints = (context: CanvasRenderingContext2D): void => {
      if (!isPainting && context.canvas.isConnected) {
        isPainting = true;
        counts.paints += 1;
        queueMicrotask(() => {
          isPainting = false;
        });
      }
    };
    const { fillRect, drawImage } = prototype;
    prototype.fillRect = function (x, y, width, height) {
      paints(this);
      fillRect.call(this, x, y, width, height);
    };
    // For grids that draw off-screen and copy the result.
    prototype.drawImage = function (this: CanvasRenderingContext2D, ...given: unknown[]) {
      paints(this);
      Reflect.apply(drawImage, this, given);
    };
    const frame = (): void => {
      counts.frames += 1;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Also records when each text was first drawn; too slow for measuring paint times. */
export async function noteTexts(page: Page): Promise<void> {
  await countPaints(page);
  await page.addInitScript(() => {
    const { texts } = (window as unknown as { counts: Counts }).counts;
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      if (!texts.has(text) && texts.size < 100_000) {
        texts.set(text, performance.now());
      }
      fillText.call(this, text, x, y);
    };
  });
}

/** Current counts. */
export function counted(page: Page): Promise<{ readonly paints: number; readonly frames: number }> {
  return page.evaluate(() => {
    const { paints, frames } = (window as unknown as { counts: Counts }).counts;
    return { paints, frames };
  });
}

/** Windows of Firefox for the tests that run in every browser. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type ElementHandle, type KeyInput, type Page } from "puppeteer-core";
import { everydayTest } from "../browsers/fixture.ts";
import type { BrowserWindow, Click, Point } from "../browsers/person.ts";
import { FIREFOX } from "./person.ts";

/** A page that Puppeteer drives. */
class FirefoxWindow implements BrowserWindow {
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async goTo(url: string): Promise<void> {
    await this.page.goto(url);
  }

  async reload(): Promise<void> {
    await this.page.reload();
  }

  async evaluate<A extends unknown[], R>(run: (...values: A) => R | Promise<R>, ...values: A): Promise<R> {
    // As text, because Puppeteer's types are about handles of elements.
    return (await this.page.evaluate(`(${run.toString()})(...${JSON.stringify(values)})`)) as R;
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.down(key as KeyInput);
    }
    for (const key of keys.toReversed()) {
      await this.page.keyboard.up(key as KeyInput);
    }
  }

  async click(at: Point, { button = "left", times = 1, holding }: Click = {}): Promise<void> {
    if (holding !== undefined) {
      await this.page.keyboard.down(holding as KeyInput);
    }
    await this.page.mouse.click(at.x, at.y, { button, count: times });
    if (holding !== undefined) {
      await this.page.keyboard.up(holding as KeyInput);
    }
  }

  async drag([start, ...others]: readonly Point[]): Promise<void> {
    if (!start) {
      return;
    }
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    for (const { x, y } of others) {
      await this.page.mouse.move(x, y);
    }
    await this.page.mouse.up();
  }

  async scroll(at: Point, deltaX: number, deltaY: number): Promise<void> {
    await this.page.mouse.move(at.x, at.y);
    await this.page.mouse.wheel({ deltaX, deltaY });
  }

  async chooseFile(selector: string, path: string): Promise<void> {
    const input = (await this.page.waitForSelector(selector)) as ElementHandle<HTMLInputElement> | null;
    await input?.uploadFile(path);
  }
}

export const test = everydayTest(async () => {
  const files = await mkdtemp(join(tmpdir(), "quadrille-firefox-"));
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: FIREFOX,
    headless: true,
    defaultViewport: { width: 1280, height: 762 },
    // 2: the directory of the next setting.
    extraPrefsFirefox: { "browser.download.folderList": 2, "browser.download.dir": files },
  });
  return {
    open: async () => {
      const context = await browser.createBrowserContext();
      return { window: new FirefoxWindow(await context.newPage({ type: "window" })), files };
    },
    close: async () => {
      await browser.close();
      await rm(files, { recursive: true, force: true });
    },
  };
});

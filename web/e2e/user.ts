/** Test fixtures: a user with a browser page and a workbook. Cells are read from the ARIA grid. */

import { test as base, type Browser, type BrowserContext, type BrowserContextOptions, expect, type Locator, type Page } from "@playwright/test";
import { FirefoxProcess } from "./firefox/process.ts";
import { Kept, Window } from "./kept-windows.ts";
import type { Server } from "./server.ts";

export { expect };

/** One user in one browser context. */
export class User {
  readonly page: Page;
  readonly context: BrowserContext;

  constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.context = context;
  }

  get isInFirefox(): boolean {
    return this.context.browser()?.browserType().name() === "firefox";
  }

  /** In every language. */
  get nameBox(): Locator {
    return this.page.locator(".name-box");
  }

  /** The text field over the active cell, which has the focus. */
  get field(): Locator {
    return this.page.locator(".cell-field");
  }

  /** Expects these references of the edited formula, each in another colour. */
  async seesReferences(...texts: readonly string[]): Promise<void> {
    const inks = this.page.locator(".cell-highlight .token-reference");
    await expect(inks).toHaveText([...texts]);
    const colours = await inks.evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).color));
    expect(new Set(colours).size).toBe(texts.length);
  }

  cell(name: string): Locator {
    return this.page.locator(`[role=gridcell][data-cell="${name}"]`);
  }

  /** Expects these texts, row by row starting at `at`; `""` is blank. */
  async sees(at: string, rows: readonly (readonly string[])[]): Promise<void> {
    const { row, column } = position(at);
    for (const [down, texts] of rows.entries()) {
      for (const [right, text] of texts.entries()) {
        await expect(this.cell(cellName(row + down, column + right))).toHaveText(text);
      }
    }
  }

  async seesInCell(name: string, text: string | RegExp): Promise<void> {
    await expect(this.cell(name)).toHaveText(text);
  }

  /** Selects a cell or range by the name box. */
  async select(range: string): Promise<void> {
    // In Firefox, only one window of a person has the focus.
    if (!(await this.page.evaluate(() => document.hasFocus()))) {
      await this.page.bringToFront();
    }
    await this.nameBox.fill(range);
    await this.nameBox.press("Enter");
    await expect(this.field).toBeFocused();
    const [, first] = /^([A-Z]+\d+)(:[A-Z]+\d+)?$/.exec(range) ?? [];
    if (first !== undefined) {
      // The jump waits for keys before it. A merged cell has the name of its first cell.
      await expect(this.field)
        .toHaveAttribute("aria-label", new RegExp(`^${first}\\b`), { timeout: 1_000 })
        .catch(() => undefined);
    }
  }

  /**
   * Types texts row by row, with Tab between columns and Enter after a row, which goes to the first column of the next.
   *
   * All characters of a value arrive at once, as from an input method; each key press takes a frame.
   */
  async type(at: string, rows: readonly (readonly string[])[]): Promise<void> {
    const { row, column } = position(at);
    for (const [down, texts] of rows.entries()) {
      // Enter leads from the row before to this one, but a row without texts gets no keys.
      if (down === 0 || rows[down - 1]?.length === 0) {
        await this.select(cellName(row + down, column));
      }
      for (const [right, text] of texts.entries()) {
        // Suggestions follow the keys of a formula.
        await (text.startsWith("=") ? this.page.keyboard.type(text) : this.page.keyboard.insertText(text));
        await this.page.keyboard.press(right === texts.length - 1 ? "Enter" : "Tab");
      }
    }
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Copies or cuts the selection. Returns the text on the clipboard. */
  async copy(key: "Control+c" | "Control+x" = "Control+c"): Promise<string> {
    const before = "what was on the clipboard before";
    await this.page.evaluate((text) => navigator.clipboard.writeText(text), before);
    await this.press(key);
    const read = () => this.page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(read).not.toBe(before);
    // What cells show may come a moment later.
    await expect
      .poll(read, { timeout: 2_000 })
      .not.toBe("")
      .catch(() => undefined);
    return read();
  }

  /** Chooses an item of the menu whose button name starts with `button`. */
  async choose(button: string, item: string | RegExp): Promise<void> {
    await this.page.getByRole("button", { name: new RegExp(`^${button}`) }).click();
    // From the start: "Hide rows" is also the end of "Unhide rows".
    const name = typeof item === "string" ? new RegExp(`^${item.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`) : item;
    await this.page.getByRole("menuitem", { name }).or(this.page.getByRole("menuitemcheckbox", { name })).click();
  }

  /** Texts of a menu's checked items. */
  async ticked(button: string): Promise<string[]> {
    await this.page.getByRole("button", { name: button, exact: true }).click();
    const menu = this.page.getByRole("menu");
    await expect(menu).toBeVisible();
    const texts = (await menu.getByRole("menuitemcheckbox", { checked: true }).allInnerTexts()).map((text) => text.trim());
    await this.page.keyboard.press("Escape");
    await expect(menu).toHaveCount(0);
    // The menu returns the focus a moment after it is gone, and takes it from what was clicked meanwhile.
    await this.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    return texts;
  }

  async formula(text: string): Promise<void> {
    await expect(this.page.getByRole("textbox", { name: "Formula bar" })).toHaveValue(text);
  }

  async saved(): Promise<void> {
    await expect(this.page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  }

  async status(text: string | RegExp): Promise<void> {
    await expect(this.page.getByRole("status", { name: "Save status" })).toHaveText(text);
  }

  /** Centre of a cell in the viewport. */
  async point(name: string): Promise<{ x: number; y: number }> {
    const { row, column } = position(name);
    // While a workbook opens, the grid takes the place of its preview.
    await expect.poll(() => this.page.locator("main.grid").boundingBox(), "a grid").not.toBeNull();
    const grid = await this.page.locator("main.grid").boundingBox();
    if (!grid) {
      throw new Error("the grid is gone");
    }
    // Assumes default sizes and no scrolling.
    return { x: grid.x + 44 + column * 96 + 48, y: grid.y + 24 + row * 22 + 11 };
  }

  async click(name: string, options: { clickCount?: number; button?: "left" | "right"; shift?: boolean } = {}): Promise<void> {
    const { x, y } = await this.point(name);
    if (options.shift) {
      await this.page.keyboard.down("Shift");
    }
    await this.page.mouse.click(x, y, { clickCount: options.clickCount ?? 1, button: options.button ?? "left" });
    if (options.shift) {
      await this.page.keyboard.up("Shift");
    }
  }

  /** Drags the bottom right corner of a reference at `from` to the cell `to`. */
  async dragCorner(from: string, to: string): Promise<void> {
    const corner = await this.point(from);
    const end = await this.point(to);
    await this.page.mouse.move(corner.x + 47, corner.y + 10);
    await this.page.mouse.down();
    await this.page.mouse.move(end.x, end.y - 5);
    await this.page.mouse.move(end.x, end.y);
    await this.page.mouse.up();
  }

  async drag(from: string, to: string): Promise<void> {
    const start = await this.point(from);
    const end = await this.point(to);
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    await this.page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
    await this.page.mouse.move(end.x, end.y);
    await this.page.mouse.up();
  }
}

/** A browser context that may use the clipboard. Firefox has a preference for that. */
export function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const isChromium = browser.browserType().name() === "chromium";
  return browser.newContext({ ...(isChromium && { permissions: ["clipboard-read", "clipboard-write"] }), ...options });
}

/** The fixture of each test. */
export interface World {
  readonly server: Server;
  /**
   * Opens the room in a new browser context; by default, all users of a test open the same room.
   */
  enter(room?: string): Promise<User>;
  /** Opens an address as somebody new, without expecting that a workbook opens. */
  arrive(address: string): Promise<User>;
  readonly browser: Browser;
}

export const test = base.extend<{ world: World }, { kept: Kept }>({
  kept: [
    async ({ browser, browserName, playwright }, use) => {
      const kept = new Kept(async (options) => {
        if (browserName !== "firefox") {
          return Window.open(await newContext(browser, options));
        }
        const firefox = await FirefoxProcess.launch(playwright.firefox);
        const context = await newContext(firefox.browser, options);
        context.on("close", () => void firefox.browser.close());
        return Window.open(context);
      });
      await use(kept);
      await kept.release();
    },
    { scope: "worker" },
  ],
  world: async ({ browser, kept, serviceWorkers }, use, info) => {
    // Service workers and their files would stay.
    const keepsPages = serviceWorkers === "block";
    const server = await kept.takeServer();
    const windows: Window[] = [];
    let isServerNamed = false;
    const arrive = async (address: string): Promise<User> => {
      const window = keepsPages ? await kept.takeWindow() : await kept.openWindow({ serviceWorkers });
      windows.push(window);
      await window.page.goto(address);
      return new User(window.page, window.context);
    };
    const enter = async (room?: string): Promise<User> => {
      isServerNamed ||= room !== undefined;
      const person = await arrive(`${server.url}/${room ?? `test-${info.testId}`}`);
      await person.saved();
      await person.seesInCell("A1", /.*/);
      return person;
    };
    await use({
      get server() {
        // Tests that ask for the server use rooms by names that other tests use as well.
        isServerNamed = true;
        return server;
      },
      enter,
      arrive,
      browser,
    });
    const problems = windows.flatMap((window) => window.problems);
    const isKept = keepsPages && problems.length === 0 && info.status === info.expectedStatus;
    await Promise.all(windows.map((window) => (isKept ? kept.keepWindow(window, server.url) : window.close())));
    if (isKept && !isServerNamed) {
      kept.keepServer(server);
    } else {
      await server.stop();
    }
    expect(problems, "errors on the page").toEqual([]);
  },
});

function position(name: string): { row: number; column: number } {
  const [, letters = "A", digits = "1"] = /^([A-Z]+)(\d+)$/.exec(name) ?? [];
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { row: Number(digits) - 1, column };
}

function cellName(row: number, column: number): string {
  const letters = column < 26 ? "" : String.fromCharCode(64 + Math.floor(column / 26));
  return `${letters}${String.fromCharCode(65 + (column % 26))}${row + 1}`;
}

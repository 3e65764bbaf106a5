/** A page of the gallery in one size, theme and language, with the actions that states use. */

import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import type { Command } from "@quadrille/protocol";
import { command, keepWorker } from "../commands.ts";
import { Server } from "../server.ts";
import { workbookCommands, workbookCsv } from "./example-workbook.ts";
import { Translations } from "./translations.ts";

export interface Setting {
  readonly size: keyof typeof SIZES;
  readonly scheme: "light" | "dark";
  readonly language: string;
}

export const SIZES = {
  phone: { width: 390, height: 844 },
  laptop: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
} as const;

/** The room that most states open. */
export const ROOM = "harvest-2026";

/** Attempts to close overlays: a menu can be within a dialog. */
const OVERLAYS_MAX = 3;

export interface Visitor {
  readonly name: string;
  readonly color: number;
  readonly cells: string;
}

export class GalleryPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly server: Server;
  readonly translations: Translations;
  private rooms = 0;
  /** Cleanup of resources of this state, such as other users. */
  private readonly cleanups: (() => Promise<void>)[] = [];

  constructor(page: Page, context: BrowserContext, server: Server, language: string) {
    this.page = page;
    this.context = context;
    this.server = server;
    this.translations = new Translations(language);
  }

  translate(message: string, count?: number): string {
    return this.translations.translate(message, count);
  }

  /**
   * Prepares the page for the next state: a tab that navigates loads a page in half of the time that a
   * new tab takes. Init scripts stay; a state that adds one has `changesTab`.
   */
  async clear(): Promise<void> {
    await this.context.setOffline(false);
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    // Leaves the page, so that also an address that differs in its fragment alone is loaded anew.
    await this.page.goto(new URL("/healthz", this.page.url()).href);
    await this.page.evaluate(() => sessionStorage.clear());
    for (const end of this.cleanups.splice(0)) {
      await end();
    }
  }

  /** Closes menus, popovers and dialogs with Escape. Returns whether none is left. */
  async closeOverlays(): Promise<boolean> {
    const overlays = this.page.locator(".menu, .popover, [role=dialog]");
    for (let attempt = 0; attempt < OVERLAYS_MAX; attempt++) {
      if ((await overlays.count()) === 0) {
        return true;
      }
      await this.page.keyboard.press("Escape");
      // Closing is done when the browser shows the next frame.
      await this.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    return (await overlays.count()) === 0;
  }

  /** Closes the page and releases the state's resources. */
  async close(): Promise<void> {
    await this.page.close();
    for (const end of this.cleanups.splice(0)) {
      await end();
    }
    await this.context.setOffline(false);
  }

  /** Opens the room without the state of the previous one. */
  async reset(room = ROOM): Promise<void> {
    await this.context.setOffline(false);
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    // The beforeunload dialog is accepted.
    await this.page.goto(`${this.server.url}/${room}`);
    await this.saved();
    await this.page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
  }

  /** Creates and opens a separate room, which the state may change. */
  async ownRoom(csv: string): Promise<string> {
    this.rooms += 1;
    const room = `state-${this.translations.language}-${this.rooms}-${Date.now()}`;
    await this.put(room, csv);
    await this.reset(room);
    return room;
  }

  /** Starts a separate server with additional command line flags. */
  async ownServer(...settings: string[]): Promise<Server> {
    const server = await Server.start(...settings);
    this.cleanups.push(() => server.stop());
    return server;
  }

  /** Opens the room as another user and selects cells. */
  async meet(person: Visitor, room = ROOM, server = this.server): Promise<Page> {
    const browser = this.context.browser();
    if (!browser) {
      throw new Error("the context has no browser");
    }
    const context = await browser.newContext();
    this.cleanups.push(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(({ name, color }) => localStorage.setItem("quadrille.identity", JSON.stringify({ name, color })), person);
    await page.goto(`${server.url}/${room}`);
    await page.locator(".save-state").getByText("Saved", { exact: true }).waitFor();
    await page.locator("input.name-box").fill(person.cells);
    await page.locator("input.name-box").press("Enter");
    return page;
  }

  async saved(): Promise<void> {
    await this.page.locator(".save-state").getByText(this.translate("Saved"), { exact: true }).waitFor();
  }

  async put(room: string, csv: string, server = this.server): Promise<void> {
    const response = await fetch(`${server.url}/api/v1/rooms/${room}`, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
      body: csv,
    });
    if (!response.ok) {
      throw new Error(`${response.status} ${await response.text()}`);
    }
  }

  async select(range: string): Promise<void> {
    // While a workbook opens, a text is in its place.
    const box = this.page.locator("input.name-box");
    await box.fill(range);
    await box.press("Enter");
    await this.page.locator(".cell-field:focus").waitFor();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  button(message: string): Locator {
    return this.page.getByRole("button", { name: this.translate(message), exact: true });
  }

  async menu(name: string): Promise<Locator> {
    await this.button(name).click();
    const menu = this.page.getByRole("menu");
    await menu.waitFor();
    return menu;
  }

  async choose(menu: string, item: string): Promise<void> {
    // The accessible name of an item may include an icon or a shortcut.
    await (await this.menu(menu)).getByText(this.translate(item), { exact: true }).click();
  }

  async dialog(menu: string, item: string): Promise<Locator> {
    await this.choose(menu, item);
    const dialog = this.page.getByRole("dialog");
    await dialog.waitFor();
    return dialog;
  }

  async command(given: Command): Promise<void> {
    await command(this.page, given);
    await this.saved();
  }

  /** Id of the sheet with the tab at this index. */
  async sheet(at = 0): Promise<number> {
    return Number(await this.page.locator(".sheet-tab").nth(at).getAttribute("data-sheet"));
  }

  /** Applies commands to the first sheet in one step. */
  async add(commands: (sheet: number) => readonly Command[]): Promise<void> {
    await this.command({ type: "many", commands: [...commands(await this.sheet())] });
  }

  /** Position of a cell in the viewport, assuming default sizes. */
  async point(column: number, row: number): Promise<{ x: number; y: number }> {
    const grid = await this.page.locator("main.grid").boundingBox();
    return { x: (grid?.x ?? 0) + 44 + column * 96 + 30, y: (grid?.y ?? 0) + 24 + row * 22 + 11 };
  }
}

/** Creates the example workbook. */
export async function createWorkbook(gallery: GalleryPage): Promise<void> {
  await gallery.put(ROOM, workbookCsv());
  await gallery.reset();
  const sheet = Number(await gallery.page.locator(".sheet-tab").first().getAttribute("data-sheet"));
  for (const given of workbookCommands(sheet)) {
    await command(gallery.page, given);
  }
  await command(gallery.page, { type: "addSheet", name: "Visitors", position: 1 });
  await gallery.page.locator(".sheet-tab").nth(1).waitFor();
  await gallery.saved();
  if ((await gallery.page.locator(".toast").count()) > 0) {
    throw new Error(`refused: ${await gallery.page.locator(".toast").allTextContents()}`);
  }
}

/** A browser context for a setting, with separate storage. */
export function contextOf(browser: Browser, { size, scheme }: Setting): Promise<BrowserContext> {
  return browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    hasTouch: size === "phone",
    isMobile: size === "phone",
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    // A service worker would serve files that states make unavailable.
    serviceWorkers: "block",
  });
}

/** A new page for one state. */
export async function openGalleryPage(context: BrowserContext, server: Server, language: string): Promise<GalleryPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await prepare(page, language);
  return new GalleryPage(page, context, server, language);
}

async function prepare(page: Page, language: string): Promise<void> {
  await keepWorker(page);
  page.on("dialog", (asked) => void asked.accept());
  await page.addInitScript((chosen) => {
    localStorage.setItem("quadrille.language", chosen);
    localStorage.setItem("quadrille.identity", JSON.stringify({ name: "Merry Otter", color: 0x2459c4 }));
  }, language);
}

/** One page of the gallery, in one size, scheme and language: what a state of the page needs to be brought about. */

import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import { command, keepWorker } from "../commands.ts";
import type { Server } from "../server.ts";
import { orchardCommands, orchardCsv } from "./orchard.ts";
import { Words } from "./words.ts";

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

/** The room that all states look at. */
export const ROOM = "harvest-2026";

export class Stage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly server: Server;
  readonly words: Words;
  private rooms = 0;

  constructor(page: Page, context: BrowserContext, server: Server, language: string) {
    this.page = page;
    this.context = context;
    this.server = server;
    this.words = new Words(language);
  }

  say(message: string, count?: number): string {
    return this.words.say(message, count);
  }

  /** Opens the room anew: nothing of the state before is left. */
  async reset(room = ROOM): Promise<void> {
    await this.context.setOffline(false);
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    // A dialog that asks whether to leave is answered with yes.
    await this.page.goto(`${this.server.url}/${room}`);
    await this.saved();
    await this.page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
  }

  /** A room of this state's own, which it may spoil. */
  async ownRoom(csv: string): Promise<string> {
    this.rooms += 1;
    const room = `state-${this.words.language}-${this.rooms}-${Date.now()}`;
    await this.put(room, csv);
    await this.reset(room);
    return room;
  }

  async saved(): Promise<void> {
    await this.page.locator(".save-state").getByText(this.say("Saved"), { exact: true }).waitFor();
  }

  async put(room: string, csv: string): Promise<void> {
    const response = await fetch(`${this.server.url}/api/v1/rooms/${room}`, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
      body: csv,
    });
    if (!response.ok) {
      throw new Error(`${response.status} ${await response.text()}`);
    }
  }

  async select(range: string): Promise<void> {
    const box = this.page.locator(".name-box");
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
    return this.page.getByRole("button", { name: this.say(message), exact: true });
  }

  async menu(name: string): Promise<Locator> {
    await this.button(name).click();
    const menu = this.page.getByRole("menu");
    await menu.waitFor();
    return menu;
  }

  async choose(menu: string, item: string): Promise<void> {
    // With an icon or a key beside it, the name of an item is longer than its words.
    await (await this.menu(menu)).getByText(this.say(item), { exact: true }).click();
  }

  async dialog(menu: string, item: string): Promise<Locator> {
    await this.choose(menu, item);
    const dialog = this.page.getByRole("dialog");
    await dialog.waitFor();
    return dialog;
  }

  async command(given: Parameters<typeof command>[1]): Promise<void> {
    await command(this.page, given);
    await this.saved();
  }

  /** Where a cell is on the screen, in default sizes. */
  async point(column: number, row: number): Promise<{ x: number; y: number }> {
    const grid = await this.page.locator("main.grid").boundingBox();
    return { x: (grid?.x ?? 0) + 44 + column * 96 + 30, y: (grid?.y ?? 0) + 24 + row * 22 + 11 };
  }
}

/** Makes the workbook that the states show. */
export async function furnish(stage: Stage): Promise<void> {
  await stage.put(ROOM, orchardCsv());
  await stage.reset();
  const sheet = Number(await stage.page.locator(".sheet-tab").first().getAttribute("data-sheet"));
  for (const given of orchardCommands(sheet)) {
    await command(stage.page, given);
  }
  await command(stage.page, { type: "addSheet", name: "Visitors", position: 1 });
  await stage.page.locator(".sheet-tab").nth(1).waitFor();
  await stage.saved();
  if ((await stage.page.locator(".toast").count()) > 0) {
    throw new Error(`refused: ${await stage.page.locator(".toast").allTextContents()}`);
  }
}

/** A browser's window of this size; what a page has kept does not reach the next. */
export function contextOf(browser: Browser, { size, scheme }: Setting): Promise<BrowserContext> {
  return browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    hasTouch: size === "phone",
    isMobile: size === "phone",
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    // It would answer what a state wants to be missing.
    serviceWorkers: "block",
  });
}

/** A new page for one state. */
export async function stageOf(context: BrowserContext, server: Server, language: string): Promise<Stage> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await prepare(page, language);
  return new Stage(page, context, server, language);
}

async function prepare(page: Page, language: string): Promise<void> {
  await keepWorker(page);
  page.on("dialog", (asked) => void asked.accept());
  await page.addInitScript((chosen) => {
    localStorage.setItem("quadrille.language", chosen);
    localStorage.setItem("quadrille.identity", JSON.stringify({ name: "Merry Otter", color: 0x2459c4 }));
  }, language);
}

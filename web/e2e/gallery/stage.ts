/** One page of the gallery, in one size, scheme and language: what a state of the page needs to be brought about. */

import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import type { Command } from "@quadrille/protocol";
import { command, keepWorker } from "../commands.ts";
import { Server } from "../server.ts";
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

export interface Persona {
  readonly name: string;
  readonly color: number;
  readonly cells: string;
}

export class Stage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly server: Server;
  readonly words: Words;
  private rooms = 0;
  /** What only this state has needed, such as other people. */
  private readonly endings: (() => Promise<void>)[] = [];

  constructor(page: Page, context: BrowserContext, server: Server, language: string) {
    this.page = page;
    this.context = context;
    this.server = server;
    this.words = new Words(language);
  }

  say(message: string, count?: number): string {
    return this.words.say(message, count);
  }

  /** The page and all that its state has needed are gone. */
  async close(): Promise<void> {
    await this.page.close();
    for (const end of this.endings) {
      await end();
    }
    await this.context.setOffline(false);
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

  /** A server of this state's own, with further flags of the command line. */
  async ownServer(...settings: string[]): Promise<Server> {
    const server = await Server.start(...settings);
    this.endings.push(() => server.stop());
    return server;
  }

  /** Somebody else in the room, with these cells selected. */
  async meet(person: Persona, room = ROOM, server = this.server): Promise<Page> {
    const browser = this.context.browser();
    if (!browser) {
      throw new Error("the context has no browser");
    }
    const context = await browser.newContext();
    this.endings.push(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(({ name, color }) => localStorage.setItem("quadrille.identity", JSON.stringify({ name, color })), person);
    await page.goto(`${server.url}/${room}`);
    await page.locator(".save-state").getByText("Saved", { exact: true }).waitFor();
    await page.locator(".name-box").fill(person.cells);
    await page.locator(".name-box").press("Enter");
    return page;
  }

  async saved(): Promise<void> {
    await this.page.locator(".save-state").getByText(this.say("Saved"), { exact: true }).waitFor();
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

  async command(given: Command): Promise<void> {
    await command(this.page, given);
    await this.saved();
  }

  /** The number of the sheet whose tab is at this place. */
  async sheet(at = 0): Promise<number> {
    return Number(await this.page.locator(".sheet-tab").nth(at).getAttribute("data-sheet"));
  }

  /** Gives the first sheet these things and looks, in one step. */
  async add(commands: (sheet: number) => readonly Command[]): Promise<void> {
    await this.command({ type: "many", commands: [...commands(await this.sheet())] });
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

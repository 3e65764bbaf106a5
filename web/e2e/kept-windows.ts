/**
 * The server and the windows that the tests of a worker use one after the other. Starting them takes
 * more time than most tests.
 *
 * A window is kept only if the test did nothing to it that would reach the next test; its storage is cleared.
 */

import type { BrowserContext, Page } from "@playwright/test";
import { keepWorker } from "./commands.ts";
import { Server } from "./server.ts";

/** What these do to a page or a context stays. */
const CHANGES_OF_PAGE = ["addInitScript", "close", "emulateMedia", "exposeBinding", "exposeFunction", "on", "once", "route", "routeWebSocket", "setExtraHTTPHeaders", "setViewportSize"] as const;
const CHANGES_OF_CONTEXT = [
  "addCookies",
  "addInitScript",
  "clearPermissions",
  "close",
  "exposeBinding",
  "exposeFunction",
  "grantPermissions",
  "newCDPSession",
  "newPage",
  "on",
  "once",
  "route",
  "routeWebSocket",
  "setExtraHTTPHeaders",
  "setGeolocation",
  "setOffline",
] as const;

/** Windows that wait for the next test. Few tests have more people. */
const WINDOWS_MAX = 3;

/** A browser context with a page. */
export class Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors on the page. */
  problems: string[] = [];
  private isChanged = false;
  /** Clears the storage of an origin. */
  private readonly clear: (origin: string) => Promise<void>;

  private constructor(context: BrowserContext, page: Page, clear: (origin: string) => Promise<void>) {
    this.context = context;
    this.page = page;
    this.clear = clear;
  }

  static async open(context: BrowserContext): Promise<Window> {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const window = new Window(context, page, async (origin) => {
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    });
    await keepWorker(page);
    page.on("pageerror", (error) => window.problems.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) {
        window.problems.push(message.text());
      }
    });
    window.watch(page, CHANGES_OF_PAGE);
    window.watch(context, CHANGES_OF_CONTEXT);
    return window;
  }

  /** Leaves the workbook and clears its storage. Returns whether the next test can use the window. */
  async reset(origin: string): Promise<boolean> {
    if (this.isChanged || this.context.pages().length !== 1) {
      return false;
    }
    try {
      await this.page.mouse.move(0, 0);
      // A small page that can clear the storage of the tab.
      await this.page.goto(`${origin}/healthz`, { timeout: 5_000 });
      await this.page.evaluate(() => sessionStorage.clear());
      await this.clear(origin);
      await this.context.clearCookies();
    } catch {
      // The test ended the server, for example.
      return false;
    }
    this.problems = [];
    return true;
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  /** Notes when one of these methods is called. */
  private watch<Target extends object>(target: Target, methods: readonly (keyof Target)[]): void {
    for (const name of methods) {
      const method = target[name] as (...given: unknown[]) => unknown;
      const watched = (...given: unknown[]): unknown => {
        this.isChanged = true;
        return method.apply(target, given);
      };
      target[name] = watched as Target[keyof Target];
    }
  }
}

/** The server and windows of a worker. */
export class Kept {
  private server: Server | undefined;
  private readonly windows: Window[] = [];
  private readonly newContext: () => Promise<BrowserContext>;

  constructor(newContext: () => Promise<BrowserContext>) {
    this.newContext = newContext;
  }

  async takeServer(): Promise<Server> {
    const { server } = this;
    this.server = undefined;
    return server ?? (await Server.start());
  }

  keepServer(server: Server): void {
    this.server = server;
  }

  async takeWindow(): Promise<Window> {
    let window = this.windows.pop();
    while (window?.page.isClosed()) {
      window = this.windows.pop();
    }
    return window ?? (await Window.open(await this.newContext()));
  }

  /** Keeps a window in which the test used a server at this address. */
  async keepWindow(window: Window, origin: string): Promise<void> {
    // The windows of a test are reset at the same time.
    if (this.windows.length < WINDOWS_MAX && (await window.reset(origin)) && this.windows.length < WINDOWS_MAX) {
      this.windows.push(window);
    } else {
      await window.close();
    }
  }

  async release(): Promise<void> {
    await Promise.all(this.windows.map((window) => window.close()));
    await this.server?.stop();
  }
}

/**
 * The server and the windows that the tests of a worker use one after the other. Starting them takes
 * more time than most tests.
 *
 * A window is kept only if the test did nothing to it that would reach the next test; its storage is cleared.
 */

import type { BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
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

/**
 * What browsers report as errors of the page that are none. Firefox: a WebSocket that cannot be opened or
 * ends, and the style sheet with which Playwright takes screenshots. WebKit: a size that is observed one
 * frame later.
 */
const NO_ERRORS: Readonly<Record<string, RegExp>> = {
  firefox: /^Firefox can’t establish a connection|^The connection to wss?:|blocked an inline style \(style-src-elem\)/,
  webkit: /^ResizeObserver loop completed/,
};

/** As violations of the policy of the page. WebKitGTK: that it has no apps, and the style sheet of screenshots. */
const NO_VIOLATIONS: Readonly<Record<string, RegExp>> = { webkit: /directive 'manifest-src'|^Refused to apply a stylesheet/ };

/** Windows that wait for the next test. Few tests have more people. */
const WINDOWS_MAX = 3;

/** A browser context with a page. */
export class Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors on the page. */
  problems: string[] = [];
  private isChanged = false;

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  static async open(context: BrowserContext): Promise<Window> {
    const page = await context.newPage();
    const window = new Window(context, page);
    await keepWorker(page);
    const browser = context.browser()?.browserType().name() ?? "";
    page.on("pageerror", (error) => {
      if (!NO_ERRORS[browser]?.test(error.message)) {
        window.problems.push(error.message);
      }
    });
    page.on("console", (message) => {
      if (/Content.Security.Policy/.test(message.text()) && !NO_VIOLATIONS[browser]?.test(message.text())) {
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
      // A test may have opened pages of another server.
      for (const visited of new Set([new URL(this.page.url()).origin, origin])) {
        // A small page that can clear the storage.
        await this.page.goto(`${visited}/healthz`, { timeout: 5_000 });
        await this.page.evaluate(clearStorage);
      }
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

/** Clears what the open page can reach: all storage of its origin. Runs on the page. */
async function clearStorage(): Promise<void> {
  sessionStorage.clear();
  localStorage.clear();
  for (const { name = "" } of await indexedDB.databases()) {
    await new Promise((done, failed) => {
      const deletion = indexedDB.deleteDatabase(name);
      deletion.addEventListener("success", done);
      deletion.addEventListener("error", failed);
    });
  }
  for (const name of await caches.keys()) {
    await caches.delete(name);
  }
}

/** The server and windows of a worker. */
export class Kept {
  private server: Server | undefined;
  private readonly windows: Window[] = [];
  /** Opens a window that nobody used before. */
  readonly openWindow: (options?: BrowserContextOptions) => Promise<Window>;

  constructor(openWindow: (options?: BrowserContextOptions) => Promise<Window>) {
    this.openWindow = openWindow;
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
    return window ?? (await this.openWindow());
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

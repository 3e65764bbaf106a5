/** Firefox for the tests of Playwright: one process for each person, since only one window of a process has the focus. */

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserType, LaunchOptions } from "@playwright/test";
import { WebSocket } from "ws";
import { freePort } from "../server.ts";

/** How Playwright starts an installed Firefox (`relay.mjs`). */
export const FIREFOX_OPTIONS: LaunchOptions = {
  channel: "moz-firefox",
  executablePath: fileURLToPath(new URL("relay.mjs", import.meta.url)),
  // Tests run scripts in the window of the browser.
  args: ["--remote-allow-system-access"],
  firefoxUserPrefs: {
    // Pages read the clipboard without a question.
    "dom.events.testing.asyncClipboard": true,
    // A mouse, which is precise (2) and hovers (4), on machines without one.
    "ui.primaryPointerCapabilities": 6,
    "ui.allPointerCapabilities": 6,
    "ui.prefersReducedMotion": 0,
    // The list of downloads would take the focus.
    "browser.download.alwaysOpenPanel": false,
  },
};

const processes = new WeakMap<Browser, FirefoxProcess>();

/** A process of Firefox. */
export class FirefoxProcess {
  readonly browser: Browser;
  private readonly port: number;

  private constructor(browser: Browser, port: number) {
    this.browser = browser;
    this.port = port;
  }

  static async launch(firefox: BrowserType): Promise<FirefoxProcess> {
    const port = await freePort();
    const browser = await firefox.launch({ ...FIREFOX_OPTIONS, args: [...(FIREFOX_OPTIONS.args ?? []), `--relay-port=${port}`] });
    const started = new FirefoxProcess(browser, port);
    processes.set(browser, started);
    return started;
  }

  /** The process that has this context. */
  static of(context: BrowserContext): FirefoxProcess {
    const browser = context.browser();
    const found = browser && processes.get(browser);
    if (!found) {
      throw new Error("this context is not in a process of Firefox");
    }
    return found;
  }

  /** Identifier of the process that runs the page with the focus. */
  async processOfPage(): Promise<number> {
    return Number(await this.runInWindow("return window.gBrowser.selectedBrowser.browsingContext.currentWindowGlobal.osPid;"));
  }

  /** Puts contents on the clipboard by their media types, as another program does. */
  async setClipboard(contents: Readonly<Record<string, string>>): Promise<void> {
    await this.runInWindow(`
      const transferable = Cc["@mozilla.org/widget/transferable;1"].createInstance(Ci.nsITransferable);
      transferable.init(null);
      for (const [type, text] of Object.entries(${JSON.stringify(contents)})) {
        const string = Cc["@mozilla.org/supports-string;1"].createInstance(Ci.nsISupportsString);
        string.data = text;
        transferable.addDataFlavor(type);
        transferable.setTransferData(type, string);
      }
      Services.clipboard.setData(transferable, null, Ci.nsIClipboard.kGlobalClipboard);
    `);
  }

  /**
   * Runs the body of an async function with the rights of the browser; `window` is the one that has the focus.
   * Returns what it returns, if that is a number or a text.
   */
  async runInWindow(script: string): Promise<unknown> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/commands`);
    await once(socket, "open");
    try {
      const send = async (method: string, params: object): Promise<Answer> => {
        socket.send(JSON.stringify({ id: 1, method, params }));
        const [data] = (await once(socket, "message")) as [Buffer];
        return JSON.parse(data.toString()) as Answer;
      };
      const tree = await send("browsingContext.getTree", { "moz:scope": "chrome" });
      const context = tree.result?.contexts?.[0]?.context;
      const expression = `(async (window) => { ${script} })(Services.focus.activeWindow)`;
      const answer = await send("script.evaluate", { target: { context }, awaitPromise: true, expression });
      if (answer.type !== "success" || answer.result?.exceptionDetails) {
        throw new Error(`Firefox did not run the script: ${answer.message ?? answer.result?.exceptionDetails?.text}`);
      }
      return answer.result?.result?.value;
    } finally {
      socket.close();
    }
  }
}

/** An answer of WebDriver BiDi, as far as `runInWindow` reads it. */
interface Answer {
  readonly type: "success" | "error";
  readonly message?: string;
  readonly result?: { readonly contexts?: readonly { readonly context: string }[]; readonly exceptionDetails?: { readonly text: string }; readonly result?: { readonly value?: unknown } };
}

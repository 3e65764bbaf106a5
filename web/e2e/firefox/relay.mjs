#!/usr/bin/env node
/**
 * Starts the Firefox that `FIREFOX` names and relays its WebDriver BiDi connection to Playwright, which
 * takes this file for the browser. Some messages are changed on the way, because Firefox ESR 153 does not
 * do what Playwright 1.65 expects:
 *
 * - Firefox does not know `emulation.setMediaFeaturesOverride`, which Playwright sends for each context
 *   and page. Of the features, the color scheme of a page is set by the window of the browser.
 * - Firefox counts the clicks of a double click within one `input.performActions` alone, and Playwright
 *   sends every press and release of a button on its own. Those that follow one another are sent together.
 * - Playwright inserts text by a script on the page, so that the page gets no `change` event, and no
 *   `beforeinput`. The window of the browser inserts it instead.
 * - Firefox gives downloads no identifier.
 * - The window with which Firefox starts takes the focus when it is complete. Playwright waits for that.
 *
 * With `--relay-port=PORT`, tests can send commands of their own to `ws://127.0.0.1:PORT/commands`.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

/** How long a release of a button waits for the next press. Playwright sends both presses of a double click at once. */
const NEXT_PRESS_MS = 15;

/** First identifier of commands that Playwright has not sent; its own count from 1. */
const OWN_IDS = 2 ** 40;

const MESSAGE_BYTES_MAX = 2 ** 30;

/** A connection to Firefox that Playwright and the tests share. */
class Relay {
  playwright;
  firefox;
  /** Presses and releases of a button that Firefox has not got yet. Playwright has their answers. */
  held = [];
  heldTimer;
  /** What waits for the answers of own commands, by identifier. */
  waiting = new Map();
  nextId = OWN_IDS;
  /** The command that begins the session. */
  sessionId;
  /** Identifiers of downloads, by address. */
  downloads = new Map();
  /** Messages of Playwright are handled one after the other. */
  queue;

  constructor(playwright, firefox) {
    this.playwright = playwright;
    this.firefox = firefox;
    this.queue = new Promise((resolve) => firefox.once("open", resolve));
    playwright.on("message", (data) => this.enqueue(() => this.forward(data.toString())));
    firefox.on("message", (data) => this.receive(data.toString()));
    playwright.on("close", () => firefox.close());
    firefox.on("close", () => playwright.close());
  }

  enqueue(step) {
    this.queue = this.queue.then(step);
  }

  /** Sends a command of its own. Returns the answer. */
  command(method, params) {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.firefox.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Forwards a command of Playwright. */
  async forward(text) {
    clearTimeout(this.heldTimer);
    const command = JSON.parse(text);
    const isButton = isButtonAction(command);
    if (!isButton || this.held.some(({ params }) => params.context !== command.params.context)) {
      await this.releaseHeld();
    }
    if (isButton) {
      this.held.push(command);
      this.answer(command, {});
      this.heldTimer = setTimeout(() => this.enqueue(() => this.releaseHeld()), NEXT_PRESS_MS);
    } else if (command.method === "session.new") {
      this.sessionId = command.id;
      this.firefox.send(text);
    } else if (command.method === "emulation.setMediaFeaturesOverride") {
      await this.setColorScheme(command);
      this.answer(command, {});
    } else if (isInsertion(command) && (await this.insertText(command))) {
      this.answer(command, { type: "success", realm: "", result: { type: "undefined" } });
    } else {
      this.firefox.send(text);
    }
  }

  answer({ id }, result) {
    this.playwright.send(JSON.stringify({ type: "success", id, result }));
  }

  /** Runs a script in a window of the browser, with the rights of the browser. */
  async runInWindow(expression) {
    const tree = await this.command("browsingContext.getTree", { "moz:scope": "chrome" });
    return this.command("script.evaluate", { target: { context: tree.result.contexts[0].context }, awaitPromise: true, expression });
  }

  async setColorScheme({ params: { contexts = [], features } }) {
    const scheme = features["prefers-color-scheme"];
    for (const context of contexts) {
      await this.runInWindow(`{
        const { NavigableManager } = ChromeUtils.importESModule("chrome://remote/content/shared/NavigableManager.sys.mjs");
        NavigableManager.getBrowsingContextById(${JSON.stringify(context)}).prefersColorSchemeOverride = ${JSON.stringify(scheme ?? "none")};
      }`);
    }
  }

  /** Inserts the text of Playwright's script where the focus is. Returns whether it is on the page itself. */
  async insertText({ params }) {
    const focus = await this.command("script.evaluate", {
      target: params.target,
      awaitPromise: false,
      expression: 'document.hasFocus() && document.activeElement?.localName !== "iframe"',
    });
    if (focus.result?.result?.value !== true) {
      return false;
    }
    const text = params.arguments.at(-1).value;
    const answer = await this.runInWindow(`Services.focus.activeWindow.windowUtils.sendContentCommandEvent("insertText", null, ${JSON.stringify(text)})`);
    // What follows on the page must find the text: keys overtake it on their way to the process of the page.
    await this.command("script.evaluate", { target: params.target, awaitPromise: false, expression: "0" });
    return answer.type === "success" && answer.result.type === "success";
  }

  /** Sends the presses and releases that are held, and waits until Firefox has done them. */
  async releaseHeld() {
    clearTimeout(this.heldTimer);
    const [first] = this.held;
    if (!first) {
      return;
    }
    const [source] = first.params.actions;
    const actions = this.held.flatMap(({ params }) => params.actions[0].actions);
    this.held = [];
    const answer = await this.command("input.performActions", { ...first.params, actions: [{ ...source, actions }] });
    if (answer.type === "error") {
      process.stderr.write(`Firefox did not press a button: ${answer.message}\n`);
    }
  }

  /** Waits until the first window is complete. */
  async waitForFirstWindow() {
    await this.runInWindow(
      `(async () => {
        const first = Services.wm.getMostRecentWindow("navigator:browser");
        while (!first.gBrowserInit?.delayedStartupFinished) {
          await new Promise((done) => first.setTimeout(done, 20));
        }
      })()`,
    );
  }

  /** Handles a message of Firefox. */
  receive(text) {
    // Most messages are long, and are not for the relay.
    if (/^\{"type":"(success|error)","id":\d{13}/.test(text)) {
      const answer = JSON.parse(text);
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    } else if (text.startsWith('{"type":"event","method":"browsingContext.download')) {
      this.playwright.send(JSON.stringify(this.identifyDownload(JSON.parse(text))));
    } else if (text.startsWith(`{"type":"success","id":${this.sessionId},`)) {
      void this.waitForFirstWindow().then(() => this.playwright.send(text));
    } else {
      this.playwright.send(text);
    }
  }

  /** Adds an identifier to an event of a download. */
  identifyDownload(event) {
    const { url } = event.params;
    if (event.method === "browsingContext.downloadWillBegin") {
      this.downloads.set(url, randomUUID());
    }
    return { ...event, params: { ...event.params, download: this.downloads.get(url) } };
  }
}

/** Whether a command presses or releases a button of the mouse and does nothing else. */
function isButtonAction({ method, params }) {
  if (method !== "input.performActions" || params.actions.length !== 1) {
    return false;
  }
  const [{ type, actions }] = params.actions;
  return type === "pointer" && actions.length === 1 && (actions[0].type === "pointerDown" || actions[0].type === "pointerUp");
}

/** Whether a command is Playwright's script that inserts text. */
function isInsertion({ method, params }) {
  return method === "script.callFunction" && params.arguments?.some(({ value }) => typeof value === "string" && value.includes("window.__pw_bidiInsertText("));
}

const given = process.argv.slice(2);
const portFlag = "--relay-port=";
const port = Number(given.find((flag) => flag.startsWith(portFlag))?.slice(portFlag.length) ?? 0);
const flags = given.filter((flag) => !flag.startsWith(portFlag));
const firefox = spawn(process.env.FIREFOX ?? "/usr/bin/firefox-esr", flags, { stdio: ["ignore", "inherit", "pipe"] });
firefox.on("error", (error) => {
  process.stderr.write(`Firefox was not started: ${error.message}\n`);
  process.exit(1);
});
firefox.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => firefox.kill(signal));
}

/** Listens once Firefox has said its own address. */
function listen(address) {
  let relay;
  const server = new WebSocketServer({ host: "127.0.0.1", port, maxPayload: MESSAGE_BYTES_MAX });
  server.on("connection", (client, { url }) => {
    if (url !== "/commands") {
      relay = new Relay(client, new WebSocket(`${address}${url}`, { maxPayload: MESSAGE_BYTES_MAX }));
      return;
    }
    client.on("message", async (data) => {
      const { id, method, params } = JSON.parse(data.toString());
      const answer = await relay.command(method, params);
      client.send(JSON.stringify({ ...answer, id }));
    });
  });
  server.on("listening", () => process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`));
}

createInterface({ input: firefox.stderr }).on("line", (line) => {
  const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
  if (address) {
    listen(address);
  } else {
    process.stderr.write(`${line}\n`);
  }
});

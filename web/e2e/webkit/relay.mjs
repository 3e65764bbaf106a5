#!/usr/bin/env node
/**
 * Lets Playwright drive Debian's WebKitGTK. Playwright takes this file for its own WebKit, which has
 * patches and cannot be installed from Debian or the package registries, and talks to it over a pipe:
 * the protocol of WebKit's Web Inspector, with additions. Scripts, frames and requests of a page go to
 * the inspector of WebKitGTK nearly as they are (`page.mjs`); windows and their input go to its
 * WebDriver server, so that keys and the mouse are real ones (`driver.mjs`).
 *
 * Each context is a browser of its own with a display of its own (`process.mjs`), since only one window
 * of a display has the focus.
 */

import { Socket } from "node:net";
import { Context } from "./context.mjs";

/** Playwright's end of the pipe: it reads from 4 and writes to 3. */
const FROM_PLAYWRIGHT = 3;
const TO_PLAYWRIGHT = 4;

class Relay {
  // Playwright may be gone first.
  out = new Socket({ fd: TO_PLAYWRIGHT }).on("error", () => undefined);
  contexts = new Map();
  pages = new Map();
  nextId = 1;

  send(message) {
    this.out.write(`${JSON.stringify(message)}\0`);
  }

  /** Handles a command of Playwright. */
  async receive({ id, method, params = {}, pageProxyId }) {
    const page = { ...(pageProxyId && { pageProxyId }) };
    try {
      const result = await (pageProxyId ? this.page(pageProxyId).handle(method, params) : this.handle(method, params));
      this.send({ id, result: result ?? {}, ...page });
    } catch (error) {
      this.send({ id, error: { message: error.message }, ...page });
    }
  }

  page(id) {
    const page = this.pages.get(id);
    if (!page) {
      throw new Error("the page is closed");
    }
    return page;
  }

  async handle(method, params) {
    const context = this.contexts.get(params.browserContextId);
    switch (method) {
      case "Playwright.createContext": {
        const browserContextId = `context-${this.nextId++}`;
        this.contexts.set(browserContextId, new Context(this, browserContextId));
        return { browserContextId };
      }
      case "Playwright.deleteContext":
        this.contexts.delete(params.browserContextId);
        await context.close();
        return {};
      case "Playwright.createPage":
        return { pageProxyId: (await context.openPage()).id };
      case "Playwright.closePage":
        await this.page(params.pageProxyId).context.closePage(this.page(params.pageProxyId));
        return {};
      case "Playwright.navigate":
        return this.page(params.pageProxyId).navigate(params.url);
      case "Playwright.setLanguages":
        context.languages = params.languages;
        return {};
      case "Playwright.setDownloadBehavior":
        context.downloadPath = params.downloadPath;
        return {};
      case "Playwright.getAllCookies":
        return { cookies: await context.cookies() };
      case "Playwright.setCookies":
        await context.setCookies(params.cookies);
        return {};
      case "Playwright.deleteAllCookies":
        await context.deleteCookies();
        return {};
      case "Playwright.enable":
      case "Playwright.grantFileReadAccess":
        return {};
      case "Playwright.close":
        await this.close();
        return {};
      default:
        throw new Error(`${method} is not possible in WebKitGTK`);
    }
  }

  async close() {
    await Promise.all([...this.contexts.values()].map((context) => context.close()));
    process.exit(0);
  }
}

const relay = new Relay();
let received = "";
const input = new Socket({ fd: FROM_PLAYWRIGHT }).setEncoding("utf8");
input.on("data", (data) => {
  const messages = (received + data).split("\0");
  received = messages.pop();
  for (const message of messages) {
    void relay.receive(JSON.parse(message));
  }
});
input.on("end", () => relay.close());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => relay.close());
}

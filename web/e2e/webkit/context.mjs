/** A browser context of Playwright: a browser without stored data, its windows and its network. */

import { watch } from "node:fs";
import { copyFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { Page } from "./page.mjs";
import { PAGE_SCRIPT, SCRIPTS } from "./page-script.mjs";
import { WebKitProcess } from "./process.mjs";
import { Proxy } from "./proxy.mjs";

/** The inspector numbers what it can look at: the first page, the session of WebDriver, further pages and service workers. */
const FIRST_PAGE = 1;
const SECOND_PAGE = 3;

/** How many numbers after the last one a new page may have. */
const NUMBERS_TRIED = 12;

const PAGE_MS_MAX = 10_000;

/** When a page is looked for that another one has opened, and for how long. */
const POPUP_DELAYS_MS = [100, 600, 2_000];
const POPUP_MS_MAX = 60;

/** Added by WebKitGTK to the names of files that it downloads. */
const UNFINISHED = ".wkdownload";

const DOWNLOAD_MS_MAX = 20_000;

export class Context {
  id;
  relay;
  browser;
  proxy;
  languages;
  downloadPath;
  hasBinding = false;
  interceptsFiles = false;
  /** By the number of the inspector's target. */
  pages = new Map();
  /** Messages of targets that no page has yet. */
  unclaimed = new Map();
  /** A window without a page for Playwright. */
  spare;
  /** Number of the last page. */
  last = 0;
  watcher;
  opening = Promise.resolve();
  /** Pages that Playwright waits for. */
  openingCount = 0;
  isClosed = false;

  constructor(relay, id) {
    this.relay = relay;
    this.id = id;
  }

  /** The script of a new document. */
  script(source) {
    return [PAGE_SCRIPT, ...(this.hasBinding ? [SCRIPTS.installBinding] : []), ...(this.interceptsFiles ? [SCRIPTS.interceptFiles(true)] : []), ...(this.proxy.isOffline ? [SCRIPTS.setOnline(false)] : []), source].join(";\n");
  }

  /** Ends or restores the connections of the browser. Returns whether that is a change. */
  setOffline(isOffline) {
    const isChange = isOffline !== this.proxy.isOffline;
    this.proxy.setOffline(isOffline);
    return isChange;
  }

  openPage() {
    this.openingCount += 1;
    const page = this.opening.then(() => this.openNextPage()).finally(() => {
      this.openingCount -= 1;
    });
    this.opening = page.catch(() => undefined);
    return page;
  }

  async openNextPage() {
    const isFirst = this.browser === undefined;
    if (isFirst) {
      await this.start();
    }
    const { driver } = this.browser;
    const window = isFirst ? driver.current : (this.spare ?? (await driver.newWindow()));
    this.spare = undefined;
    const [target, created] = await this.newTarget();
    return this.addPage(target, created, window);
  }

  async addPage(target, created, window, opener) {
    // A page that another one opens can be a tab of the same window.
    const displayed = await this.browser.display.newWindow().catch(() => opener?.displayed);
    const page = new Page(this, `page-${this.id}-${target}`, target, window, displayed);
    this.pages.set(target, page);
    this.relay.pages.set(page.id, page);
    this.relay.send({ method: "Playwright.pageProxyCreated", params: { pageProxyId: page.id, browserContextId: this.id, ...(opener && { openerId: opener.id }) } });
    // Scripts of Playwright run before those of the next page.
    page.sendToInspector({ id: page.nextId++, method: "Target.setPauseOnStart", params: { pauseOnStart: true } });
    for (const message of created) {
      page.receive(message);
    }
    return page;
  }

  async start() {
    this.proxy = await Proxy.start();
    this.browser = await WebKitProcess.start(this.proxy.port, this.languages);
    this.browser.inspector.on("message", (target, message) => {
      const page = this.pages.get(target);
      if (page) {
        page.receive(message);
      } else {
        this.unclaimed.set(target, [...(this.unclaimed.get(target) ?? []), message]);
      }
    });
    this.watchDownloads();
  }

  /** Finds the windows that the page opens after a press of a key or button. */
  findPopups(opener) {
    for (const delay of POPUP_DELAYS_MS) {
      setTimeout(() => {
        if (!this.isClosed && this.openingCount === 0) {
          this.opening = this.opening.then(() => this.adoptPopups(opener)).catch(() => undefined);
        }
      }, delay);
    }
  }

  async adoptPopups(opener) {
    if (this.spare !== undefined || this.pages.size === 0) {
      return;
    }
    const found = await this.newTarget(POPUP_MS_MAX).catch(() => undefined);
    if (found) {
      const [target, created] = found;
      const known = new Set([...this.pages.values()].map(({ window }) => window));
      const windows = await this.browser.driver.request("GET", "/window/handles");
      await this.addPage(target, created, windows.find((window) => !known.has(window)), opener);
    }
  }

  /** Finds the target of a window that was opened. */
  async newTarget(milliseconds = PAGE_MS_MAX) {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      for (const number of this.nextNumbers()) {
        this.browser.inspector.attach(number);
      }
      for (let wait = 0; wait < 10; wait += 1) {
        await new Promise((done) => setTimeout(done, 20));
        const found = [...this.unclaimed].find(([, messages]) => messages.some(({ method }) => method === "Target.targetCreated"));
        if (found) {
          this.unclaimed.delete(found[0]);
          this.last = Math.max(this.last, found[0]);
          return found;
        }
      }
    }
    throw new Error("the new window has no page");
  }

  nextNumbers() {
    if (this.last === 0) {
      return [FIRST_PAGE];
    }
    const first = Math.max(SECOND_PAGE, this.last + 1);
    return Array.from({ length: NUMBERS_TRIED }, (_, index) => first + index).filter((number) => !this.unclaimed.has(number));
  }

  async closePage(page) {
    this.forget(page);
    if (this.pages.size === 0) {
      // The session of WebDriver ends with its last window.
      this.spare = await this.browser.driver.newWindow();
    }
    await this.browser.driver.closeWindow(page.window, this.anyWindow ?? this.spare);
  }

  forget(page) {
    this.pages.delete(page.target);
    this.relay.pages.delete(page.id);
    this.relay.send({ method: "Playwright.pageProxyDestroyed", params: { pageProxyId: page.id } });
  }

  async close() {
    if (this.isClosed) {
      return;
    }
    this.isClosed = true;
    await this.opening;
    for (const page of this.pages.values()) {
      this.forget(page);
    }
    this.watcher?.close();
    await this.browser?.stop();
    this.proxy?.stop();
  }

  /** Reports the files that the browser saves. */
  watchDownloads() {
    const { downloads } = this.browser;
    const seen = new Set();
    this.watcher = watch(downloads, (_, name) => {
      if (name && !name.endsWith(UNFINISHED) && !seen.has(name) && this.downloadPath !== undefined) {
        seen.add(name);
        void this.reportDownload(name, join(downloads, name))
          .catch((error) => process.stderr.write(`${name} was not saved: ${error.message}\n`))
          .finally(() => seen.delete(name));
      }
    });
  }

  async reportDownload(name, path) {
    const size = async (file) => (await stat(file).catch(() => undefined))?.size;
    if ((await size(path)) === undefined) {
      // The event of its removal.
      return;
    }
    const uuid = randomUUID();
    const [page] = this.pages.values();
    this.relay.send({ method: "Playwright.downloadCreated", params: { pageProxyId: page.id, frameId: page.mainFrame, uuid, url: page.url } });
    this.relay.send({ method: "Playwright.downloadFilenameSuggested", params: { uuid, suggestedFilename: name } });
    // The file is empty until the unfinished one takes its place.
    const end = Date.now() + DOWNLOAD_MS_MAX;
    while (Date.now() < end && ((await size(path + UNFINISHED)) !== undefined || (await size(path)) === 0)) {
      await new Promise((done) => setTimeout(done, 20));
    }
    await copyFile(path, join(this.downloadPath, uuid));
    await rm(path);
    this.relay.send({ method: "Playwright.downloadFinished", params: { uuid } });
    // The browser lists it below the page.
    await Promise.all([...this.pages.values()].map((open) => open.resize()));
  }

  get anyWindow() {
    const [page] = this.pages.values();
    return page?.window;
  }

  /** Cookies of the open page. WebDriver knows no others. */
  async cookies() {
    if (!this.anyWindow) {
      return [];
    }
    const cookies = await this.browser.driver.to(this.anyWindow, "GET", "/cookie");
    return cookies.map(({ expiry, sameSite = "None", ...cookie }) => ({ ...cookie, sameSite, session: expiry === undefined, expires: expiry === undefined ? -1 : expiry * 1000 }));
  }

  async setCookies(cookies) {
    for (const { name, value, domain, path, expires, session, httpOnly, secure, sameSite } of cookies) {
      const cookie = { name, value, domain, path, httpOnly, secure, ...(sameSite && { sameSite }), ...(session ? {} : { expiry: Math.round(expires / 1000) }) };
      await this.browser.driver.to(this.anyWindow, "POST", "/cookie", { cookie });
    }
  }

  async deleteCookies() {
    if (this.anyWindow) {
      await this.browser.driver.to(this.anyWindow, "DELETE", "/cookie");
    }
  }
}

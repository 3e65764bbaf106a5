/**
 * Test fixture: people in Firefox. Playwright cannot drive an installed Firefox, so that Puppeteer
 * does, over WebDriver BiDi. Each person has a container of the same Firefox, with storage and
 * cookies of its own, and a window, since hidden tabs do not paint.
 */

import { test as base, expect } from "@playwright/test";
import puppeteer, { type Browser, type BrowserContext, type KeyInput, type Page, Puppeteer } from "puppeteer-core";
import { type Admin, Server } from "../server.ts";

export { expect };

export const FIREFOX = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";

export const ADA: Admin = { name: "Ada Lovelace", email: "ada@example.org", password: "correct horse battery staple" };

/**
 * Finds elements by role and exact name, as in `::-p-control(button Share)`. Puppeteer's `::-p-aria` makes
 * Firefox compute the names of all elements on the page for each question, and the page has hundreds of cells.
 */
Puppeteer.registerCustomQueryHandler("control", {
  // Runs on the page.
  queryAll: (root, selector) => {
    const [, role = "", name = ""] = /^(\w+) (.*)$/.exec(selector) ?? [];
    const tags: Record<string, string> = {
      button: "button",
      heading: "h1, h2, h3",
      radio: "input[type=radio]",
      textbox: "input:not([type=radio], [type=checkbox]), textarea",
    };
    const textOf = (element: Element): string =>
      [...element.childNodes]
        .map((child) => (child instanceof Element ? (child.getAttribute("aria-hidden") === "true" ? "" : textOf(child)) : (child.textContent ?? "")))
        .join("");
    const nameOf = (element: Element): string => {
      const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
      const labels = ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
      const label = (element as Partial<HTMLInputElement>).labels?.[0]?.textContent;
      return (element.getAttribute("aria-label") ?? (labels || label || textOf(element))).trim();
    };
    const found = (root as Element).querySelectorAll([`[role=${role}]`, ...(tags[role] ? [tags[role]] : [])].join(", "));
    return [...found].filter((element) => nameOf(element) === name);
  },
});

/** A person with a window. Controls are found by their accessible names. */
export class Person {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Waits until an element with this role and exact name is visible. */
  async finds(role: string, name: string): Promise<void> {
    await this.page.waitForSelector(`::-p-control(${role} ${name})`, { visible: true });
  }

  /** Waits until this text is visible. */
  async reads(text: string): Promise<void> {
    await this.page.waitForSelector(`::-p-text(${text})`, { visible: true });
  }

  /** Number of elements with this role and exact name. */
  async count(role: string, name: string): Promise<number> {
    return (await this.page.$$(`::-p-control(${role} ${name})`)).length;
  }

  async clicks(role: string, name: string): Promise<void> {
    await this.page.locator(`::-p-control(${role} ${name})`).click();
  }

  async fills(role: string, name: string, text: string): Promise<void> {
    await this.page.locator(`::-p-control(${role} ${name})`).fill(text);
  }

  async seesInCell(cell: string, text: string): Promise<void> {
    await expect.poll(() => this.page.evaluate((name) => document.querySelector(`[role=gridcell][data-cell="${name}"]`)?.textContent, cell), `cell ${cell}`).toBe(text);
  }

  async isLocked(cell: string): Promise<boolean> {
    return (await this.page.$(`[role=gridcell][data-cell="${cell}"][aria-readonly=true]`)) !== null;
  }

  /** Selects a cell by the name box. */
  async select(cell: string): Promise<void> {
    await this.page.locator(".name-box").click();
    await this.pressesWith(["Control"], "a");
    await this.page.keyboard.type(cell);
    await this.page.keyboard.press("Enter");
    await this.page.waitForFunction(
      (name) => document.activeElement?.classList.contains("cell-field") && document.querySelector<HTMLInputElement>(".name-box")?.value === name,
      {},
      cell,
    );
  }

  async types(cell: string, text: string): Promise<void> {
    await this.select(cell);
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }

  /** Opens the comments of a cell. */
  async opensComments(cell: string): Promise<void> {
    await this.select(cell);
    await this.pressesWith(["Control", "Alt"], "m");
    await this.finds("heading", "Comments");
  }

  /** Presses a key while others are held. */
  async pressesWith(held: readonly KeyInput[], key: KeyInput): Promise<void> {
    for (const name of held) {
      await this.page.keyboard.down(name);
    }
    await this.page.keyboard.press(key);
    for (const name of held) {
      await this.page.keyboard.up(name);
    }
  }

  /** Whether each of these entries of the file menu is enabled. */
  async fileMenu(...entries: readonly string[]): Promise<boolean[]> {
    await this.clicks("button", "File");
    await this.page.waitForSelector("[role=menu]", { visible: true });
    const enabled = await this.page.$$eval(
      "[role=menuitem]",
      (items, names) => names.map((name) => items.some((item) => item.textContent?.includes(name) && item.getAttribute("aria-disabled") !== "true")),
      entries,
    );
    await this.page.keyboard.press("Escape");
    await this.page.waitForSelector("[role=menu]", { hidden: true });
    return enabled;
  }

  /** Opens the Share dialog. */
  async opensShare(): Promise<void> {
    // The button of a preview is replaced.
    await this.page.waitForSelector(".cell-field");
    await this.clicks("button", "Share");
    await this.finds("heading", "General access");
  }
}

/** A workbook, changed by its owner over REST. */
export interface Owned {
  readonly url: string;
  readonly key: string;
  /** Changes the access; returns the answer, if it has one. */
  change(method: string, path: string, body?: object): Promise<Record<string, string>>;
}

interface Firefox {
  /** A restricted workbook with `apples` in A1. */
  restricted(): Promise<Owned>;
  /** Opens an address as somebody new, who is signed in if `account` is given. */
  arrive(address: string, account?: Admin): Promise<Person>;
  /** Creates an account. */
  join(account: Admin): Promise<void>;
}

async function send(url: string, method: string, token: string, body?: object): Promise<Record<string, string>> {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  expect(response.ok, `${method} ${url}: ${response.status}`).toBe(true);
  const text = await response.text();
  return text === "" ? {} : (JSON.parse(text) as Record<string, string>);
}

/** Signs in on the page that is open. */
async function signIn(page: Page, { email, password }: Admin): Promise<void> {
  const status = await page.evaluate(
    async (body) => {
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/v1/session", { method: "POST", headers, body })).status;
    },
    JSON.stringify({ email, password }),
  );
  expect(status).toBeLessThan(300);
}

export const test = base.extend<{ firefox: Firefox }, { browserAndServer: { readonly browser: Browser; readonly server: Server } }>({
  browserAndServer: [
    async ({}, use) => {
      const server = await Server.startWithAdmin(ADA, "--create-workbooks", "anyone");
      const browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true, defaultViewport: null });
      await use({ browser, server });
      await browser.close();
      await server.stop();
    },
    { scope: "worker" },
  ],
  firefox: async ({ browserAndServer: { browser, server } }, use) => {
    const contexts: BrowserContext[] = [];
    const problems: string[] = [];
    const arrive: Firefox["arrive"] = async (address, account) => {
      const context = await browser.createBrowserContext();
      contexts.push(context);
      const page = await context.newPage({ type: "window" });
      page.setDefaultTimeout(20_000);
      page.on("pageerror", (error) => problems.push(String(error)));
      if (account) {
        await page.goto(`${server.url}/_sign-in`);
        await signIn(page, account);
      }
      await page.goto(address);
      return new Person(page);
    };
    await use({
      arrive,
      restricted: async () => {
        const { room = "", ownerKey: key = "" } = await send(`${server.url}/api/v1/rooms`, "POST", "", { claim: true });
        const change: Owned["change"] = (method, path, body) => send(`${server.url}/api/v1/rooms/${room}/access${path}`, method, key, body);
        await change("PUT", "", { general: "restricted" });
        await send(`${server.url}/api/v1/rooms/${room}/sheets/Sheet1/cells/A1`, "PUT", key, { value: "apples" });
        return { url: `${server.url}/${room}`, key, change };
      },
      join: async (account) => {
        const admin = await arrive(`${server.url}/_account`, ADA);
        const status = await admin.page.evaluate(
          async (body) => (await fetch("/api/v1/admin/accounts", { method: "POST", headers: { "content-type": "application/json" }, body })).status,
          JSON.stringify(account),
        );
        expect(status).toBe(201);
      },
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(problems, "errors on the page").toEqual([]);
  },
});

/** Test fixture: a server with accounts, and browsers of people who use it. */

import { test as base, type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import { type Admin, Server } from "./server.ts";

export { expect };

export const ADA: Admin = { name: "Ada Lovelace", email: "ada@example.org", password: "correct horse battery staple" };

/** A server with accounts, of which Ada has one and is an administrator. */
export interface AccountsWorld {
  readonly server: Server;
  /** A page in a browser of its own. */
  open(path: string): Promise<Page>;
  /** A page in a browser in which Ada is signed in. */
  openAsAda(path: string): Promise<Page>;
}

export const test = base.extend<{ accounts: AccountsWorld }>({
  accounts: async ({ browser }, use) => {
    const server = await Server.startWithAdmin(ADA);
    const contexts: BrowserContext[] = [];
    const problems: string[] = [];
    const open = async (path: string): Promise<Page> => {
      const page = await newPage(browser, contexts, problems);
      await page.goto(server.namedUrl + path);
      return page;
    };
    await use({
      server,
      open,
      openAsAda: async (path) => {
        const page = await open(`/_sign-in?return=${encodeURIComponent(path)}`);
        await signIn(page, ADA.email, ADA.password);
        await page.waitForURL(server.namedUrl + path);
        return page;
      },
    });
    await Promise.all(contexts.map((context) => context.close()));
    await server.stop();
    expect(problems, "errors on the page").toEqual([]);
  },
});

async function newPage(browser: Browser, contexts: BrowserContext[], problems: string[]): Promise<Page> {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  contexts.push(context);
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) {
      problems.push(message.text());
    }
  });
  return page;
}

/** Fills in the form of the sign-in page. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Creates an account, on a page of an administrator. */
export async function addAccount(page: Page, account: Admin): Promise<void> {
  const status = await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/v1/admin/accounts", { method: "POST", headers, body: JSON.stringify(body) })).status;
  }, account);
  expect(status).toBe(201);
}

/** Signs out with the account menu. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}

/** A section of the account page or of administration. */
export function section(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

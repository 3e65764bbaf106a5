/** Pictures of people whom a host application has signed in (docs/embedding.md, "Pictures"). */

import { createServer, type IncomingMessage } from "node:http";
import type { Browser, Page } from "@playwright/test";
import { hostToken } from "./gallery/access.ts";
import { Server } from "./server.ts";
import { expect, test } from "./user.ts";

const SECRET = "a secret of at least thirty-two bytes";

/** A red GIF of one pixel. */
const PIXEL = "R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";

/** A server for pictures, with the requests that it got. */
async function pictureServer(): Promise<{ readonly url: string; readonly requests: IncomingMessage[]; stop(): Promise<void> }> {
  const requests: IncomingMessage[] = [];
  const http = createServer((request, response) => {
    requests.push(request);
    response.setHeader("content-type", "image/gif").end(Buffer.from(PIXEL, "base64"));
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const address = http.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    requests,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

async function arrive(browser: Browser, server: Server, name: string, picture: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.url}/plan#token=${hostToken(SECRET, name, picture)}`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText(/Saved/);
  return page;
}

/** Opens the list of people and returns the address of the picture in the row of a person. */
function pictureOf(page: Page, name: string) {
  return page.getByRole("listitem").filter({ hasText: name }).locator(".avatar img");
}

test("people see the pictures that a host gives, from named origins only", async ({ browser }) => {
  const named = await pictureServer();
  const other = await pictureServer();
  const issuers = [{ issuer: "wiki", secret: SECRET, picture_origins: [named.url] }];
  const server = await Server.start("--token-issuers", JSON.stringify(issuers));
  try {
    const ada = await arrive(browser, server, "Ada", `${named.url}/ada.gif`);
    await arrive(browser, server, "Bob", `data:image/gif;base64,${PIXEL}`);
    await arrive(browser, server, "Eve", `${other.url}/eve.gif`);
    await ada.getByRole("button", { name: "3 people here" }).click();
    await expect(pictureOf(ada, "Bob")).toHaveAttribute("src", /^data:image\/gif/);
    await expect(pictureOf(ada, "Bob")).toHaveJSProperty("naturalWidth", 1);
    const eve = ada.getByRole("listitem").filter({ hasText: "Eve" });
    await expect(eve.locator(".avatar")).toHaveAttribute("data-initials", "E");
    await expect(eve.locator(".avatar img")).toHaveCount(0);
    // Her own one, beside the name that the host gives her.
    const ownName = ada.getByRole("textbox", { name: "Your name" });
    await expect(ownName).toHaveValue("Ada");
    await expect(ownName).toHaveAttribute("readonly");
    const own = ada.locator(".own-name .avatar img");
    await expect(own).toHaveAttribute("src", `${named.url}/ada.gif`);
    await expect(own).toHaveJSProperty("naturalWidth", 1);
    expect(other.requests).toHaveLength(0);
    // Nothing but the address is told to the server of the picture.
    expect(named.requests.length).toBeGreaterThan(0);
    for (const { headers } of named.requests) {
      expect([headers.referer, headers.cookie]).toEqual([undefined, undefined]);
    }
    await Promise.all(browser.contexts().map((context) => context.close()));
  } finally {
    await server.stop();
    await Promise.all([named.stop(), other.stop()]);
  }
});

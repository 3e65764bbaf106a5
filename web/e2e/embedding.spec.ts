import { readFile } from "node:fs/promises";
import { createServer, type Server as HttpServer } from "node:http";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { skipInFirefox } from "./skip.ts";
import { Server } from "./server.ts";
import { expect, test } from "./user.ts";

/** The example page of docs/embedding.md, served from another origin. */
class Host {
  readonly url: string;
  private readonly http: HttpServer;

  private constructor(http: HttpServer, url: string) {
    this.http = http;
    this.url = url;
  }

  static async start(markup: () => string): Promise<Host> {
    const http = createServer((_, response) => response.setHeader("content-type", "text/html").end(markup()));
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    const address = http.address();
    return new Host(http, `http://localhost:${typeof address === "object" && address ? address.port : 0}`);
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((closed) => this.http.close(closed));
  }
}

const example = await readFile(join(import.meta.dirname, "../../docs/examples/embedding.html"), "utf8");

/** A host page and a server that allows it to embed workbooks. */
async function open(markup: (server: string) => string, use: (host: Host, server: Server) => Promise<void>, allowed = true): Promise<void> {
  let server: Server | undefined;
  const host = await Host.start(() => markup(server?.url ?? ""));
  server = await Server.start(...(allowed ? ["--frame-ancestors", host.url] : []));
  try {
    await use(host, server);
  } finally {
    await host.stop();
    await server.stop();
  }
}

function cell(frame: FrameLocator, name: string) {
  return frame.locator(`[role=gridcell][data-cell="${name}"]`);
}

function eventEntry(page: Page, text: string | RegExp) {
  return page.getByRole("list", { name: "Events" }).getByText(text);
}

test("the example page writes to an embedded workbook and receives its changes", async ({ page }) => {
  await open((server) => example.replaceAll("http://127.0.0.1:8000", server), async (host) => {
    await page.goto(host.url);
    const viewed = page.frameLocator("#viewed >> iframe");
    const edited = page.frameLocator("#edited >> iframe");
    await expect(eventEntry(page, "ready: Sheet1")).toBeVisible();
    await page.getByRole("button", { name: "Fill in" }).click();
    await expect(page.getByRole("status")).toHaveText("Total: 1150.5");
    await expect(cell(edited, "B3")).toHaveText("1150.5");
    await expect(cell(viewed, "B3")).toHaveText("1150.5");
    await expect(eventEntry(page, /^change: Sheet1!/).first()).toBeVisible();
    await expect(eventEntry(page, "select: B3").last()).toBeVisible();
    // Instead of the header there is a link to the workbook.
    await expect(viewed.getByRole("link", { name: "Open in Quadrille" })).toHaveAttribute("href", "/embedding-example?view");
    await expect(edited.getByRole("link", { name: "Open in Quadrille" })).toHaveAttribute("href", "/embedding-example");
    await expect(viewed.getByRole("textbox", { name: "Formula bar" })).toHaveCount(0);
    await expect(edited.getByRole("textbox", { name: "Formula bar" })).toBeVisible();
  });
});

test("an edit in one frame reaches the host page and the other frame", async ({ page }) => {
  skipInFirefox("Playwright does not give a frame of Firefox the focus.");
  await open((server) => example.replaceAll("http://127.0.0.1:8000", server), async (host) => {
    await page.goto(host.url);
    await expect(eventEntry(page, "ready: Sheet1")).toBeVisible();
    const edited = page.frameLocator("#edited >> iframe");
    const box = edited.getByRole("textbox", { name: /^Name box/ });
    await box.fill("C7");
    await box.press("Enter");
    await expect(eventEntry(page, "select: C7")).toBeVisible();
    await page.keyboard.type("hello");
    await page.keyboard.press("Enter");
    await expect(eventEntry(page, "change: Sheet1!C7")).toBeVisible();
    await expect(cell(page.frameLocator("#viewed >> iframe"), "C7")).toHaveText("hello");
  });
});

test("an embedded view-only workbook rejects writes", async ({ page }) => {
  skipInFirefox("Playwright does not give a frame of Firefox the focus.");
  await open((server) => example.replaceAll("http://127.0.0.1:8000", server), async (host) => {
    await page.goto(host.url);
    const viewed = page.frameLocator("#viewed >> iframe");
    await expect(cell(viewed, "A1")).toHaveText("");
    const refusal = await page.evaluate(async () => {
      const element = document.querySelector<HTMLElement & { setCells(at: string, cells: unknown[][]): Promise<unknown> }>("#viewed");
      return element?.setCells("A1", [["written"]]).then(
        () => "done",
        (error: Error) => error.message,
      );
    });
    expect(refusal).toContain("for viewing only");
    // The server assigns the role: the session is view-only.
    await expect(page.getByRole("button", { name: "Fill in" })).toBeEnabled();
    const mayEdit = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const element = document.querySelector("#viewed");
          const again = element?.cloneNode() as HTMLElement;
          again.id = "again";
          again.addEventListener("ready", (event) => resolve((event as CustomEvent<{ mayEdit: boolean }>).detail.mayEdit));
          document.body.append(again);
        }),
    );
    expect(mayEdit).toBe(false);
    await viewed.locator("main.grid").click({ position: { x: 90, y: 60 } });
    await expect(viewed.locator(".cell-field")).toBeFocused();
    await page.keyboard.type("x");
    await expect(cell(viewed, "A1")).toHaveText("");
  });
});

test("language, theme, sheet and range follow the element's attributes", async ({ page }) => {
  const markup = (server: string): string =>
    `<!doctype html><title>x</title><script src="${server}/embed.js" async></script>
     <quadrille-sheet id="one" src="${server}/somewhere" mode="edit" lang="de" theme="dark" range="B5"></quadrille-sheet>`;
  await open(markup, async (host) => {
    await page.goto(host.url);
    const frame = page.frameLocator("#one >> iframe");
    await expect(frame.locator("html")).toHaveAttribute("lang", "de");
    await expect(frame.locator("html")).toHaveAttribute("data-scheme", "dark");
    await expect(frame.locator(".name-box")).toHaveValue("B5");
    await page.locator("#one").evaluate((element) => element.setAttribute("theme", "light"));
    await expect(frame.locator("html")).toHaveAttribute("data-scheme", "light");
    await page.locator("#one").evaluate((element) => element.setAttribute("range", "C2:D4"));
    await expect(frame.locator(".name-box")).toHaveValue("C2:D4");
    // The frame does not take the focus.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
    const address = await page.locator("#one >> iframe").getAttribute("src");
    await page.goto(address ?? "");
    await expect(page.locator('[role=gridcell][data-cell="B5"]')).toHaveText("");
    expect(await violations(page)).toEqual([]);
  });
});

test("a server does not allow embedding in unknown origins", async ({ page }) => {
  await open((server) => example.replaceAll("http://127.0.0.1:8000", server), async (host, server) => {
    const reply = await fetch(`${server.url}/room?embed=view`);
    expect(reply.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    await page.goto(host.url);
    await expect(page.locator("#edited >> iframe")).toBeAttached();
    await expect(page.frameLocator("#edited >> iframe").locator(".workbook")).toHaveCount(0);
    await expect(eventEntry(page, /no workbook answers .* frame_ancestors/)).toBeVisible();
  }, false);
});

/** Pages of other sites, and texts that want to be scripts. The attacking page is `localhost`, the server 127.0.0.1: two sites. */

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server as HttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { skipInFirefox } from "./skip.ts";
import { Server } from "./server.ts";
import { expect, test, User } from "./user.ts";

/** Serves an empty page on `localhost`, in which a test runs its attack. */
class OtherSite {
  readonly url: string;
  private readonly http: HttpServer;

  private constructor(http: HttpServer, url: string) {
    this.http = http;
    this.url = url;
  }

  static async start(): Promise<OtherSite> {
    const http = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>Prizes</title>"));
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    const address = http.address();
    return new OtherSite(http, `http://localhost:${typeof address === "object" && address ? address.port : 0}`);
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((closed) => this.http.close(closed));
  }
}

const site = test.extend<{ attacker: Page }>({
  attacker: async ({ browser }, use) => {
    const other = await OtherSite.start();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(other.url);
    await use(page);
    await context.close();
    await other.stop();
  },
});

const CSV = "Orchard,120\nVineyard,80\n";

async function makeRoom(server: Server, room: string, csv = CSV): Promise<void> {
  const reply = await fetch(`${server.url}/api/v1/rooms/${room}`, { method: "PUT", headers: { "content-type": "text/csv" }, body: csv });
  expect(reply.status).toBe(201);
}

async function contents(server: Server, room: string): Promise<string> {
  return (await fetch(`${server.url}/api/v1/rooms/${room}?format=csv`)).text();
}

site("a page of another site cannot change a workbook", async ({ world, attacker }) => {
  const { server } = world;
  await makeRoom(server, "plan");
  const outcomes = await attacker.evaluate(async (url) => {
    const outcome = (promise: Promise<unknown>) =>
      promise.then(
        () => "sent",
        () => "failed",
      );
    const room = `${url}/api/v1/rooms/plan`;
    const cell = `${room}/sheets/Sheet1/cells/A1`;
    const simple = { "content-type": "text/plain" };
    const submit = (action: string, enctype: string): Promise<unknown> =>
      new Promise((loaded) => {
        const frame = document.createElement("iframe");
        frame.name = `frame-${enctype}`;
        const form = document.createElement("form");
        Object.assign(form, { action, enctype, method: "post", target: frame.name });
        const field = document.createElement("input");
        Object.assign(field, { name: '{"text":"Stolen","x":"', value: '"}' });
        form.append(field);
        document.body.append(frame, form);
        frame.addEventListener("load", loaded);
        form.submit();
      });
    return {
      simplePost: await outcome(fetch(`${room}/sheets/Sheet1/rows`, { method: "POST", mode: "no-cors", headers: simple, body: '{"rows":[["Stolen"]]}' })),
      import: await outcome(fetch(`${room}/import`, { method: "POST", mode: "no-cors", headers: simple, body: "Stolen" })),
      put: await outcome(fetch(cell, { method: "PUT", body: '{"text":"Stolen"}', headers: { "content-type": "application/json" } })),
      remove: await outcome(fetch(room, { method: "DELETE" })),
      beacon: navigator.sendBeacon(`${room}/import`, new Blob(["Stolen"], { type: "text/plain" })),
      form: await outcome(submit(`${room}/sheets/Sheet1/rows`, "text/plain")),
      multipart: await outcome(submit(`${room}/import`, "multipart/form-data")),
      read: await outcome(fetch(`${room}?format=csv`)),
      socket: await new Promise((ended) => {
        const socket = new WebSocket(`${room.replace("http", "ws")}/socket`);
        socket.addEventListener("open", () => ended("open"));
        socket.addEventListener("close", () => ended("closed"));
      }),
    };
  }, server.url);
  // Those with a preflight fail; of the others the page cannot see the answer.
  expect(outcomes).toMatchObject({ put: "failed", remove: "failed", read: "failed", socket: "closed" });
  expect(await contents(server, "plan")).toBe(CSV);
});

site("a page of another site cannot frame, open or load a workbook", async ({ world, attacker }) => {
  const { server } = world;
  await makeRoom(server, "plan");
  const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const stored = await fetch(`${server.url}/api/v1/rooms/plan/images`, { method: "POST", body: gif });
  const image = `${server.url}${stored.headers.get("location")}`;
  expect((await fetch(image)).status).toBe(200);
  const loaded = await attacker.evaluate(
    async ({ url, image }) => {
      const load = (element: HTMLImageElement | HTMLScriptElement, src: string): Promise<string> =>
        new Promise((ended) => {
          element.addEventListener("load", () => ended("loaded"));
          element.addEventListener("error", () => ended("refused"));
          element.src = src;
          document.body.append(element);
        });
      return {
        image: await load(document.createElement("img"), image),
        json: await load(document.createElement("script"), `${url}/api/v1/rooms/plan`),
        noCors: await fetch(`${url}/api/v1/rooms/plan`, { mode: "no-cors" }).then(
          () => "loaded",
          () => "refused",
        ),
      };
    },
    { url: server.url, image },
  );
  expect(loaded).toEqual({ image: "refused", json: "refused", noCors: "refused" });

  await attacker.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = `${url}/plan`;
    const done = new Promise((ended) => frame.addEventListener("load", ended));
    document.body.append(frame);
    return done;
  }, server.url);
  await expect(attacker.frameLocator("iframe").locator(".workbook")).toHaveCount(0);

  // The opened window is in a browsing context group of its own: the opener sees it as closed.
  const opened = attacker.context().waitForEvent("page");
  await attacker.evaluate((url) => {
    (window as unknown as { victim: Window | null }).victim = window.open(`${url}/plan`);
  }, server.url);
  await new User(await opened, attacker.context()).seesInCell("A1", "Orchard");
  expect(await attacker.evaluate(() => (window as unknown as { victim: Window | null }).victim?.closed)).toBe(true);
  expect(await (await opened).evaluate(() => window.opener)).toBeNull();
});

test("a host name of somebody else shows no workbook", async ({ world, browser }, info) => {
  skipInFirefox("Playwright resolves no made-up host names in Firefox.");
  await makeRoom(world.server, "plan");
  const options = info.project.use.launchOptions ?? {};
  // The name server of evil.example points to this machine (DNS rebinding).
  const rebound = await browser.browserType().launch({ ...options, args: [...(options.args ?? []), "--host-resolver-rules=MAP evil.example 127.0.0.1"] });
  try {
    const page = await rebound.newPage();
    const reply = await page.goto(`${world.server.url.replace("127.0.0.1", "evil.example")}/plan`);
    expect(reply?.status()).toBe(421);
    const status = await page.evaluate(async () => (await fetch("/api/v1/rooms/plan", { method: "DELETE" })).status);
    expect(status).toBe(421);
  } finally {
    await rebound.close();
  }
  expect(await contents(world.server, "plan")).toBe(CSV);
});

const MARKUP = `<img src=x onerror="window.attacked=1"><script>window.attacked=1</script><svg onload="window.attacked=1">`;

/** Expects that no text has become an element or run. */
async function expectNoScripts(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { attacked?: number }).attacked)).toBeUndefined();
  await expect(page.locator("img[src='x'], script:not([src]), svg[onload]")).toHaveCount(0);
}

test("texts of a workbook stay texts on the page", async ({ world }) => {
  const { server } = world;
  const quoted = `"${MARKUP.replaceAll('"', '""')}"`;
  await makeRoom(server, "plan", `${quoted},"=HYPERLINK(""javascript:window.attacked=1"",""Go"")"\n`);
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const reply = await fetch(`${server.url}/api/v1/rooms/plan/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(reply.ok, `${path}: ${reply.status} ${await reply.clone().text()}`).toBe(true);
  };
  await send("PUT", "items/0", { fields: { title: MARKUP } });
  await send("POST", "chat", { text: MARKUP, name: MARKUP.slice(0, 40) });
  const ann = await world.enter("plan");
  ann.page.on("dialog", () => expect(true, "a dialog").toBe(false));
  await ann.seesInCell("A1", MARKUP);
  await expect(ann.page).toHaveTitle(/<img src=x/);
  await ann.page.getByRole("button", { name: /^Chat/ }).click();
  await expect(ann.page.getByRole("log", { name: "Messages" }).getByText(MARKUP)).toBeVisible();
  await expectNoScripts(ann.page);
  // A link with a script is no link.
  await expect(ann.page.locator("a[href^='javascript:' i]")).toHaveCount(0);
  const at = await ann.point("B1");
  await ann.page.keyboard.down("Control");
  await ann.page.mouse.click(at.x, at.y);
  await ann.page.keyboard.up("Control");
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B1");
  await expectNoScripts(ann.page);
  expect(ann.context.pages()).toHaveLength(1);
});

test("exported pages and images run nothing", async ({ world, browser }) => {
  const { server } = world;
  await makeRoom(server, "plan", `"${MARKUP.replaceAll('"', '""')}",x\n`);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/plan.html`);
  await expect(page.locator("#cell_A1")).toHaveText(MARKUP);
  await expectNoScripts(page);
  expect(await page.evaluate(() => self.origin)).toBe("null");

  // The bytes of a GIF can be a script, too.
  const polyglot = Buffer.concat([Buffer.from("GIF89a/*"), Buffer.alloc(64), Buffer.from("*/=1;window.attacked=1;//<script>window.attacked=1</script>")]);
  const stored = await fetch(`${server.url}/api/v1/rooms/plan/images`, { method: "POST", body: polyglot });
  expect([201, 415]).toContain(stored.status);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.attacked=1</script></svg>';
  const refused = await fetch(`${server.url}/api/v1/rooms/plan/images`, { method: "POST", headers: { "content-type": "image/png" }, body: svg });
  expect(refused.status).toBe(415);
  if (stored.status === 201) {
    const path = stored.headers.get("location") ?? "";
    await page.goto(`${server.url}/`);
    const asScript = await page.evaluate(
      (src) =>
        new Promise((ended) => {
          const script = document.createElement("script");
          script.addEventListener("load", () => ended("loaded"));
          script.addEventListener("error", () => ended("refused"));
          script.src = src;
          document.body.append(script);
        }),
      path,
    );
    expect(asScript).toBe("refused");
    expect(await page.evaluate(() => (window as unknown as { attacked?: number }).attacked)).toBeUndefined();
  }
  await context.close();
});

test("people edit a workbook over TLS", async ({ browser }) => {
  const directory = await mkdtemp(join(tmpdir(), "quadrille-tls-"));
  const [certificate, key] = [join(directory, "certificate.pem"), join(directory, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
  execFileSync("openssl", ["req", "-x509", ...curve, "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  const server = await Server.start("--tls-certificate", certificate, "--tls-key", key);
  const enter = async (): Promise<User> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${server.url}/plan`);
    const person = new User(page, context);
    await person.saved();
    return person;
  };
  try {
    const [ann, bob] = [await enter(), await enter()];
    await ann.type("A1", [["20", "=A1*2"]]);
    await bob.sees("A1", [["20", "40"]]);
    await bob.type("A1", [["30"]]);
    await ann.sees("A1", [["30", "60"]]);
    await Promise.all([ann.context.close(), bob.context.close()]);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
});

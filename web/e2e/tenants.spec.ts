/** Tenants by path prefix: the client below `/acme` (docs/decisions/0017-tenants-by-path.md). */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server } from "./server.ts";
import { expect, newContext, test, User } from "./user.ts";

let directory: string;
let server: Server;

test.beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "quadrille-tenants-"));
  const config = join(directory, "quadrille.toml");
  await writeFile(config, '[[tenants]]\npath = "/acme"\n');
  server = await Server.start("--config", config);
});

test.afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

test("workbooks are made, edited, shared and listed below the path of a tenant", async ({ browser }) => {
  const context = await newContext(browser);
  const page = await context.newPage();
  const failed: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) {
      failed.push(`${response.status()} ${response.url()}`);
    }
  });
  await page.goto(`${server.url}/acme`);
  await expect(page).toHaveURL(`${server.url}/acme/`);
  await page.getByRole("button", { name: /^New workbook/ }).click();
  await expect(page).toHaveURL(new RegExp(`^${server.url}/acme/[2-9a-z]{26}$`));
  const ann = new User(page, context);
  await ann.saved();
  await ann.type("A1", [["apples", "7"]]);
  await ann.saved();
  await page.reload();
  await ann.seesInCell("B1", "7");

  await test.step("somebody else by a share link", async () => {
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: /^Share/ });
    await dialog.getByRole("button", { name: "Create link…" }).click();
    await dialog.getByRole("button", { name: "Create link", exact: true }).click();
    const address = await dialog.getByRole("textbox", { name: "Share link" }).inputValue();
    expect(address.startsWith(`${page.url()}#link=ql_`), address).toBe(true);
    await page.keyboard.press("Escape");
    const other = await newContext(browser);
    const bob = new User(await other.newPage(), other);
    await bob.page.goto(address);
    await bob.seesInCell("A1", "apples");
    await bob.type("A2", [["pears"]]);
    await ann.seesInCell("A2", "pears");
    await other.close();
  });

  await test.step("the lists of the start pages", async () => {
    const address = new URL(page.url());
    await page.goto(`${server.url}/acme/`);
    const link = page.locator(`a[href="${address.pathname}"]`).first();
    await expect(link).toBeVisible();
    await link.click();
    await ann.seesInCell("A1", "apples");
    await page.goto(`${server.url}/`);
    await expect(page.getByRole("button", { name: /^New workbook/ })).toBeVisible();
    await expect(page.locator(`a[href="${address.pathname}"]`)).toHaveCount(0);
  });
  expect(failed).toEqual([]);

  // The same name outside of the tenant is not the workbook.
  const room = (await page.evaluate(() => Object.keys(JSON.parse(localStorage.getItem("quadrille.keys") ?? "{}") as object)[0])) ?? "";
  expect((await fetch(`${server.url}/acme/api/v1/rooms/${room}`)).status).toBe(200);
  expect((await fetch(`${server.url}/api/v1/rooms/${room}`)).status).toBe(404);
  await context.close();
});

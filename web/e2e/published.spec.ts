import type { BrowserContextOptions, Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, test, type User, type World } from "./user.ts";

/** Publishes a part of the workbook by the dialog, and returns the address of the page. */
async function publish(ann: User, content: RegExp): Promise<string> {
  await ann.choose("File", /^Publish to web/);
  const dialog = ann.page.getByRole("dialog", { name: "Publish to web" });
  const choice = dialog.getByRole("combobox", { name: "Published content" });
  await choice.selectOption({ label: (await choice.getByRole("option").allTextContents()).find((text) => content.test(text)) ?? "" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("Prices");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  const link = dialog.getByRole("link", { name: "Prices" });
  const address = new URL((await link.getAttribute("href")) ?? "", ann.page.url()).href;
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  return address;
}

async function open(world: World, address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await world.browser.newContext(options)).newPage();
  await page.goto(address);
  return page;
}

test("an edit appears on the published page, which needs no engine", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Item", "Price"], ["Tea", "2"], ["Double", "=B2*2"]]);
  const address = await publish(ann, /Entire workbook/);
  const page = await open(world, address);
  await expect(page.getByRole("heading", { name: "Prices" })).toBeVisible();
  await expect(page.locator("#B3")).toHaveText("4");
  expect(await violations(page)).toEqual([]);
  await ann.type("B2", [["21"]]);
  await expect(page.locator("#B3")).toHaveText("42");
  // New rows change the layout.
  await ann.type("A4", [["More", "1"]]);
  await expect(page.locator("#A4")).toHaveText("More");
  // The page has neither the engine nor the workbook's name.
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  expect(loaded.filter((name) => name.includes("/assets/") || name.endsWith(".wasm"))).toEqual([]);
  // Stopped, an open page says so.
  await ann.choose("File", /^Publish to web/);
  const dialog = ann.page.getByRole("dialog", { name: "Publish to web" });
  await dialog.getByRole("button", { name: "Stop publishing Prices" }).click();
  await expect(page.getByRole("status")).toHaveText("This page is no longer published.");
  await expect(page.locator("#A1")).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("heading", { name: "This page does not exist." })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

test("a published range can be read without scripts, on a phone and in the dark", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Item", "Price", "Secret"], ["Tea", "2", "x"]]);
  const bob = await world.enter();
  await bob.choose("File", /^Publish to web/);
  await expect(bob.page.getByText("Only the owner of a workbook can publish it.")).toBeVisible();
  await ann.select("A1:B2");
  const address = await publish(ann, /^Selected cells/);
  const page = await open(world, address, { javaScriptEnabled: false, viewport: { width: 390, height: 700 }, colorScheme: "dark", locale: "de-DE" });
  await expect(page.locator("#A2")).toHaveText("Tea");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.getByText("Secret")).toHaveCount(0);
  const background = await page.locator(".sheet").evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(background).toBe("rgb(26, 31, 33)");
  await page.context().close();
  const scripted = await open(world, address, { viewport: { width: 390, height: 700 }, colorScheme: "dark" });
  expect(await violations(scripted)).toEqual([]);
  expect(await scripted.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await scripted.context().close();
});

test("a presentation shows the sheet alone, and keys turn to the next sheet", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["First"]]);
  const headings = (): Promise<boolean> => ann.page.evaluate(() => document.querySelector("main.grid")?.getBoundingClientRect().top === 0);
  await ann.choose("View", /^Present$/);
  const bar = ann.page.getByRole("toolbar", { name: "Presentation" });
  await expect(bar).toBeVisible();
  await expect(ann.page.getByRole("button", { name: "File", exact: true })).toHaveCount(0);
  expect(new URL(ann.page.url()).search).toBe("?present");
  expect(await headings()).toBe(true);
  expect(await violations(ann.page)).toEqual([]);
  await expect(bar.getByRole("status")).toHaveText("Sheet1 1 of 1");
  await bar.getByRole("button", { name: "End presentation" }).click();
  await expect(ann.page.getByRole("button", { name: "File", exact: true })).toBeVisible();
  expect(new URL(ann.page.url()).search).toBe("");
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  // Opened by its address.
  await ann.page.goto(`${ann.page.url()}?present`);
  await expect(bar.getByRole("status")).toHaveText(/Sheet\d 1 of 2/);
  await ann.page.locator("main.grid").click({ position: { x: 30, y: 30 } });
  await ann.page.keyboard.press("PageDown");
  await expect(bar.getByRole("status")).toHaveText(/Sheet\d 2 of 2/);
  await ann.page.keyboard.press("ArrowLeft");
  await expect(bar.getByRole("status")).toHaveText(/Sheet\d 1 of 2/);
  await ann.page.keyboard.press("Escape");
  await expect(ann.page.getByRole("button", { name: "File", exact: true })).toBeVisible();
});

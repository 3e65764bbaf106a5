import type { BrowserContextOptions, Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { skipInFirefox } from "./skip.ts";
import { expect, test, type User, type World } from "./user.ts";

/** Publishes a part of the workbook by the dialog, and returns the address of the page. */
async function publish(ann: User, content: RegExp): Promise<string> {
  await ann.choose("File", /^Publish to web/);
  const dialog = ann.page.getByRole("dialog", { name: "Publish to web" });
  const choice = dialog.getByRole("combobox", { name: "Published content" });
  // The dialog is loaded when it is first opened: its choices may come a moment after its heading.
  const option = choice.getByRole("option").filter({ hasText: content });
  await expect(option).toHaveCount(1);
  await choice.selectOption({ label: (await option.textContent()) ?? "" });
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
  skipInFirefox("Playwright cannot switch scripts off in Firefox.");
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

test("charts are drawn at their places and follow changes", async ({ world }) => {
  skipInFirefox("Playwright cannot switch scripts off in Firefox.");
  const ann = await world.enter();
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"]]);
  const address = await publish(ann, /Entire workbook/);
  const page = await open(world, address);
  const scripts = (): Promise<string[]> => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.replace(/.*\//, "")).filter((name) => name.endsWith(".js")));
  expect(await scripts()).toEqual(["published.js"]);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Title", { exact: true }).fill("Visitors");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  const chart = page.getByRole("figure", { name: "Chart: Visitors" });
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", "North: May 30, June 45");
  expect(await scripts()).toEqual(["published.js", "published-charts.js"]);
  // As far from the cells as in the workbook.
  const offset = async (shown: Page, cell: string, figure: string): Promise<number[]> => {
    const [from, to] = await Promise.all([shown.locator(cell).boundingBox(), shown.locator(figure).boundingBox()]);
    return [(to?.x ?? 0) - (from?.x ?? 0), (to?.y ?? 0) - (from?.y ?? 0), to?.width ?? 0, to?.height ?? 0].map(Math.round);
  };
  const { x, y } = await ann.point("A1");
  const frame = await ann.page.getByRole("figure").boundingBox();
  const expected = [(frame?.x ?? 0) - x + 48, (frame?.y ?? 0) - y + 11, frame?.width ?? 0, frame?.height ?? 0].map(Math.round);
  // The corner of the grid's cells is known to a pixel.
  const differences = (await offset(page, "#A1", ".chart")).map((length, index) => Math.abs(length - (expected[index] ?? 0)));
  expect(Math.max(...differences)).toBeLessThanOrEqual(1);
  await ann.type("B3", [["60"]]);
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", "North: May 30, June 60");
  // More bars than the background: the canvas is drawn.
  const colors = await chart.locator("canvas").evaluate((canvas) => {
    const drawn = canvas as HTMLCanvasElement;
    const pixels = new Uint32Array(drawn.getContext("2d")?.getImageData(0, 0, drawn.width, drawn.height).data.buffer ?? new ArrayBuffer(0));
    return new Set(pixels).size;
  });
  expect(colors).toBeGreaterThan(10);
  expect(await violations(page)).toEqual([]);
  // A new row moves the chart with its cell.
  const [left, top, ...size] = await offset(page, "#A1", ".chart");
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await expect.poll(() => offset(page, "#A1", ".chart")).toEqual([left, (top ?? 0) + 22, ...size]);
  const arabic = await open(world, `${address}?lang=ar`, { colorScheme: "dark", viewport: { width: 390, height: 700 } });
  await expect(arabic.getByRole("figure", { name: "مخطط: Visitors" })).toBeVisible();
  expect(await violations(arabic)).toEqual([]);
  await arabic.context().close();
  const plain = await open(world, address, { javaScriptEnabled: false });
  await expect(plain.getByText("Charts are shown in browsers with JavaScript only.")).toBeVisible();
  await plain.context().close();
  await ann.page.getByRole("figure").click();
  await ann.press("Delete");
  await expect(chart).toHaveCount(0);
  await page.context().close();
});

test("a published chart sheet is its chart, as large as the window, and follows changes", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"]]);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  await ann.page.getByRole("complementary", { name: "Chart" }).getByRole("button", { name: "Close", exact: true }).click();
  await ann.page.getByRole("figure").click({ button: "right" });
  await ann.page.getByRole("menuitem", { name: "Move to own sheet" }).click();
  await expect(ann.page.getByRole("tab", { name: "Chart1" })).toBeVisible();
  const page = await open(world, await publish(ann, /Entire workbook/));
  await expect(page.locator("#B3")).toHaveText("45");
  await page.getByRole("link", { name: "Chart1" }).click();
  const chart = page.getByRole("figure", { name: "Chart" });
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", "North: May 30, June 45");
  await expect(page.locator("td")).toHaveCount(0);
  const fits = async (): Promise<boolean> => {
    const [drawn, area] = await Promise.all([chart.boundingBox(), page.locator(".sheet").boundingBox()]);
    return [["x"], ["y"], ["width"], ["height"]].every(([side]) => Math.abs((drawn?.[side as "x"] ?? 0) - (area?.[side as "x"] ?? 9)) < 2);
  };
  expect(await fits()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 700 });
  await expect.poll(fits).toBe(true);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await ann.type("B3", [["60"]]);
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", "North: May 30, June 60");
  // The sheet shows its cells again, with the chart over them.
  await ann.page.getByRole("tab", { name: "Chart1" }).click();
  await ann.page.getByRole("figure").click({ button: "right" });
  await ann.page.getByRole("menuitem", { name: "Show cells of this sheet" }).click();
  await expect(page.locator("td").first()).toBeAttached();
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", "North: May 30, June 60");
  await expect.poll(fits).toBe(false);
  await page.context().close();
});

test("candlesticks, heat maps, gauges and maps are drawn on a published page", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["Day", "Open", "High", "Low", "Close"],
    ...[[10, 14, 9, 13], [13, 13.5, 11, 11.5], [11.5, 12.5, 10, 12.5], [12.5, 16, 12, 15.5], [15.5, 15.5, 14, 14.5]].map((prices, at) => [`2026-03-0${at + 2}`, ...prices.map(String)]),
  ]);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  const address = await publish(ann, /Entire workbook/);
  const page = await open(world, address);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  const chart = page.getByRole("figure", { name: "Chart" });
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", /^Open: 2026-03-02 10, .* 2026-03-06 14\.5$/);
  /** The part of the chart's canvases that is drawn in a color, neither white nor grey. */
  const colored = (): Promise<number> =>
    chart.locator("canvas").evaluateAll((canvases) => {
      let [count, all] = [0, 0];
      for (const canvas of canvases as HTMLCanvasElement[]) {
        const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray();
        all = pixels.length / 4;
        for (let at = 0; at < pixels.length; at += 4) {
          const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
          count += Math.max(red, green, blue) - Math.min(red, green, blue) > 40 ? 1 : 0;
        }
      }
      return count / all;
    });
  const candles = await colored();
  expect(candles).toBeGreaterThan(0.003);
  await panel.getByLabel("Type").selectOption("Heat map");
  await expect.poll(colored).toBeGreaterThan(2 * candles);
  await panel.getByLabel("Type").selectOption("Gauge");
  await panel.getByLabel("Maximum value").fill("20");
  await panel.getByLabel("Maximum value").press("Tab");
  await expect.poll(colored).toBeGreaterThan(0.003);
  const dials = await colored();
  // The outlines of countries are loaded with the first map.
  await ann.type("A2", [["India"], ["China"], ["Brazil"], ["Utopia"], ["Canada"]]);
  await panel.getByLabel("Type").selectOption("Map");
  await expect(chart.getByRole("img")).toHaveAttribute("aria-label", /^Open: India 10, .*; Not on the map: Utopia$/);
  await expect.poll(colored).not.toBe(dials);
  expect(await colored()).toBeGreaterThan(0.01);
  expect(errors).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
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

import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const UNITS = [["Month", "Units"], ["May", "30"], ["June", "45"]];

/** The chart with its description for screen readers. */
function drawing({ page }: User): Locator {
  return page.getByRole("figure").locator(".chart-canvas");
}

async function insertChart(person: User): Promise<void> {
  await person.type("A1", UNITS);
  await person.select("B2");
  await person.page.getByRole("button", { name: "Insert chart" }).click();
  await person.page.getByRole("complementary", { name: "Chart" }).getByRole("button", { name: "Close", exact: true }).click();
  await expect(drawing(person)).toHaveAttribute("aria-label", "Units: May 30, June 45");
}

/** Chooses an entry of the chart's menu. */
async function choose({ page }: User, entry: string): Promise<void> {
  const chart = page.getByRole("figure");
  await chart.hover();
  await chart.getByRole("button", { name: /^Options of/ }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

/** Whether the chart covers the whole area of the grid. */
async function fillsGrid({ page }: User): Promise<boolean> {
  const [chart, grid] = await Promise.all([page.getByRole("figure").boundingBox(), page.locator("main.grid").boundingBox()]);
  // Borders, and parts of pixels.
  const near = (one = 0, other = 1): boolean => Math.abs(one - other) < 2;
  return near(chart?.x, grid?.x) && near(chart?.y, grid?.y) && near(chart?.width, grid?.width) && near(chart?.height, grid?.height);
}

/** Whether the chart ends above an element at the end of the window, and leaves no more than its height. */
async function endsAbove({ page }: User, end: Locator): Promise<boolean> {
  const [chart, below] = await Promise.all([page.getByRole("figure").boundingBox(), end.boundingBox()]);
  const leftPx = (below?.y ?? 0) - ((chart?.y ?? 0) + (chart?.height ?? 0));
  return leftPx >= 0 && leftPx < (below?.height ?? 0);
}

test("a chart moves to a sheet of its own for everybody, and back by undo", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("tab", { name: "Chart1" })).toHaveAttribute("aria-selected", "true");
  await expect(ann.page.getByRole("tab", { name: "Chart1" })).toHaveAccessibleDescription("Chart sheet");
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  expect(await fillsGrid(ann)).toBe(true);
  await expect(ann.page.getByRole("figure")).toBeFocused();
  // There is nothing for cells.
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toHaveCount(0);
  await expect(ann.page.getByRole("button", { name: "Bold" })).toHaveCount(0);
  await expect(ann.page.getByRole("grid")).toHaveCount(0);
  expect(await violations(ann.page)).toEqual([]);

  await expect(drawing(bob)).toHaveCount(0);
  await bob.page.getByRole("tab", { name: "Chart1" }).click();
  await expect(bob.page.getByRole("figure")).toBeFocused();
  expect(await fillsGrid(bob)).toBe(true);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await ann.type("B3", [["77"]]);
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: May 30, June 77");

  // The chart has the size of the window, and of what a panel leaves of it.
  await bob.page.setViewportSize({ width: 700, height: 500 });
  await expect.poll(() => fillsGrid(bob)).toBe(true);
  await bob.press("Enter");
  const panel = bob.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByRole("textbox", { name: "Values" })).toHaveValue("=Sheet1!$B$2:$B$3");
  await expect(panel.getByRole("button", { name: "Use the selected cells" })).toHaveCount(0);
  await panel.getByLabel("Title", { exact: true }).fill("Growth");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  await expect(bob.page.getByRole("figure", { name: "Chart: Growth" })).toBeVisible();
  await expect.poll(() => fillsGrid(bob)).toBe(true);
  await panel.getByRole("button", { name: "Close", exact: true }).click();
  await bob.press("Control+z");
  await expect(bob.page.getByRole("figure", { name: "Chart", exact: true })).toBeVisible();

  await ann.press("Control+z", "Control+z");
  await expect(ann.page.getByRole("tab")).toHaveText(["Sheet1"]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  await expect(bob.page.getByRole("tab")).toHaveText(["Sheet1"]);
  await expect(bob.page.getByRole("textbox", { name: "Formula bar" })).toBeVisible();
  await ann.press("Control+y");
  await ann.page.getByRole("tab", { name: "Chart1" }).click();
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
});

test("the keyboard leads to a chart sheet and away from it, and types nothing there", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.press("x", "Control+b", "Control+Shift+PageUp");
  await expect(ann.page.getByRole("tab", { name: "Sheet1" })).toHaveAttribute("aria-selected", "true");
  await ann.press("Control+Home");
  await ann.page.keyboard.type("Day\n");
  await bob.sees("A1", [["Day"], ["May"]]);
  await ann.press("Control+Shift+PageDown");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  // Menus do not change the hidden cells.
  await ann.choose("Format", "Bold");
  await expect(ann.page.getByText(/^This sheet shows a chart/)).toBeVisible();
  await ann.choose("Insert$", "Chart");
  await expect(ann.page.getByRole("figure")).toHaveCount(1);
  // Tab leads out of the chart, F6 back to it.
  await ann.press("F6");
  await expect(ann.page.getByRole("figure")).not.toBeFocused();
  await ann.press("F6");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.press("Shift+F11");
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await ann.page.keyboard.type("new\n");
  await bob.page.getByRole("tab", { name: "Sheet2" }).click();
  await bob.sees("A1", [["new"]]);
  // Deleting the chart shows the cells.
  await ann.page.getByRole("tab", { name: "Chart1" }).click();
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.press("Delete");
  await expect(ann.page.getByRole("grid")).toBeVisible();
  await ann.page.keyboard.type("cell\n");
  await bob.page.getByRole("tab", { name: "Chart1" }).click();
  await bob.sees("A1", [["cell"]]);
});

test("a chart moves from its own sheet over the cells of another one", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await insertChart(ann);
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await choose(ann, "Move to own sheet");
  await choose(ann, "Sheet2");
  // The empty sheet is gone.
  await expect(ann.page.getByRole("tab")).toHaveText(["Sheet1", "Sheet2"]);
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  expect(await fillsGrid(ann)).toBe(false);
  await bob.type("B3", [["50"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 50");

  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  const url = `${world.server.url}/api/v1/rooms${new URL(ann.page.url()).pathname}/sheets/Chart1/cells/A1`;
  const written = await fetch(url, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ value: "kept" }) });
  expect(written.status).toBe(200);
  await choose(ann, "Sheet1");
  await expect(ann.page.getByRole("tab")).toHaveText(["Sheet1", "Sheet2", "Chart1"]);
  await ann.page.getByRole("tab", { name: "Chart1" }).click();
  await ann.sees("A1", [["kept"]]);
  await ann.press("Control+z");
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 50");
  await choose(ann, "Show cells of this sheet");
  await ann.sees("A1", [["kept"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 50");
});

test("find and replace leaves the hidden cells of a chart sheet as they are", async ({ world }) => {
  const ann = await world.enter("plan");
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("tab", { name: "Chart1" })).toBeVisible();
  const cells = `${world.server.url}/api/v1/rooms/plan/sheets/Chart1/cells/A1`;
  const stored = async (): Promise<unknown> => (await ann.page.request.get(cells)).json();
  expect((await ann.page.request.put(cells, { data: { input: "hidden" } })).ok()).toBe(true);
  const panel = ann.page.getByRole("region", { name: "Find and replace" });
  const refused = ann.page.getByText("This sheet shows a chart.");
  await ann.choose("Edit", /Find and replace/);
  await panel.getByRole("textbox", { name: "Find" }).fill("hidden");
  await expect(panel.getByRole("status")).toHaveText(/^1 /);
  await panel.getByRole("textbox", { name: "Replace with" }).fill("lost");
  for (const name of ["Replace", "Replace all"]) {
    await panel.getByRole("button", { name, exact: true }).click();
    await expect(refused).toBeVisible();
  }
  await panel.getByRole("combobox", { name: "Search" }).selectOption("All sheets");
  await panel.getByRole("textbox", { name: "Find" }).fill("May");
  await panel.getByRole("button", { name: "Replace all", exact: true }).click();
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: lost 30, June 45");
  expect(await stored()).toMatchObject({ cell: { text: "hidden" } });
});

test("a viewer sees a chart sheet, also as the first one of a workbook", async ({ world }) => {
  const ann = await world.enter();
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await ann.page.getByRole("tab", { name: "Chart1" }).click({ button: "right" });
  await ann.page.getByRole("menuitem", { name: "Move to the left" }).click();
  await expect(ann.page.getByRole("tab")).toHaveText(["Chart1", "Sheet1"]);
  await ann.saved();
  const viewer = await ann.context.newPage();
  await viewer.goto(`${ann.page.url()}?view`);
  await expect(viewer.getByRole("tab", { name: "Chart1" })).toHaveAttribute("aria-selected", "true");
  await expect(viewer.getByRole("figure").locator(".chart-canvas")).toHaveAttribute("aria-label", "Units: May 30, June 45");
  await expect(viewer.getByRole("grid")).toHaveCount(0);
  await expect(viewer.getByRole("figure")).toBeFocused();
  await viewer.getByRole("figure").click({ button: "right" });
  for (const entry of ["Show cells of this sheet", "Sheet1", "Delete chart"]) {
    await expect(viewer.getByRole("menuitem", { name: entry, exact: true })).toHaveAttribute("aria-disabled", "true");
  }
  expect(await violations(viewer)).toEqual([]);
  await viewer.keyboard.press("Escape");
  await viewer.keyboard.press("Control+Shift+PageDown");
  await expect(viewer.getByRole("tab", { name: "Sheet1" })).toHaveAttribute("aria-selected", "true");
  await expect(viewer.getByRole("grid")).toBeVisible();
});

test("a chart sheet is printed on a landscape page, which the chart fills", async ({ world }) => {
  const ann = await world.enter();
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.press("Control+p");
  const page = ann.page.getByRole("dialog", { name: "Print" }).getByRole("img", { name: "1 / 1" });
  await expect(page.locator("image")).toHaveCount(1);
  const [, , width, height] = (await page.getAttribute("viewBox"))?.split(" ").map(Number) ?? [];
  const image = await page.locator("image").evaluate((element) => ["x", "y", "width", "height"].map((name) => Number(element.getAttribute(name))));
  // Margins of 0.7 inches at the sides, 0.75 above and below.
  const margins = [0.7 * 96, 0.75 * 96, (width ?? 0) - 1.4 * 96, (height ?? 0) - 1.5 * 96];
  expect(width).toBeGreaterThan(height ?? 0);
  expect(image.map(Math.round)).toEqual(margins.map(Math.round));
  await expect(page.locator("text")).toHaveCount(0);
});

test("a presentation shows a chart sheet alone, and keys do not delete its chart", async ({ world }) => {
  const ann = await world.enter();
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.choose("View", /^Present$/);
  const bar = ann.page.getByRole("toolbar", { name: "Presentation" });
  await expect(bar.getByRole("status")).toHaveText("Chart1 2 of 2");
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  // The bar hides nothing of the chart.
  await expect.poll(() => endsAbove(ann, bar)).toBe(true);
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.getByRole("figure").hover();
  await expect(ann.page.getByRole("button", { name: /^Options of/ })).toHaveCount(0);
  await ann.page.getByRole("figure").focus();
  await ann.press("Delete", "Backspace", "ArrowLeft");
  await expect(bar.getByRole("status")).toHaveText("Sheet1 1 of 2");
  await ann.press("PageDown");
  await expect(drawing(ann)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  await ann.press("Escape");
  await expect(ann.page.getByRole("button", { name: "File", exact: true })).toBeVisible();
  await expect.poll(() => fillsGrid(ann)).toBe(true);
});

test("changes of a chart sheet cannot be suggested, and its menu says so", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.choose("View", "Suggest edits");
  await expect(ann.page.getByRole("region", { name: "Suggesting" })).toBeVisible();
  await ann.page.getByRole("figure").focus();
  await ann.press("Delete");
  await ann.page.getByRole("figure").hover();
  await ann.page.getByRole("button", { name: /^Options of/ }).click();
  for (const entry of ["Edit chart", "Show cells of this sheet", "Delete chart"]) {
    const item = ann.page.getByRole("menuitem", { name: entry, exact: true });
    await expect(item).toBeDisabled();
    await expect(item).toHaveAttribute("title", /^Only contents of cells can be suggested/);
  }
  await bob.page.getByRole("tab", { name: "Chart1" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: May 30, June 45");
});

test("a chart sheet is protected as a whole, and then its chart stays", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await insertChart(ann);
  await choose(ann, "Move to own sheet");
  await expect(ann.page.getByRole("figure")).toBeFocused();
  await ann.choose("Data", "Protected cells…");
  const dialog = ann.page.getByRole("dialog", { name: "Protected cells" });
  // It has no cells to choose.
  await expect(dialog.getByRole("radio", { name: "These cells" })).toHaveCount(0);
  await expect(dialog.getByRole("textbox", { name: /[Cc]ells/ })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Protect", exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Change Whole sheet" })).toBeVisible();
  await bob.page.getByRole("tab", { name: "Chart1" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: May 30, June 45");
  await bob.page.getByRole("figure").focus();
  await bob.press("Delete");
  await expect(bob.page.getByText(/This sheet is protected\./)).toBeVisible();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: May 30, June 45");
});

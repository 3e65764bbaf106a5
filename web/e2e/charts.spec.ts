import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const SALES = [
  ["Month", "North", "South"],
  ["May", "30", "20"],
  ["June", "45", "25"],
  ["July", "50", "40"],
];

/** Accessible description of the chart. */
function drawing(person: User): Locator {
  return person.page.getByRole("figure").locator(".chart-canvas");
}

test("a chart updates when others edit its data", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Values").first()).toHaveValue("=$B$2:$B$4");
  await expect(panel.getByLabel("Labels").first()).toHaveValue("=$A$2:$A$4");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
  await expect(drawing(bob)).toHaveAttribute("aria-label", /July 40$/);
  await bob.type("C4", [["77"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /July 77$/);
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await expect(panel.getByLabel("Values").first()).toHaveValue("=$B$3:$B$5");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /July 77$/);
});

test("a new chart suits its data, and others are suggested", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["Region", "Month", "Units", "Revenue"],
    ["North", "2026-01-31", "12", "4100"],
    ["South", "2026-01-31", "8", "2950"],
    ["North", "2026-02-28", "15", "5200"],
    ["South", "2026-02-28", "9", "3300"],
  ]);
  await ann.select("A1:D5");
  await ann.choose("Insert$", "Chart");
  // The sums of the two regions for each month.
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: 2026-01-31 20, 2026-02-28 24; Revenue: 2026-01-31 7050, 2026-02-28 8500");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByRole("button", { name: "Combo: Units, Revenue by Month" })).toHaveAttribute("aria-pressed", "true");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Combo: Units, Revenue by Region" }).click();
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: North 27, South 17; Revenue: North 9300, South 6250");
  await panel.getByLabel("Aggregate").selectOption("Average");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Units: North 13.5, South 8.5; Revenue: North 4650, South 3125");
  await panel.getByLabel("Aggregate").selectOption("None");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^Units: North 12, South 8, North 15, South 9; /);
});

test("answers without numbers are counted, and a total is left out", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Name", "Answer"], ["Ada", "Yes"], ["Ben", "No"], ["Cid", "Yes"], ["Dan", "Yes"]]);
  await ann.select("A1:B5");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Answer: Yes 3, No 1");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByRole("button", { name: "Columns: Count of Answer" })).toHaveAttribute("aria-pressed", "true");
  await panel.getByRole("button", { name: "Pie: Count of Answer" }).click();
  await expect(panel.getByLabel("Type")).toHaveValue("pie");
  await ann.press("Control+z");
  await expect(panel.getByLabel("Type"), "a suggestion is one step to undo").toHaveValue("column");
  await ann.press("Control+z");
  await expect(drawing(bob)).toHaveCount(0);
  await ann.type("D1", [["Fruit", "Crates"], ["Apple", "30"], ["Pear", "50"], ["Plum", "70"], ["Total", "=SUM(E2:E4)"]]);
  await ann.select("D1:E5");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "Crates: Apple 30, Pear 50, Plum 70");
});

test("a chart omits hidden and filtered rows by default", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
  await bob.select("A1");
  await bob.choose("Data", /^Filter$/);
  await bob.press("Alt+ArrowDown");
  await bob.page.getByRole("dialog", { name: "Filter" }).getByRole("checkbox", { name: "June" }).uncheck();
  await bob.page.getByRole("dialog", { name: "Filter" }).getByRole("button", { name: "Apply" }).click();
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: May 30, July 50; South: May 20, July 40$/);
  await bob.select("A2");
  await bob.press("Control+9");
  await expect(drawing(ann)).toHaveAttribute("aria-label", /^North: July 50; South: July 40$/);
  await ann.page.getByRole("checkbox", { name: "Include hidden/filtered data" }).check();
  await expect(drawing(bob)).toHaveAttribute("aria-label", /^North: May 30, June 45, July 50; South/);
});

test("the chart panel changes a chart for everyone, and undo reverts it", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Type").selectOption("line");
  await panel.getByLabel("Title", { exact: true }).fill("Sold");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  await expect(bob.page.getByRole("figure", { name: "Chart: Sold" })).toBeVisible();
  await bob.page.getByRole("figure").dblclick();
  await expect(bob.page.getByRole("complementary", { name: "Chart" }).getByLabel("Type")).toHaveValue("line");
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Delete chart" }).click();
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
  await ann.press("Control+z");
  await expect(bob.page.getByRole("figure", { name: "Chart: Sold" })).toBeVisible();
});

test("the colour field shows the drawn colour of a series in both themes", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.choose("Insert$", "Chart");
  const colour = (number: number): Locator => ann.page.getByRole("group", { name: `Series ${number}` }).getByLabel("Colour");
  await expect(colour(1)).toHaveValue("#1f7a64");
  await expect(colour(2)).toHaveValue("#d9822b");
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await expect(colour(1)).toHaveValue("#57c2a5");
  await expect(colour(2)).toHaveValue("#f0a65a");
  await colour(2).fill("#ff0000");
  await ann.page.emulateMedia({ colorScheme: "light" });
  await expect(colour(1)).toHaveValue("#1f7a64");
  await expect(colour(2)).toHaveValue("#ff0000");
});

test("on a phone the edited chart is visible above the panel", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.setViewportSize({ width: 390, height: 844 });
  await ann.type("A12", SALES);
  await ann.select("A12:C15");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await expect(panel.getByLabel("Type")).toBeVisible();
  const chart = ann.page.getByRole("figure");
  const isInSight = async (): Promise<boolean> => {
    const [box, cells] = [await chart.boundingBox(), await ann.page.getByRole("main", { name: "Sheet" }).boundingBox()];
    // The top of the chart, if it is taller than the view.
    return box !== null && cells !== null && box.y >= cells.y && (box.y + box.height <= cells.y + cells.height || box.y < cells.y + 40);
  };
  await expect.poll(isInSight).toBe(true);
  await panel.getByRole("button", { name: "Close" }).click();
  await ann.select("A90");
  await expect.poll(isInSight).toBe(false);
});

test("a trendline is added to one series for everyone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"], ["July", "48"]]);
  await ann.select("A1:B4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  // TREND({30;45;48}) is 32, 41, 50.
  await panel.getByLabel("Trendline").selectOption("Linear");
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 30, June 45, July 48; Trendline of North: 32, 50");
  await bob.type("B4", [["54"]]);
  await expect(drawing(ann)).toHaveAttribute("aria-label", /Trendline of North: 31, 55$/);
  await panel.getByLabel("Trendline").selectOption("Moving average");
  await expect(drawing(bob)).toHaveAttribute("aria-label", /Trendline of North: 37.5, 49.5$/);
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Series in").selectOption("Stacked");
  await expect(panel.getByLabel("Trendline")).toHaveCount(0);
  await expect(drawing(bob)).toHaveAttribute("aria-label", "North: May 30, June 45, July 54");
});

test("a chart is moved and resized with the mouse and the keyboard", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await ann.select("A1:C4");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const figure = ann.page.getByRole("figure");
  const box = async (person: User) => {
    const found = await person.page.getByRole("figure").boundingBox();
    return found && { x: Math.round(found.x), y: Math.round(found.y), width: Math.round(found.width) };
  };
  const first = await box(ann);
  if (!first) {
    throw new Error("no chart on the page");
  }
  await ann.page.mouse.move(first.x + 60, first.y + 60);
  await ann.page.mouse.down();
  await ann.page.mouse.move(first.x + 110, first.y + 130, { steps: 4 });
  await ann.page.mouse.up();
  await expect.poll(() => box(bob)).toEqual({ ...first, x: first.x + 50, y: first.y + 70 });
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ }), "the cells below heard nothing").toHaveValue("A1:C4");
  await figure.focus();
  await ann.press("ArrowLeft", "ArrowLeft", "Shift+ArrowRight");
  await expect.poll(() => box(bob)).toEqual({ x: first.x + 30, y: first.y + 70, width: first.width + 10 });
  await ann.press("Delete");
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
});

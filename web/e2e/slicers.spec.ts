import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const SALES = [
  ["Day", "Region", "Amount"],
  ["2024-01-15", "East", "10"],
  ["2024-02-20", "West", "20"],
  ["2024-02-25", "East", "5"],
  ["2024-04-01", "", "7"],
];

/** Texts of the first cells of the visible rows. */
async function seesRows(person: User, rows: readonly number[]): Promise<void> {
  await expect
    .poll(() => person.page.getByRole("rowheader").evaluateAll((headers, count) => headers.slice(0, count).map(({ textContent }) => Number(textContent)), rows.length))
    .toEqual(rows);
}

function slicerOf(person: User, name: string): Locator {
  return person.page.getByRole("figure", { name: `Slicer: ${name}` });
}

async function insertSlicer(person: User, cell: string): Promise<Locator> {
  await person.select(cell);
  await person.choose("Insert$", /^Slicer$/);
  const panel = person.page.getByRole("complementary", { name: "Slicer" });
  await expect(panel).toBeVisible();
  return panel;
}

test("a slicer filters the rows for everyone, shows what others select, and is undone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  const panel = await insertSlicer(ann, "B2");
  await expect(panel.getByRole("combobox", { name: "Column" })).toHaveValue("1");
  const slicer = slicerOf(ann, "Region");
  await expect(slicer.getByRole("button", { pressed: true })).toHaveText(["Blank cells", "East", "West"]);
  expect(await violations(ann.page)).toEqual([]);
  await slicer.getByRole("button", { name: "East" }).click();
  await seesRows(ann, [1, 2, 4, 6]);
  await seesRows(bob, [1, 2, 4, 6]);
  const others = slicerOf(bob, "Region");
  await expect(others.getByRole("button", { pressed: true })).toHaveText(["East"]);
  await others.getByRole("button", { name: "West" }).click({ modifiers: ["ControlOrMeta"] });
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await expect(slicer.getByRole("button", { pressed: true })).toHaveText(["East", "West"]);
  await slicer.getByRole("button", { name: "Select several" }).click();
  await slicer.getByRole("button", { name: "East" }).click();
  await seesRows(ann, [1, 3, 6]);
  await ann.select("A1");
  await ann.press("Control+z");
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await slicer.getByRole("button", { name: "Clear the filter of Region" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5]);
  // The column is another one, and the title its own.
  await slicer.focus();
  await panel.getByRole("combobox", { name: "Column" }).selectOption("Amount");
  await expect(slicerOf(bob, "Amount").getByRole("button", { name: "20" })).toBeVisible();
  await panel.getByLabel("Title").fill("Crates");
  await panel.getByLabel("Title").press("Enter");
  await expect(slicerOf(bob, "Crates")).toBeVisible();
  await panel.getByRole("button", { name: "Delete slicer" }).click();
  await expect(slicerOf(bob, "Crates")).toBeHidden();
});

test("a slicer is used with keys, and changes only the open filter view", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  await insertSlicer(ann, "B2");
  await ann.select("B2");
  await ann.choose("Data", "New filter view");
  const slicer = slicerOf(ann, "Region");
  await slicer.getByRole("button", { name: "Blank cells" }).focus();
  await ann.press("ArrowDown", "ArrowDown", "Enter");
  await expect(slicer.getByRole("button", { pressed: true })).toHaveText(["West"]);
  await seesRows(ann, [1, 3, 6]);
  await seesRows(bob, [1, 2, 3, 4]);
  await expect(slicerOf(bob, "Region").getByRole("button", { pressed: true })).toHaveText(["Blank cells", "East", "West"]);
  // The focus stays on the value when the slicer has read the data again.
  await bob.type("C3", [["21"]]);
  await ann.sees("C3", [["21"]]);
  await expect(slicer.getByRole("button", { name: "West" })).toBeFocused();
  await ann.press("ArrowUp", "Enter");
  await expect(slicer.getByRole("button", { pressed: true })).toHaveText(["East"]);
});

test("the buttons of a slicer stand in columns", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", SALES);
  const panel = await insertSlicer(ann, "B2");
  const columns = panel.getByRole("spinbutton", { name: "Columns of buttons" });
  await expect(columns).toHaveValue("1");
  await columns.fill("2");
  await columns.press("Tab");
  const slicer = slicerOf(bob, "Region");
  const top = async (name: string): Promise<number | undefined> => (await slicer.getByRole("button", { name }).boundingBox())?.y;
  await expect.poll(async () => (await top("East")) === (await top("Blank cells"))).toBe(true);
  expect(await top("West")).toBeGreaterThan((await top("East")) ?? 0);
  // The arrow keys follow what is seen.
  await slicer.getByRole("button", { name: "Blank cells" }).focus();
  await bob.press("ArrowRight");
  await expect(slicer.getByRole("button", { name: "East" })).toBeFocused();
  await bob.press("ArrowLeft", "ArrowDown");
  await expect(slicer.getByRole("button", { name: "West" })).toBeFocused();
  // A row below the last one is missing here.
  await bob.press("ArrowDown");
  await expect(slicer.getByRole("button", { name: "West" })).toBeFocused();
  await columns.fill("0");
  await columns.press("Tab");
  await expect(columns).toHaveValue("1");
  await expect.poll(async () => (await top("East")) === (await top("Blank cells"))).toBe(false);
});

test("a timeline filters by periods", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  const panel = await insertSlicer(ann, "A2");
  // A column of dates gets a timeline.
  await expect(panel.getByLabel("Timeline of dates")).toBeChecked();
  const slicer = slicerOf(ann, "Day");
  const periods = slicer.getByRole("group", { name: "Periods" });
  await expect(periods.getByRole("button")).toHaveText(["Jan", "Feb", "Mar", "Apr"]);
  await expect(slicer).toContainText("All dates");
  await periods.getByRole("button", { name: "Feb 1 – 29, 2024" }).click();
  await seesRows(ann, [1, 3, 4, 6]);
  await expect(slicer).toContainText("Feb 1 – 29, 2024");
  await periods.getByRole("button").nth(3).click({ modifiers: ["Shift"] });
  await seesRows(ann, [1, 3, 4, 5, 6]);
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Periods").selectOption("Quarters");
  await expect(periods.getByRole("button", { pressed: true })).toHaveText(["Jan – Mar", "Apr – Jun"]);
  await periods.getByRole("button").nth(1).click();
  await seesRows(ann, [1, 5, 6]);
  await slicer.getByRole("button", { name: "Clear the filter of Day" }).click();
  await seesRows(ann, [1, 2, 3, 4, 5, 6]);
});

test("a slicer on the sheet of a pivot table filters what it counts", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  await ann.select("B2");
  await ann.choose("Insert$", "Pivot table");
  const pivot = ann.page.getByRole("complementary", { name: "Pivot table" });
  await pivot.getByLabel("Add field to Rows").selectOption("Region");
  await pivot.getByLabel("Add field to Values").selectOption("Amount");
  await ann.sees("A2", [["East", "15"]]);
  const panel = await insertSlicer(ann, "A2");
  await panel.getByRole("combobox", { name: "Column" }).selectOption("Region");
  const slicer = slicerOf(ann, "Region");
  await slicer.getByRole("button", { name: "West" }).click();
  await ann.sees("A2", [["West", "20"], ["Grand total", "20"]]);
  await panel.getByRole("combobox", { name: "Column" }).selectOption("Day");
  const timeline = slicerOf(ann, "Day");
  await timeline.getByRole("button", { name: "Feb 1 – 29, 2024" }).click();
  await ann.sees("A2", [["West", "20"], ["Grand total", "20"]]);
});

test("a slicer below the data stays in its place when it hides rows", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", SALES);
  await insertSlicer(ann, "B2");
  const slicer = slicerOf(ann, "Region");
  const before = await slicer.boundingBox();
  await slicer.getByText("Region").hover();
  await ann.page.mouse.down();
  await ann.page.mouse.move(300, 420, { steps: 4 });
  await ann.page.mouse.up();
  await expect.poll(async () => (await slicer.boundingBox())?.y).toBeGreaterThan((before?.y ?? 0) + 100);
  const moved = await slicer.boundingBox();
  await slicer.getByRole("button", { name: "West" }).click();
  await seesRows(ann, [1, 3, 6]);
  expect(await slicer.boundingBox()).toEqual(moved);
});

/** With a slicer of a table, and a slicer and a timeline of a pivot table, as Excel writes them. */
const WORKBOOK = resolve(import.meta.dirname, "../../crates/files/tests/fixtures/slicers.xlsx");

test("slicers of an Excel workbook filter what they did there, and are in the download", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.locator("input[type=file]").setInputFiles(WORKBOOK);
  const slicer = slicerOf(ann, "Sales & more");
  await expect(slicer.getByRole("button", { pressed: true })).toHaveText(["East", "North", "West"]);
  await slicer.getByRole("button", { name: "West" }).click();
  await seesRows(ann, [1, 4, 6, 7]);
  await ann.page.getByRole("tab", { name: "Pivot" }).click();
  await ann.sees("B6", [["East", "30"], ["North", "7"], ["West", "35"]]);
  await slicerOf(ann, "Region").getByRole("button", { name: "North" }).click();
  await ann.sees("B6", [["North", "7"], ["Grand total", "7"]]);
  await expect(slicerOf(ann, "Delivered").getByRole("group", { name: "Periods" })).toBeVisible();
  await ann.saved();
  const [download] = await Promise.all([ann.page.waitForEvent("download"), ann.choose("File", "Excel workbook")]);
  const bob = await world.enter("again");
  const buffer = await readFile(await download.path());
  const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  await bob.page.locator("input[type=file]").setInputFiles({ name: "again.xlsx", mimeType, buffer });
  await expect(slicerOf(bob, "Sales & more").getByRole("button", { pressed: true })).toHaveText(["West"]);
  await bob.page.getByRole("tab", { name: "Pivot" }).click();
  await expect(slicerOf(bob, "Region").getByRole("button", { pressed: true })).toHaveText(["North"]);
});

import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

const TABLE = [
  ["name", "town"],
  ["Ann", "Oslo"],
  ["Bo", "Rome"],
  ["Cy", "Oslo"],
];

/** Texts of the first cells of the visible rows. */
async function seesRows(person: User, rows: readonly number[]): Promise<void> {
  await expect
    .poll(() => person.page.getByRole("rowheader").evaluateAll((headers) => headers.slice(0, 5).map(({ textContent }) => Number(textContent))))
    .toEqual(rows);
}

async function openFilter(person: User, cell: string): Promise<void> {
  await person.select(cell);
  await person.press("Alt+ArrowDown");
  await expect(person.page.getByRole("dialog", { name: "Filter" })).toBeVisible();
}

async function showOnly(person: User, cell: string, texts: readonly string[]): Promise<void> {
  await openFilter(person, cell);
  const dialog = person.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("button", { name: "None" }).click();
  for (const text of texts) {
    await dialog.getByRole("checkbox", { name: text, exact: true }).check();
  }
  expect(await violations(person.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
}

/** Filters the range at A1 by its second column. */
async function filter(person: User, town: string): Promise<void> {
  await person.select("A1");
  await person.choose("Data", /^Filter$/);
  await showOnly(person, "B1", [town]);
}

test("a shared filter hides rows for everyone", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", TABLE);
  await filter(ann, "Oslo");
  await seesRows(ann, [1, 2, 4, 5, 6]);
  await seesRows(bob, [1, 2, 4, 5, 6]);
  // Rows appear and disappear as they start or cease to match.
  await bob.type("B2", [["Rome"]]);
  await seesRows(ann, [1, 4, 5, 6, 7]);
  await openFilter(ann, "B1");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("combobox", { name: "Condition", exact: true }).selectOption("beginning with");
  await dialog.getByRole("textbox", { name: "Value", exact: true }).fill("ro");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 2, 3, 5, 6]);
});

test("a filter includes rows that are typed right below it when it is applied again", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["item"], ["x"], ["y"]]);
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await ann.type("A4", [["x"], ["z"]]);
  await showOnly(ann, "A1", ["y", "z"]);
  await seesRows(ann, [1, 3, 5, 6, 7]);
});

test("a column is filtered by two conditions, top 10 and blanks", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["amount"], ["5"], ["20"], ["30"], ["12"]]);
  await bob.sees("A1", [["amount"], ["5"], ["20"], ["30"], ["12"]]);
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await openFilter(ann, "A1");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  const condition = dialog.getByRole("combobox", { name: "Condition", exact: true });
  await condition.selectOption("greater than");
  await dialog.getByRole("textbox", { name: "Value", exact: true }).fill("6");
  await dialog.getByRole("button", { name: "Add condition" }).click();
  await dialog.getByRole("combobox", { name: "Second condition" }).selectOption("less than");
  await dialog.getByRole("textbox", { name: "Second value" }).fill("25");
  expect(await violations(ann.page)).toEqual([]);
  // Enter applies the filter.
  await ann.press("Enter");
  await expect(dialog).toHaveCount(0);
  await seesRows(bob, [1, 3, 5, 6, 7]);
  // The menu shows the stored conditions; they may be combined with "or".
  await openFilter(bob, "A1");
  const bobs = bob.page.getByRole("dialog", { name: "Filter" });
  await expect(bobs.getByRole("combobox", { name: "Condition", exact: true })).toBeFocused();
  await expect(bobs.getByRole("combobox", { name: "Condition", exact: true })).toHaveValue("greater than");
  await expect(bobs.getByRole("textbox", { name: "Second value" })).toHaveValue("25");
  await bobs.getByRole("textbox", { name: "Value", exact: true }).fill("25");
  await bobs.getByRole("textbox", { name: "Second value" }).fill("10");
  await bobs.getByRole("combobox", { name: "Combine conditions with" }).selectOption("or");
  await bobs.getByRole("button", { name: "Apply" }).click();
  await seesRows(ann, [1, 2, 4, 6, 7]);
  await openFilter(ann, "A1");
  await condition.selectOption("Top values");
  await dialog.getByRole("spinbutton", { name: "Number of items" }).fill("2");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 3, 4, 6, 7]);
  await openFilter(ann, "A1");
  await condition.selectOption("not blank");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5]);
});

test("a column is filtered by fill and text colours, including conditional ones", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["amount"], ["5"], ["20"], ["30"], ["12"]]);
  await bob.sees("A1", [["amount"], ["5"], ["20"], ["30"], ["12"]]);
  await command(ann.page, { type: "format", sheet: 1, range: "A2:A3", format: { fillColor: "#f4cccc" } });
  await command(ann.page, { type: "format", sheet: 1, range: "A3", format: { textColor: "#0000ff" } });
  const rule = { rule: "cell", operator: "greater", formula1: "=25", format: { fillColor: "#d9ead3" } };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "conditionalRule", anchors: ["A2:A5"], fields: rule });
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  const by = async (name: string, color: string): Promise<void> => {
    await openFilter(ann, "A1");
    await dialog.getByRole("combobox", { name: "Condition", exact: true }).selectOption("By colour or icon");
    await dialog.getByRole("group", { name }).getByRole("radio", { name: color }).check();
    expect(await violations(ann.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect(dialog).toHaveCount(0);
  };
  await by("Fill colour", "#f4cccc");
  await seesRows(bob, [1, 2, 3, 6, 7]);
  await by("Text colour", "#0000ff");
  await seesRows(bob, [1, 3, 6, 7, 8]);
  await by("Fill colour", "#d9ead3");
  await seesRows(bob, [1, 4, 6, 7, 8]);
  await by("Fill colour", "No fill");
  await seesRows(bob, [1, 5, 6, 7, 8]);
  // Values that start to match the conditional format have its colour.
  await bob.type("A5", [["99"]]);
  await seesRows(bob, [1, 6, 7, 8, 9]);
});

test("a column is filtered by the icons of conditional formats", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["amount"], ["1"], ["5"], ["9"], ["x"]]);
  await command(ann.page, { type: "setItem", sheet: 1, kind: "conditionalRule", anchors: ["A2:A5"], fields: { rule: "iconSet", iconSet: "3Arrows" } });
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await openFilter(ann, "A1");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("combobox", { name: "Condition", exact: true }).selectOption("By colour or icon");
  const icons = dialog.getByRole("group", { name: "Icons" }).getByRole("radio");
  await expect(icons).toHaveCount(4);
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("radio", { name: "Icon 3 of 3" }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 4, 6, 7, 8]);
  // Another value is the highest then.
  await bob.type("A2", [["20"]]);
  await seesRows(bob, [1, 2, 6, 7, 8]);
  await openFilter(bob, "A1");
  await expect(bob.page.getByRole("radio", { name: "Icon 3 of 3" })).toBeChecked();
  await bob.page.getByRole("radio", { name: "No icon" }).check();
  await bob.page.getByRole("dialog", { name: "Filter" }).getByRole("button", { name: "Apply" }).click();
  await seesRows(ann, [1, 5, 6, 7, 8]);
});

test("dates are filtered by years, months and days, and new dates of a month are shown", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["day"], ["2025-03-01"], ["2026-03-05"], ["2026-11-28"], ["later"]]);
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await openFilter(ann, "A1");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  const box = (name: string) => dialog.getByRole("checkbox", { name, exact: true });
  // Years are folded, and open by keys.
  await expect(box("November 2026")).toHaveCount(0);
  await dialog.getByRole("button", { name: "2026", exact: true }).press("Enter");
  await box("March 2026").uncheck();
  await box("later").uncheck();
  expect(await box("2026").evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
  await box("2025").uncheck();
  await dialog.getByRole("button", { name: "March 2026", exact: true }).click();
  await expect(box("March 5, 2026")).not.toBeChecked();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 4, 6, 7, 8]);
  await bob.type("A2", [["2026-11-01"]]);
  await seesRows(ann, [1, 2, 4, 6, 7]);
  // A search lists the dates that contain the text.
  await openFilter(bob, "A1");
  const other = bob.page.getByRole("dialog", { name: "Filter" });
  await expect(other.getByRole("checkbox", { name: "2026", exact: true })).not.toBeChecked();
  await other.getByRole("searchbox").fill("03-05");
  await other.getByRole("checkbox", { name: "2026-03-05" }).check();
  await other.getByRole("button", { name: "Apply" }).click();
  await seesRows(ann, [1, 2, 3, 4, 6]);
});

test("a filter view affects one user and can be opened by others", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", TABLE);
  await bob.sees("A1", TABLE);
  await ann.select("A1");
  await ann.choose("Data", "New filter view");
  const bar = ann.page.getByRole("region", { name: "Filter view" });
  await expect(bar).toContainText("A1:B4");
  await bar.getByRole("textbox", { name: "Filter view name" }).fill("Rome only");
  // Enter does not reach the cell that gets the focus.
  await ann.press("Enter", "ArrowDown", "ArrowUp");
  await ann.seesInCell("A1", /^name$/);
  await showOnly(ann, "B1", ["Rome"]);
  await seesRows(ann, [1, 3, 5, 6, 7]);
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await expect(bob.page.getByRole("region", { name: "Filter view" })).toHaveCount(0);
  // The filter view follows the edits of others.
  await bob.type("B2", [["Rome"]]);
  await seesRows(ann, [1, 2, 3, 5, 6]);
  await bob.select("A1");
  await bob.press("Control+Alt+=");
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await expect(bar).toContainText("A2:B5");
  await bob.choose("Data", "Rome only");
  await expect(bob.page.getByRole("region", { name: "Filter view" })).toBeVisible();
  await seesRows(bob, [1, 2, 3, 4, 6]);
  expect(await bob.ticked("Data")).toEqual(["Rome only"]);
  expect(await violations(bob.page)).toEqual([]);
  await bob.page.getByRole("button", { name: "Close filter view" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await seesRows(ann, [1, 2, 3, 4, 6]);
  // The filter view survives a reload until it is deleted.
  await ann.page.reload();
  await ann.saved();
  await expect(bar).toBeVisible();
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await bar.getByRole("button", { name: "Delete view" }).click();
  await expect(bar).toHaveCount(0);
  await seesRows(ann, [1, 2, 3, 4, 5]);
});

test("subtotals and the selection sum follow the filter", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [
    ["town", "amount"],
    ["Oslo", "1"],
    ["Rome", "10"],
    ["Oslo", "100"],
  ]);
  await ann.type("D1", [["=SUBTOTAL(9,B2:B4)"], ["=AGGREGATE(9,5,B2:B4)"]]);
  await bob.sees("D1", [["111"], ["111"]]);
  await ann.select("A1:B4");
  await ann.choose("Data", /^Filter$/);
  await showOnly(ann, "A1", ["Oslo"]);
  await ann.sees("D1", [["101"], ["101"]]);
  await bob.sees("D1", [["101"], ["101"]]);
  await bob.select("B2:B4");
  await expect(bob.page.getByRole("group", { name: "Selection" })).toContainText("Sum101");
  // Hiding a row removes it from the subtotal.
  await bob.type("A4", [["Rome"]]);
  await ann.sees("D1", [["1"], ["1"]]);
  await bob.press("Control+z");
  await ann.sees("D1", [["101"], ["101"]]);
});

const LIST = [
  ["name", "town", "paid"],
  ["Ann", "Oslo", "1"],
  ["Bo", "Rome", "2"],
  ["Cy", "Oslo", "3"],
  ["Di", "Rome", "4"],
  ["Ed", "Oslo", "5"],
];

test("filtered-out rows are not cleared, formatted, filled or deleted", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", LIST);
  await filter(ann, "Oslo");
  await seesRows(bob, [1, 2, 4, 6, 7]);
  // The shared filter applies to bob as well.
  await bob.select("C2:C6");
  await bob.press("Delete");
  await bob.select("A2:A6");
  await bob.press("Control+b");
  await bob.select("D2:D6");
  await bob.page.keyboard.type("=C2&A2");
  await bob.press("Control+Enter");
  await bob.select("E2");
  await bob.page.keyboard.type("x");
  await bob.press("Enter");
  await bob.select("E2:E6");
  await bob.press("Control+d");
  await bob.saved();
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await seesRows(ann, [1, 2, 3, 4, 5]);
  await ann.sees("A1", [
    ["name", "town", "paid", "", ""],
    ["Ann", "Oslo", "", "Ann", "x"],
    ["Bo", "Rome", "2", "", ""],
    ["Cy", "Oslo", "", "Cy", "x"],
    ["Di", "Rome", "4", "", ""],
    ["Ed", "Oslo", "", "Ed", "x"],
  ]);
  await ann.select("A3");
  await expect(ann.page.getByRole("button", { name: "Bold" })).toHaveAttribute("aria-pressed", "false");
  await ann.select("A4");
  await expect(ann.page.getByRole("button", { name: "Bold" })).toHaveAttribute("aria-pressed", "true");
});

test("visible rows are deleted and restored in one undo step", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", LIST);
  await filter(ann, "Oslo");
  await seesRows(ann, [1, 2, 4, 6, 7]);
  await ann.select("2:6");
  await ann.click("A2", { button: "right" });
  await ann.page.getByRole("menuitem", { name: /^Delete/ }).click();
  await seesRows(ann, [1, 4, 5, 6, 7]);
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await ann.sees("A1", [["name", "town", "paid"], ["Bo", "Rome", "2"], ["Di", "Rome", "4"], ["", "", ""]]);
  await ann.press("Control+z", "Control+z");
  await seesRows(ann, [1, 2, 4, 6, 7]);
});

test("filtered-out rows are neither copied nor pasted over", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", LIST);
  await filter(ann, "Oslo");
  await seesRows(ann, [1, 2, 4, 6, 7]);
  await ann.select("A2:C6");
  expect(await ann.copy()).toBe("Ann\tOslo\t1\nCy\tOslo\t3\nEd\tOslo\t5");
  await ann.select("E2");
  await ann.press("Control+v");
  await ann.sees("E2", [["Ann", "Oslo", "1"]]);
  await ann.sees("E4", [["Cy", "Oslo", "3"]]);
  await ann.sees("E6", [["Ed", "Oslo", "5"]]);
  // Also for content of other programs.
  await ann.page.evaluate(() => navigator.clipboard.writeText("one\ntwo\nthree\nfour"));
  await ann.select("H2");
  await ann.press("Control+v");
  await ann.sees("H6", [["three"], ["four"]]);
  await ann.select("A2:C6");
  await ann.copy();
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await seesRows(ann, [1, 2, 3, 4, 5]);
  await ann.sees("E2", [
    ["Ann", "Oslo", "1", "one"],
    ["", "", "", ""],
    ["Cy", "Oslo", "3", "two"],
    ["", "", "", ""],
    ["Ed", "Oslo", "5", "three"],
    ["", "", "", "four"],
  ]);
  await ann.select("A9");
  await ann.press("Control+v");
  await ann.sees("A9", [["Ann", "Oslo", "1"], ["Cy", "Oslo", "3"], ["Ed", "Oslo", "5"], ["", "", ""]]);
});

test("a series is filled over visible rows only", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", LIST);
  await ann.type("D2", [["10"]]);
  await ann.type("D4", [["20"]]);
  await filter(ann, "Rome");
  await seesRows(ann, [1, 3, 5, 7, 8]);
  await ann.type("E3", [["7"]]);
  await ann.type("E5", [["8"]]);
  await ann.select("E3:E5");
  // From the handle of row 5, the third visible row, to row 8, the fifth.
  const from = await ann.point("E3");
  await ann.page.mouse.move(from.x + 47, from.y + 11);
  await ann.page.mouse.down();
  await ann.page.mouse.move(from.x, from.y + 30, { steps: 3 });
  await ann.page.mouse.move(from.x, from.y + 44, { steps: 3 });
  await ann.page.mouse.up();
  await ann.sees("E7", [["9"], ["10"]]);
});

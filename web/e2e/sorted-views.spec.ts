import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const PLAYERS = [
  ["name", "town", "points"],
  ["Ann", "Oslo", "30"],
  ["Bo", "Rome", "10"],
  ["Cy", "Oslo", "20"],
  ["Di", "Rome", "40"],
];

/** Row numbers of the first visible rows. */
async function seesRows(person: User, rows: readonly number[]): Promise<void> {
  await expect
    .poll(() =>
      person.page.getByRole("rowheader").evaluateAll((headers, count) => headers.slice(0, count).map(({ textContent }) => Number(textContent)), rows.length),
    )
    .toEqual(rows);
}

/** Sorts the open view by the column with this header cell. */
async function sortBy(person: User, header: string, entry: string | RegExp): Promise<void> {
  await person.select(header);
  await person.press("Alt+ArrowDown");
  const dialog = person.page.getByRole("dialog", { name: "Filter" });
  await expect(dialog).toBeVisible();
  expect(await violations(person.page)).toEqual([]);
  await dialog.getByRole("button", { name: entry }).click();
}

const ASCENDING = /A → Z/;
const DESCENDING = /Z → A/;

/** A view of the table at A1, sorted by points: rows 3, 4, 2, 5 of the sheet. */
async function openSortedView(person: User): Promise<void> {
  await person.select("A1");
  await person.choose("Data", "New filter view");
  await sortBy(person, "C1", ASCENDING);
  await seesRows(person, [1, 3, 4, 2, 5, 6]);
}

test("a filter view is sorted for those who open it", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", PLAYERS);
  await bob.sees("A1", PLAYERS);
  await openSortedView(ann);
  await seesRows(bob, [1, 2, 3, 4, 5, 6]);
  // Each cell keeps its address.
  await ann.sees("A1", PLAYERS);
  const bar = ann.page.getByRole("region", { name: "Filter view" });
  await expect(bar).toContainText("Sorted by C ↑");
  await bob.choose("Data", "View 1");
  await seesRows(bob, [1, 3, 4, 2, 5, 6]);
  await expect(bob.page.getByRole("region", { name: "Filter view" })).toContainText("Sorted by C ↑");
  // The last chosen column comes first, and the earlier one decides among equal values.
  await sortBy(ann, "B1", DESCENDING);
  await seesRows(ann, [1, 3, 5, 4, 2, 6]);
  await expect(bar).toContainText("Sorted by B ↓, C ↑");
  await seesRows(bob, [1, 3, 5, 4, 2, 6]);
  await sortBy(ann, "B1", "Do not sort by this column");
  await seesRows(ann, [1, 3, 4, 2, 5, 6]);
  await bob.page.getByRole("button", { name: "Close filter view" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5, 6]);
  // The order survives a reload.
  await ann.page.reload();
  await ann.saved();
  await seesRows(ann, [1, 3, 4, 2, 5, 6]);
  // Other sheets have their own order.
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await seesRows(ann, [1, 2, 3, 4]);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await seesRows(ann, [1, 3, 4, 2, 5, 6]);
});

test("keys move over sorted rows as they are displayed, and entries go to their cells", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", PLAYERS);
  await openSortedView(ann);
  await ann.select("A1");
  await ann.press("ArrowDown");
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A3");
  await ann.page.keyboard.type("Bea");
  await ann.press("Enter");
  await ann.page.keyboard.type("Cleo");
  await ann.press("Enter");
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A2");
  await bob.sees("A1", [["name"], ["Ann"], ["Bea"], ["Cleo"], ["Di"]]);
  // A block on the screen: rows 3, 4 and 2.
  await ann.select("B3");
  await ann.press("Shift+ArrowDown", "Shift+ArrowDown");
  await ann.press("Control+b", "Delete");
  await bob.sees("B1", [["town"], [""], [""], [""], ["Rome"]]);
  await ann.press("Control+z");
  await bob.sees("B1", [["town"], ["Oslo"], ["Rome"], ["Oslo"], ["Rome"]]);
  // To the edges of the sorted rows, and by the mouse.
  await ann.select("A4");
  await ann.press("Control+ArrowDown");
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A5");
  await ann.press("ArrowDown");
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A6");
  // The row at the fourth position is row 2.
  await ann.click("C4");
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("C2");
  await ann.drag("C3", "C4");
  await expect(ann.page.getByRole("group", { name: "Selection" })).toContainText("Sum50");
  // An edited row stays where it is until the view is sorted again.
  await ann.type("C3", [["99"]]);
  await seesRows(ann, [1, 3, 4, 2, 5, 6]);
  await ann.page.getByRole("button", { name: "Sort again" }).click();
  await seesRows(ann, [1, 4, 2, 5, 3, 6]);
});

test("pasted, filled and deleted rows are those on the screen", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", PLAYERS);
  await ann.type("F1", [["first"], ["second"], ["third"], ["fourth"], ["fifth"]]);
  await openSortedView(ann);
  // The block is pasted over rows 3, 4, 2, 5 and then 6.
  await ann.select("F1:F5");
  await expect(ann.page.getByRole("group", { name: "Selection" })).toContainText("Count5");
  await ann.select("F1");
  await ann.press("Control+c");
  await ann.select("D3");
  await ann.press("Control+v");
  await bob.sees("D1", [[""], [""], ["first"], [""], [""]]);
  await ann.press("Control+z");
  await bob.sees("D3", [[""]]);
  await ann.page.evaluate(() => navigator.clipboard.writeText("one\ntwo\nthree\nfour\nfive"));
  await ann.select("D3");
  await ann.press("Control+v");
  await bob.sees("D1", [[""], ["three"], ["one"], ["two"], ["four"], ["five"]]);
  // Fill down: the formula of row 3 into rows 4, 2 and 5, each with its own cells.
  await ann.type("E3", [["=C3*2"]]);
  await ann.select("E3");
  await ann.press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown");
  await ann.press("Control+d");
  await bob.sees("E1", [[""], ["60"], ["20"], ["40"], ["80"]]);
  // A copy has the order of the screen.
  await ann.select("A3");
  await ann.press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown");
  expect(await ann.copy()).toBe("Bo\nCy\nAnn\nDi");
  // Rows 4 and 2 are deleted, not those between them in the sheet.
  await ann.select("A4");
  await ann.press("Shift+ArrowDown");
  await ann.press("Shift+Space");
  await ann.press("Control+Alt+-");
  await bob.sees("A1", [["name"], ["Bo"], ["Di"], [""]]);
  await seesRows(ann, [1, 2, 3, 4]);
});

test("a sorted view follows rows that others insert, move and delete", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", PLAYERS);
  await openSortedView(ann);
  await ann.select("A2");
  await bob.select("A1");
  await bob.press("Control+Alt+=");
  // One row further down, in the same order; the selection stays at its cell.
  await seesRows(ann, [1, 2, 4, 5, 3, 6, 7]);
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A3");
  await ann.page.keyboard.type("Abe");
  await ann.press("Enter");
  await bob.sees("A1", [[""], ["name"], ["Abe"], ["Bo"], ["Cy"], ["Di"]]);
  // A row between the sorted ones comes after them.
  await bob.select("A4");
  await bob.press("Control+Alt+=");
  await seesRows(ann, [1, 2, 5, 6, 3, 7, 4, 8]);
  await bob.select("5:5");
  await bob.press("Control+Alt+-");
  await seesRows(ann, [1, 2, 5, 3, 6, 4, 7]);
  // A filter hides rows of the sorted view.
  await ann.select("B2");
  await ann.press("Alt+ArrowDown");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("button", { name: "None" }).click();
  await dialog.getByRole("checkbox", { name: "Oslo", exact: true }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(ann, [1, 2, 5, 3, 7]);
  expect(await violations(ann.page)).toEqual([]);
});

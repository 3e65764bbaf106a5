import { violations } from "./axe.ts";
import { expect, type Person, test } from "./sheet.ts";

const TABLE = [
  ["name", "town"],
  ["Ann", "Oslo"],
  ["Bo", "Rome"],
  ["Cy", "Oslo"],
];

/** The rows in sight, by their first cell's text. */
async function seesRows(person: Person, rows: readonly number[]): Promise<void> {
  await expect
    .poll(() => person.page.getByRole("rowheader").evaluateAll((headers) => headers.slice(0, 5).map(({ textContent }) => Number(textContent))))
    .toEqual(rows);
}

async function openFilter(person: Person, cell: string): Promise<void> {
  await person.select(cell);
  await person.press("Alt+ArrowDown");
  await expect(person.page.getByRole("dialog", { name: "Filter" })).toBeVisible();
}

async function showOnly(person: Person, cell: string, texts: readonly string[]): Promise<void> {
  await openFilter(person, cell);
  const dialog = person.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("button", { name: "None" }).click();
  for (const text of texts) {
    await dialog.getByRole("checkbox", { name: text, exact: true }).check();
  }
  expect(await violations(person.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
}

test("a shared filter hides rows for everybody", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", TABLE);
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await showOnly(ann, "B1", ["Oslo"]);
  await seesRows(ann, [1, 2, 4, 5, 6]);
  await seesRows(bob, [1, 2, 4, 5, 6]);
  // A row that comes to meet the condition shows, and one that ceases to does not.
  await bob.type("B2", [["Rome"]]);
  await seesRows(ann, [1, 4, 5, 6, 7]);
  await openFilter(ann, "B1");
  const dialog = ann.page.getByRole("dialog", { name: "Filter" });
  await dialog.getByRole("combobox", { name: "Condition" }).selectOption("beginning with");
  await dialog.getByRole("textbox", { name: "Value" }).fill("ro");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await seesRows(bob, [1, 2, 3, 5, 6]);
});

test("a filter view of one's own disturbs nobody, and others can open it by name", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", TABLE);
  await bob.sees("A1", TABLE);
  await ann.select("A1");
  await ann.choose("Data", "New filter view");
  const bar = ann.page.getByRole("region", { name: "Filter view" });
  await expect(bar).toContainText("A1:B4");
  await bar.getByRole("textbox", { name: "Name of the filter view" }).fill("Rome only");
  await ann.press("Enter");
  await showOnly(ann, "B1", ["Rome"]);
  await seesRows(ann, [1, 3, 5, 6, 7]);
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await expect(bob.page.getByRole("region", { name: "Filter view" })).toHaveCount(0);
  // Others write on, and the view follows.
  await bob.type("B2", [["Rome"]]);
  await seesRows(ann, [1, 2, 3, 5, 6]);
  await bob.select("A1");
  await bob.press("Control+Alt+=");
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await expect(bar).toContainText("A2:B5");
  await bob.choose("Data", "Rome only");
  await expect(bob.page.getByRole("region", { name: "Filter view" })).toBeVisible();
  await seesRows(bob, [1, 2, 3, 4, 6]);
  expect(await violations(bob.page)).toEqual([]);
  await bob.page.getByRole("button", { name: "Close the filter view" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await seesRows(ann, [1, 2, 3, 4, 6]);
  // It outlives a reload of the page, and goes when it is deleted.
  await ann.page.reload();
  await ann.saved();
  await expect(bar).toBeVisible();
  await seesRows(ann, [1, 2, 3, 4, 6]);
  await bar.getByRole("button", { name: "Delete the view" }).click();
  await expect(bar).toHaveCount(0);
  await seesRows(ann, [1, 2, 3, 4, 5]);
});

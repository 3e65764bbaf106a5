import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

async function seesRows(person: User, rows: readonly number[]): Promise<void> {
  await expect
    .poll(() => person.page.getByRole("rowheader").evaluateAll((headers) => headers.slice(0, 5).map(({ textContent }) => Number(textContent))))
    .toEqual(rows);
}

test("rows and columns are grouped, collapsed and expanded for everyone", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"], ["4"]]);
  await ann.select("A2:A3");
  await ann.press("Alt+Shift+ArrowRight");
  const rows = (person: User) => person.page.getByRole("region", { name: "Groups of rows" });
  const button = (person: User) => rows(person).getByRole("button", { name: "Rows 2 to 3" });
  await expect(button(ann)).toHaveAttribute("aria-expanded", "true");
  await expect(button(bob)).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await bob.page.keyboard.press("Alt+Shift+Minus");
  // Outside a group, the shortcut does nothing.
  await seesRows(ann, [1, 2, 3, 4, 5]);
  await button(bob).click();
  await seesRows(ann, [1, 4, 5, 6, 7]);
  await seesRows(bob, [1, 4, 5, 6, 7]);
  await expect(button(ann)).toHaveAttribute("aria-expanded", "false");
  // From the row after the group by shortcut, undone in one step.
  await ann.select("A4");
  await ann.press("Alt+Shift+Equal");
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await ann.press("Control+z");
  await seesRows(bob, [1, 4, 5, 6, 7]);
  await rows(ann).getByRole("button", { name: "Show 2 levels" }).click();
  await seesRows(bob, [1, 2, 3, 4, 5]);
  // A nested group.
  await ann.select("A3");
  await ann.press("Alt+Shift+ArrowRight");
  await expect(rows(ann).getByRole("button", { name: "Rows 3 to 3" })).toBeVisible();
  await rows(ann).getByRole("button", { name: "Show 2 levels" }).click();
  await seesRows(ann, [1, 2, 4, 5, 6]);
  await button(ann).click();
  await seesRows(ann, [1, 4, 5, 6, 7]);
  await button(ann).click();
  await seesRows(ann, [1, 2, 4, 5, 6]);
  await ann.select("A2:A4");
  await ann.press("Alt+Shift+ArrowLeft");
  await seesRows(bob, [1, 2, 3, 4, 5]);
  await ann.press("Alt+Shift+ArrowLeft");
  await expect(rows(bob)).toHaveCount(0);
  await ann.select("B:C");
  await ann.press("Alt+Shift+ArrowRight");
  const columns = bob.page.getByRole("region", { name: "Groups of columns" });
  await columns.getByRole("button", { name: "Columns B to C" }).click();
  await expect(bob.cell("B1")).toHaveCount(0);
  await expect(ann.cell("C1")).toHaveCount(0);
  await expect(ann.cell("D1")).toBeAttached();
});

/** What happens with formulas that are not complete when they are entered. */

import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

const dialogOf = (person: User) => person.page.getByRole("dialog", { name: "This is not a valid formula." });

test("missing brackets and quotes at the end of a formula are added", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1", "=SUM(A1:A2"], ["2", '=UPPER("a (b'], ["3", "=IF(A1>0,ROUND(A3/2,0"], ["", "=SUM({1;2"]]);
  await ann.sees("B1", [["3"], ["A (B"], ["2"], ["3"]]);
  await ann.select("B2");
  await ann.formula('=UPPER("a (b")');
  await ann.select("B3");
  await ann.formula("=IF(A1>0,ROUND(A3/2,0))");
  // One step of undo.
  await ann.press("Control+z", "Control+z");
  await ann.sees("B1", [["3"], ["A (B"], [""], [""]]);
});

test("a formula that cannot be read is not entered before its writer has decided", async ({ world }) => {
  const [ann, bob] = [await world.enter(), await world.enter()];
  await ann.type("A1", [["4"]]);
  await ann.select("B1");
  await ann.page.keyboard.type("=A1+");
  await ann.press("Enter");
  await expect(dialogOf(ann)).toContainText("You typed: =A1+");
  expect(await violations(ann.page)).toEqual([]);
  await expect(dialogOf(ann).getByRole("button", { name: "Edit again" })).toBeFocused();
  await bob.seesInCell("A1", "4");
  await bob.seesInCell("B1", "");
  await ann.press("Enter");
  await expect(ann.field).toHaveValue("=A1+");
  await expect(ann.nameBox).toHaveValue("B1");
  await ann.page.keyboard.type("2");
  await ann.press("Enter");
  await bob.seesInCell("B1", "6");
  // As text.
  await ann.page.keyboard.type("=) or =(");
  await ann.press("Enter");
  await dialogOf(ann).getByRole("button", { name: "Enter as text" }).click();
  await bob.seesInCell("B2", "=) or =(");
  // Escape discards the entry and keeps what the cell had.
  await ann.select("B1");
  await ann.page.keyboard.type("=1**2");
  await ann.press("Enter");
  await expect(dialogOf(ann)).toBeVisible();
  await ann.press("Escape");
  await expect(dialogOf(ann)).toHaveCount(0);
  await ann.seesInCell("B1", "6");
  await expect(ann.field).toBeFocused();
});

test("a formula that is entered as text must be valid data", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["A1"], fields: { rule: "whole", formula1: "=0", formula2: "=5" } });
  await ann.select("A1");
  await ann.page.keyboard.type("=1+");
  await ann.press("Enter");
  await dialogOf(ann).getByRole("button", { name: "Enter as text" }).click();
  await expect(ann.page.getByRole("dialog", { name: "Invalid value" })).toBeVisible();
  await ann.press("Escape");
  await ann.seesInCell("A1", "");
});

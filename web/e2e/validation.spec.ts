import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { pixels } from "./canvas-pixels.ts";
import { expect, type User, test } from "./user.ts";

/** Adds a data validation by the dialog. */
async function rule(
  person: User,
  cells: string,
  what: {
    readonly allowed: string;
    readonly operator?: string;
    readonly from?: string;
    readonly to?: string;
    readonly otherwise?: string;
    readonly prompt?: string;
    readonly error?: string;
  },
): Promise<void> {
  await person.select(cells);
  await person.choose("Data", "Data validation…");
  const dialog = person.page.getByRole("dialog", { name: "Data validation" });
  await dialog.getByRole("combobox", { name: "Allow" }).selectOption(what.allowed);
  if (what.operator !== undefined) {
    await dialog.getByRole("combobox", { name: "Condition" }).selectOption(what.operator);
  }
  if (what.from !== undefined) {
    await dialog.getByRole("textbox", { name: /^(From|Value|Formula)$/ }).fill(what.from);
  }
  if (what.to !== undefined) {
    await dialog.getByRole("textbox", { name: "To" }).fill(what.to);
  }
  if (what.otherwise !== undefined) {
    await dialog.getByRole("combobox", { name: "If the data is invalid" }).selectOption(what.otherwise);
  }
  await dialog.getByText("Messages").click();
  await dialog.getByRole("textbox", { name: "Input message" }).fill(what.prompt ?? "");
  await dialog.getByRole("textbox", { name: "Error message" }).fill(what.error ?? "");
  expect(await violations(person.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog).toBeHidden();
}

test("an invalid entry is rejected and can be edited again", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await rule(ann, "A1:A9", { allowed: "Whole number", from: "1", to: "=$C$1", prompt: "How many boxes", error: "Boxes come in whole numbers." });
  await ann.type("C1", [["10"]]);
  await ann.select("A2");
  await expect(ann.page.getByRole("note", { name: "Input message" })).toHaveText("How many boxes");
  await ann.page.keyboard.type("11");
  await ann.press("Enter");
  const refused = ann.page.getByRole("dialog", { name: "Invalid value" });
  await expect(refused).toContainText("Boxes come in whole numbers.");
  await expect(refused).toContainText("You typed: 11");
  await expect(refused.getByRole("button", { name: "Enter anyway" })).toHaveCount(0);
  expect(await violations(ann.page)).toEqual([]);
  // The focus returns to the cell with the rejected entry.
  await expect(refused.getByRole("button", { name: "Edit again" })).toBeFocused();
  await ann.press("Enter");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await expect(ann.page.locator(".cell-field")).toHaveValue("11");
  await ann.press("Backspace");
  await expect(ann.page.locator(".cell-field")).toHaveValue("1");
  await ann.press("Enter");
  await ann.seesInCell("A2", "1");
  await bob.seesInCell("A2", "1");
  // The validation applies to everyone, and Escape cancels the entry.
  await bob.select("A3");
  await bob.page.keyboard.type("2.5");
  await bob.press("Enter");
  await expect(bob.page.getByRole("dialog", { name: "Invalid value" })).toBeVisible();
  await bob.press("Escape");
  await bob.seesInCell("A3", "");
  // The result of a formula is validated.
  await ann.select("A4");
  await ann.page.keyboard.type("=C1*2");
  await ann.press("Enter");
  await refused.getByRole("button", { name: "Discard" }).click();
  await ann.seesInCell("A4", "");
  await ann.type("A4", [["=C1/2"]]);
  await ann.seesInCell("A4", "5");
});

test("a validation warning can be overridden, and invalid cells are marked", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await rule(ann, "A1:A9", { allowed: "Date", operator: "greater than or equal to", from: "2026-01-01", otherwise: "Show a warning" });
  await ann.select("A1");
  await ann.page.keyboard.type("2025-12-31");
  await ann.press("Enter");
  const warning = ann.page.getByRole("dialog", { name: "Invalid value" });
  await expect(warning).toContainText("Allowed: Date on or after 2026-01-01");
  await warning.getByRole("button", { name: "Enter anyway" }).click();
  await expect(ann.cell("A1")).toHaveAttribute("aria-invalid", "true");
  await expect(bob.cell("A1")).toHaveAttribute("aria-invalid", "true");
  await bob.select("A1");
  await expect(bob.page.getByRole("note", { name: "Input message" })).toContainText("The value of this cell is not valid.");
  await ann.type("A1", [["2026-01-01"]]);
  await expect(bob.cell("A1")).not.toHaveAttribute("aria-invalid");
});

test("Cancel keeps a validation, and Remove validation deletes it", async ({ world }) => {
  const ann = await world.enter();
  const dialog = ann.page.getByRole("dialog", { name: "Data validation" });
  await ann.choose("Data", "Data validation…");
  await expect(dialog.getByRole("button", { name: "Remove", exact: true })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await rule(ann, "A1", { allowed: "Whole number", from: "1", to: "9" });
  await ann.choose("Data", "Data validation…");
  await dialog.getByRole("combobox", { name: "Condition" }).selectOption("greater than");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await ann.choose("Data", "Data validation…");
  await expect(dialog.getByRole("combobox", { name: "Condition" })).toHaveValue("between");
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(dialog).toBeHidden();
  await ann.choose("Data", "Data validation…");
  await expect(dialog.getByRole("button", { name: "Remove", exact: true })).toHaveCount(0);
});

test("pasted invalid values are accepted and marked", async ({ world }) => {
  const ann = await world.enter();
  await rule(ann, "B1:B9", { allowed: "Text length", operator: "less than or equal to", from: "3" });
  await ann.select("B1");
  await ann.page.evaluate(() => navigator.clipboard.writeText("abc\nabcd"));
  await ann.press("Control+v");
  // First a paste that is undone.
  await expect(ann.page.getByText("Some of these cells contain invalid values; they are marked by a red corner.")).toBeVisible();
  await ann.sees("B1", [["abc"], ["abcd"]]);
  await expect(ann.cell("B2")).toHaveAttribute("aria-invalid", "true");
  await expect(ann.cell("B1")).not.toHaveAttribute("aria-invalid");
});

test("a custom validation formula rejects duplicates", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["oslo"], ["rome"]]);
  await rule(ann, "A1:A9", { allowed: "Custom formula", from: "=COUNTIF($A$1:$A$9,A1)=1" });
  await ann.select("A3");
  await ann.page.keyboard.type("oslo");
  await ann.press("Enter");
  const refused = ann.page.getByRole("dialog", { name: "Invalid value" });
  await refused.getByRole("button", { name: "Discard" }).click();
  await ann.type("A3", [["paris"]]);
  await ann.sees("A1", [["oslo"], ["rome"], ["paris"], [""]]);
  await expect(ann.cell("A3")).not.toHaveAttribute("aria-invalid");
});

test("invalid cells are counted, circled and visited until they are corrected", async ({ world }) => {
  const ann = await world.enter();
  const red = [217, 48, 37] as const;
  await ann.type("B2", [["5"], ["1"], ["500"], ["1"], ["x"]]);
  const fields = { rule: "decimal", operator: "less", formula1: "=100" };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["B2:B9"], fields });
  // Only the corner mark.
  await expect.poll(() => pixels(ann, "B4", red)).toBeGreaterThan(0);
  expect(await pixels(ann, "B4", red)).toBeLessThan(40);
  await ann.select("A1");
  await ann.choose("Data", "Circle invalid data");
  await expect(ann.page.getByText("2 cells on this sheet contain invalid data.")).toBeVisible();
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B4");
  await expect.poll(() => pixels(ann, "B6", red)).toBeGreaterThan(60);
  expect(await pixels(ann, "B2", red)).toBeLessThan(40);
  expect(await ann.ticked("Data")).toEqual(["Circle invalid data"]);
  await ann.type("B6", [["7"]]);
  await ann.select("A1");
  await expect.poll(() => pixels(ann, "B6", red)).toBe(0);
  await expect.poll(() => pixels(ann, "B4", red)).toBeGreaterThan(60);
  await ann.choose("Data", "Circle invalid data");
  await expect.poll(() => pixels(ann, "B4", red)).toBeLessThan(40);
});

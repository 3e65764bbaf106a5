import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

test("a named function is created, explained, renamed and deleted", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["200", "50"]]);
  await ann.choose("Data", "Named functions…");
  const dialog = ann.page.getByRole("dialog", { name: "Named functions" });
  await dialog.getByRole("button", { name: "New function" }).click();
  const name = dialog.getByRole("textbox", { name: "Function name" });
  const formula = dialog.getByRole("textbox", { name: "Formula" });
  // Errors are below their fields.
  await name.fill("SUM");
  await formula.fill("=(price-");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText(["A function with this name exists already.", "This is not a valid formula."]);
  await name.fill("Margin");
  await dialog.getByRole("textbox", { name: "Description of the function" }).fill("Profit as a part of the price.");
  for (const [index, [argument, description]] of [
    ["price", "per piece"],
    ["price", "of production"],
  ].entries()) {
    await dialog.getByRole("button", { name: "Add argument" }).click();
    await dialog.getByRole("textbox", { name: `Argument ${index + 1}`, exact: true }).fill(argument ?? "");
    await dialog.getByRole("textbox", { name: `Description of argument ${index + 1}` }).fill(description ?? "");
  }
  await formula.fill("=(price-cost)/price");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  // A list waits until the earlier errors are gone.
  await expect(dialog.getByRole("alert")).toHaveText(["This name is already in use."]);
  await dialog.getByRole("textbox", { name: "Argument 2", exact: true }).fill("cost");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByText("Margin(price, cost)")).toBeVisible();
  await ann.page.keyboard.press("Escape");
  // Others complete it and read what it is for.
  await bob.select("C1");
  await bob.page.keyboard.type("=marg");
  const help = bob.page.getByRole("complementary", { name: "Help with the formula" });
  await expect(help.getByRole("option", { name: /^MARGIN Profit/ })).toBeVisible();
  await bob.page.keyboard.press("Tab");
  await bob.page.keyboard.type("A1,");
  await expect(help).toContainText("MARGIN(price, cost)");
  await expect(help).toContainText("Profit as a part of the price.");
  await expect(help).toContainText("of production");
  await bob.page.keyboard.type("B1)");
  await bob.page.keyboard.press("Enter");
  await ann.seesInCell("C1", "0.75");
  // A changed name changes in formulas, in one undo step.
  await ann.choose("Data", "Named functions…");
  await dialog.getByRole("button", { name: "Change Margin" }).click();
  await expect(dialog.getByRole("textbox", { name: "Description of argument 2" })).toHaveValue("of production");
  await name.fill("Markup");
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await expect(dialog.getByText("Markup(price, cost)")).toBeVisible();
  await ann.page.keyboard.press("Escape");
  await bob.select("C1");
  await expect(bob.page.getByRole("textbox", { name: "Formula" })).toHaveValue("=MARKUP(A1,B1)");
  await ann.select("A1");
  await ann.press("Control+z");
  await bob.select("A1");
  await bob.select("C1");
  await expect(bob.page.getByRole("textbox", { name: "Formula" })).toHaveValue("=MARGIN(A1,B1)");
  await ann.choose("Data", "Named functions…");
  await dialog.getByRole("button", { name: "Remove Margin" }).click();
  await expect(dialog.getByText("There are no named functions yet.")).toBeVisible();
  await bob.seesInCell("C1", "#NAME?");
});

test("functions are imported from another workbook, without those whose names are taken", async ({ world }) => {
  const ann = await world.enter("functions-from");
  const define = (person: User, name: string, definition: string): Promise<void> => command(person.page, { type: "defineName", name, definition, sheet: 1, local: false });
  await define(ann, "Margin", "LAMBDA(price,cost,(price-cost)/price)");
  await define(ann, "Doubled", "LAMBDA(x,x*2)");
  await define(ann, "Tax", "0.19");
  await command(ann.page, { type: "setItem", sheet: null, item: 4711, kind: "namedFunction", fields: { formula: "=Margin", description: "Profit as a part of the price.", arguments: ["per piece", ""] } });
  await ann.type("A1", [["=DOUBLED(4)"]]);
  await ann.seesInCell("A1", "8");
  await ann.saved();
  const bob = await world.enter("functions-to");
  await define(bob, "Doubled", "Sheet1!$A$1");
  await bob.choose("Data", "Named functions…");
  const dialog = bob.page.getByRole("dialog", { name: "Named functions" });
  await dialog.getByRole("button", { name: "Import functions" }).click();
  const workbook = dialog.getByRole("combobox", { name: "Workbook (name or address)" });
  const show = dialog.getByRole("button", { name: "Show functions" });
  for (const [text, error] of [
    ["https://example.org/functions-from", "Enter the name or the address of a workbook of this server."],
    ["nobody-has-this", "There is no workbook with this name, or you have no access to it."],
  ] as const) {
    await workbook.fill(text);
    await show.click();
    await expect(dialog.getByRole("alert")).toHaveText(error);
    await expect(workbook).toBeFocused();
  }
  await workbook.fill("functions-to");
  await show.click();
  await expect(dialog.getByText("This workbook has no named functions.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Import", exact: true })).toBeDisabled();
  await workbook.fill(`${world.server.url}/functions-from`);
  await show.click();
  await expect(dialog.getByRole("checkbox", { name: /^Doubled\(x\)/ })).toBeDisabled();
  await expect(dialog.getByRole("checkbox", { name: /^Doubled\(x\)/ })).not.toBeChecked();
  await expect(dialog.getByRole("checkbox", { name: /^Margin\(price, cost\)/ })).toBeChecked();
  await expect(dialog.getByRole("checkbox")).toHaveCount(2);
  expect(await violations(bob.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await expect(dialog.getByText("Profit as a part of the price.")).toBeVisible();
  await dialog.getByRole("button", { name: "Change Margin" }).click();
  await expect(dialog.getByRole("textbox", { name: "Description of argument 1" })).toHaveValue("per piece");
  await expect(dialog.getByRole("textbox", { name: "Formula" })).toHaveValue("=(price-cost)/price");
  await bob.press("Escape");
  await bob.type("B1", [["=MARGIN(200,50)"]]);
  await bob.seesInCell("B1", "0.75");
});

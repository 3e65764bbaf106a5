import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const headers = (person: User) => person.page.getByRole("columnheader");

/** Turns on R1C1 notation by the menu and waits for the column headers. */
async function turn(person: User, isOn: boolean): Promise<void> {
  await person.page.getByRole("button", { name: "View", exact: true }).click();
  const check = person.page.getByRole("menuitemcheckbox", { name: /^R1C1/ });
  await expect(check).toBeChecked({ checked: !isOn });
  await check.click();
  await expect(headers(person).nth(1)).toHaveText(isOn ? "1" : "A");
  await expect(person.field).toBeFocused();
}

test("R1C1 notation affects one user only", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["2", "=A1*3"], ["5"]]);
  await bob.seesInCell("B1", "6");
  await turn(ann, true);
  await expect(headers(ann)).toContainText(["Row", "1", "2", "3"]);
  expect(await violations(ann.page)).toEqual([]);
  // Names that are cells in A1 notation only are still accepted.
  await ann.select("B1");
  await expect(ann.nameBox).toHaveValue("R1C2");
  await ann.formula("=RC[-1]*3");
  await ann.select("R2C2");
  await ann.page.keyboard.type("=RC[-1]*2+R[-1]C");
  await ann.press("Enter");
  await ann.seesInCell("B2", "16");
  await ann.select("R1C1:R2C2");
  await expect(ann.nameBox).toHaveValue("R1C1:R2C2");
  // Whole rows, absolute references, other sheets, names of LET, and both notations in one formula.
  await ann.type("D1", [["=SUM(C1)+R2C2"], ["=LET(x,RC[-3],x+A1)"], ["=SUM(Sheet1!R1)"]]);
  await ann.sees("D1", [["23"], ["7"], ["31"]]);
  await ann.select("R1C4");
  await ann.formula("=SUM(C1)+R2C2");
  // Other users and stored formulas use A1 notation.
  await expect(headers(bob)).toContainText(["Row", "A", "B"]);
  await bob.seesInCell("D3", "31");
  await bob.select("B2");
  await bob.formula("=A2*2+B1");
  await bob.select("D1");
  await bob.formula("=SUM($A:$A)+$B$2");
  // The setting is stored in this browser.
  await ann.page.reload();
  await expect(headers(ann).nth(1)).toHaveText("1");
  await ann.seesInCell("B2", "16");
  await ann.select("R2C2");
  await ann.formula("=RC[-1]*2+R[-1]C");
  await turn(ann, false);
  await ann.formula("=A2*2+B1");
  await expect(ann.nameBox).toHaveValue("B2");
});

test("point mode, colours, dragging and F4 work in R1C1 notation", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["4"]]);
  await turn(ann, true);
  await ann.select("R3C4");
  await ann.page.keyboard.type("=SUM(");
  await ann.drag("A1", "A2");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:R[-1]C[-3]");
  await ann.page.keyboard.type(")+");
  await ann.press("ArrowLeft");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:R[-1]C[-3])+RC[-1]");
  await ann.press("ArrowLeft", "ArrowLeft");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:R[-1]C[-3])+RC[-3]");
  await ann.press("F4");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:R[-1]C[-3])+R3C1");
  await ann.press("F4");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:R[-1]C[-3])+R3C[-3]");
  await ann.seesReferences("R[-2]C[-3]:R[-1]C[-3]", "R3C[-3]");
  await ann.dragCorner("A2", "A3");
  await expect(ann.field).toHaveValue("=SUM(R[-2]C[-3]:RC[-3])+R3C[-3]");
  await ann.press("Enter");
  await ann.seesInCell("D3", "11");
});

test("suggestions, error help and find work in R1C1 notation", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["0"], ["=1/A1"], ["=A2+1"]]);
  await turn(ann, true);
  await ann.select("R3C1");
  const help = ann.page.getByRole("note");
  await expect(help).toContainText("The error comes from R2C1.");
  await help.getByRole("button", { name: "Go to cell" }).click();
  await expect(ann.nameBox).toHaveValue("R2C1");
  await ann.formula("=1/R[-1]C");
  await ann.select("R1C2");
  await ann.page.keyboard.type("=RC[-1]+rou");
  await expect(ann.page.getByRole("listbox", { name: "Functions" }).getByRole("option", { selected: true })).toContainText("ROUND");
  await ann.press("Tab");
  await expect(ann.field).toHaveValue("=RC[-1]+ROUND(");
  await ann.page.keyboard.type("2.5,0)");
  await ann.press("Enter");
  await ann.seesInCell("B1", "3");
  await ann.press("Control+f");
  const panel = ann.page.getByRole("region", { name: "Find and replace" });
  const find = panel.getByRole("textbox", { name: "Find" });
  await expect(find).toBeFocused();
  await panel.getByRole("checkbox", { name: "In formulas" }).check();
  await find.fill("R[-1]C");
  await expect(panel.getByRole("status")).toHaveText("2 found");
});

test("dialogs use R1C1 notation while others see A1", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["4", "1"], ["5", "9"]]);
  await turn(ann, true);
  const dialog = (person: User) => person.page.getByRole("dialog");
  const close = async (person: User): Promise<void> => {
    await person.press("Escape");
    await expect(dialog(person)).toBeHidden();
  };

  await ann.select("R1C1:R2C1");
  await ann.choose("Data", "Named ranges…");
  const definition = dialog(ann).getByRole("textbox", { name: "Cells or formula" });
  await expect(definition).toHaveValue("Sheet1!R1C1:R2C1");
  await dialog(ann).getByRole("textbox", { name: "Name" }).fill("rates");
  await definition.fill("SUM(Sheet1!C2)+Sheet1!R1C1");
  await definition.press("Enter");
  await expect(dialog(ann).locator("code")).toHaveText("SUM(Sheet1!C2)+Sheet1!R1C1");
  await close(ann);
  await bob.choose("Data", "Named ranges…");
  await expect(dialog(bob).locator("code")).toHaveText("SUM(Sheet1!$B:$B)+Sheet1!$A$1");
  await close(bob);

  // Relative references are relative to the first cell of the rule's range.
  await ann.select("R1C3:R2C3");
  await ann.choose("Data", "Data validation…");
  await expect(dialog(ann).getByText("R1C3:R2C3", { exact: true })).toBeVisible();
  await dialog(ann).getByRole("combobox", { name: "Allow" }).selectOption("Whole number");
  await dialog(ann).getByLabel("Condition").selectOption("greater than");
  await dialog(ann).getByLabel("Value").fill("RC[-2]");
  await dialog(ann).getByRole("button", { name: "Apply" }).click();
  await bob.select("C2");
  await bob.choose("Data", "Data validation…");
  await expect(dialog(bob).getByText("C1:C2", { exact: true })).toBeVisible();
  await expect(dialog(bob).getByLabel("Value")).toHaveValue("A1");
  await close(bob);
  await ann.select("R2C3");
  await ann.choose("Data", "Data validation…");
  await expect(dialog(ann).getByLabel("Value")).toHaveValue("RC[-2]");
  await close(ann);

  await ann.select("R1C2:R2C2");
  await ann.choose("Format", "Conditional formatting…");
  const cells = dialog(ann).getByRole("textbox", { name: "Cells" });
  await expect(cells).toHaveValue("R1C2:R2C2");
  await dialog(ann).getByRole("combobox", { name: "Rule" }).selectOption("Custom formula is");
  await dialog(ann).getByRole("textbox", { name: "Value" }).fill("RC>R1C1");
  await dialog(ann).getByRole("button", { name: "Add rule" }).click();
  await expect(dialog(ann).locator(".rule-go")).toHaveText("Custom formula is RC>R1C1R1C2:R2C2");
  await close(ann);
  await bob.choose("Format", "Conditional formatting…");
  await expect(dialog(bob).locator(".rule-go")).toHaveText("Custom formula is B1>$A$1B1:B2");
  await close(bob);

  await ann.select("R2C1");
  await ann.choose("Data", "Protected cells…");
  await dialog(ann).getByRole("textbox", { name: "Cells", exact: true }).fill("R5 R8C2:R9C3");
  await dialog(ann).getByRole("button", { name: "Protect", exact: true }).click();
  await expect(dialog(ann).getByRole("button", { name: "Remove protection of R5 R8C2:R9C3" })).toBeVisible();
  await close(ann);
  await bob.choose("Data", "Protected cells…");
  await expect(dialog(bob).getByRole("button", { name: "Remove protection of 5:5 B8:C9" })).toBeVisible();
  await close(bob);

  await ann.select("R3C1");
  await ann.press("Control+k");
  const address = dialog(ann).getByRole("textbox", { name: "Address" });
  await address.fill("R40C4");
  await address.press("Enter");
  await expect(bob.cell("A3")).toHaveAttribute("aria-description", /#Sheet1!D40/);
  await ann.select("R3C1");
  await ann.press("Control+k");
  await expect(ann.page.getByRole("dialog", { name: "Link in R3C1" })).toBeVisible();
  await expect(address).toHaveValue("#Sheet1!R40C4");
  await close(ann);

  await ann.select("R1C1:R2C2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  const values = (person: User) => person.page.getByRole("complementary", { name: "Chart" }).getByLabel("Values").first();
  await expect(values(ann)).toHaveValue("=R1C1:R2C1");
  await values(ann).fill("=R1C2:R2C2");
  await values(ann).press("Enter");
  await expect(values(ann)).toHaveValue("=R1C2:R2C2");
  await bob.page.getByRole("figure").dblclick();
  await expect(values(bob)).toHaveValue("=$B$1:$B$2");
});

import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, test } from "./user.ts";

test("duplicate rows are counted and removed in one undo step", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["name", "town"],
    ["Ann", "Oslo"],
    ["ann", "Oslo"],
    ["Bo", "Rome"],
    ["Ann", "Rome"],
  ]);
  await ann.select("A1");
  await ann.choose("Data", "Remove duplicates…");
  const dialog = ann.page.getByRole("dialog", { name: "Remove duplicates" });
  await expect(dialog.getByRole("status")).toHaveText("1 duplicate row found.");
  await dialog.getByRole("checkbox", { name: "town (B)" }).uncheck();
  await expect(dialog.getByRole("status")).toHaveText("2 duplicate rows found.");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await ann.sees("A1", [["name", "town"], ["Ann", "Oslo"], ["Bo", "Rome"], ["", ""], ["", ""]]);
  await ann.press("Control+z");
  await ann.sees("A3", [["ann", "Oslo"], ["Bo", "Rome"], ["Ann", "Rome"]]);
});

test("text is split into columns at the detected separator", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Oslo; 12"], ["Rome; 7; x"], ["none"]]);
  await ann.select("A1:A3");
  await ann.choose("Data", "Split text to columns…");
  const dialog = ann.page.getByRole("dialog", { name: "Split text to columns" });
  await expect(dialog.getByRole("radio", { name: "Semicolon" })).toBeChecked();
  await expect(dialog.getByRole("status")).toHaveText("Oslo12");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Split" }).click();
  await ann.sees("A1", [["Oslo", "12", ""], ["Rome", "7", "x"], ["none", "", ""]]);
  await ann.type("D1", [["=SUM(B1:B2)"]]);
  await ann.seesInCell("D1", "19");
});

test("whitespace is trimmed in one undo step that reports the number of cells", async ({ world }) => {
  const ann = await world.enter();
  const texts = ["  Ann", "two   words ", "no\u00a0\u00a0break\u00a0"].map((text) => [{ text }]);
  await command(ann.page, { type: "setCells", sheet: 1, at: "A1", cells: [...texts, [{ formula: '="  "&"x"' }], [{ number: 7 }]] });
  await command(ann.page, { type: "setCells", sheet: 1, at: "C1", cells: [[{ text: " not selected" }], [{ text: "clean" }]] });
  // Trimmed and untrimmed texts look alike; their lengths differ.
  await ann.type("E1", [["=LEN(A1)"], ["=LEN(A2)"], ["=LEN(A3)"], ["=LEN(A4)"], ["=LEN(C1)"]]);
  const before = [["5"], ["12"], ["10"], ["3"], ["13"]];
  await ann.sees("E1", before);
  await ann.select("A1:A5");
  await ann.choose("Data", "Trim whitespace");
  await expect(ann.page.getByText("3 cells trimmed.")).toBeVisible();
  await ann.sees("E1", [["3"], ["9"], ["8"], ["3"], ["13"]]);
  await ann.sees("A1", [["Ann"], ["two words"], ["no break"]]);
  await ann.select("A4");
  await ann.formula('="  "&"x"');
  await ann.press("Control+z");
  await ann.sees("E1", before);
  await ann.select("C2");
  await ann.choose("Data", "Trim whitespace");
  await expect(ann.page.getByText("No whitespace to trim in the selected cells.")).toBeVisible();
});

test("clean-up suggestions are corrected one by one", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const rows = [
    ["town", "guests"],
    ["Bergen", 4],
    [" Oslo", 3],
    ["Bergen", "12"],
    ["Bergen", 7],
    ["Bregen", 9],
    ["Bergen", 7],
  ];
  const cells = rows.map((row) => row.map((value) => (typeof value === "number" ? { number: value } : { text: value })));
  await command(ann.page, { type: "setCells", sheet: 1, at: "A1", cells });
  await ann.select("A2");
  await ann.choose("Data", "Clean-up suggestions");
  const panel = ann.page.getByRole("complementary", { name: "Clean-up suggestions" });
  const suggestion = (title: string) => panel.getByRole("listitem").filter({ has: ann.page.getByRole("heading", { name: title, exact: true }) });
  await expect(panel.getByRole("heading", { level: 3 })).toHaveText(["Duplicate rows", "Whitespace to trim", "Different spellings", "Numbers stored as text"]);
  expect(await violations(ann.page)).toEqual([]);
  // An example leads to its cell.
  await suggestion("Different spellings").getByRole("button", { name: /Bregen/ }).click();
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("A6");
  await suggestion("Different spellings").getByRole("button", { name: "Correct" }).click();
  await bob.sees("A6", [["Bergen"]]);
  await expect(suggestion("Different spellings")).toHaveCount(0);
  await suggestion("Numbers stored as text").getByRole("button", { name: "Correct" }).click();
  await ann.type("D1", [["=SUM(B2:B7)"]]);
  await ann.seesInCell("D1", "42");
  await suggestion("Whitespace to trim").getByRole("button", { name: "Correct" }).click();
  await suggestion("Duplicate rows").getByRole("button", { name: "Remove" }).click();
  await expect(panel.getByText("Nothing to clean up was found in these cells.")).toBeVisible();
  await bob.sees("A1", [["town", "guests"], ["Bergen", "4"], ["Oslo", "3"], ["Bergen", "12"], ["Bergen", "7"], ["Bergen", "9"], ["", ""]]);
  await ann.press("Control+z");
  await expect(suggestion("Duplicate rows")).toBeVisible();
});

test("a column is filled by example in one undo step", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [
    ["first", "last", "full"],
    ["Ann", "Lee", "Lee, Ann"],
    ["Bo", "Marsh"],
    ["Cy", "Ng"],
  ]);
  await ann.select("C3");
  await ann.press("Control+e");
  await expect(ann.page.getByText("2 cells filled.")).toBeVisible();
  await bob.sees("C1", [["full"], ["Lee, Ann"], ["Marsh, Bo"], ["Ng, Cy"]]);
  await ann.press("Control+z");
  await bob.sees("C2", [["Lee, Ann"], [""], [""]]);
  // Entries that have nothing in common give no pattern.
  await ann.type("D2", [["x"], ["y"]]);
  await ann.select("D4");
  await ann.choose("Data", "Fill by example");
  await expect(ann.page.getByText("No pattern found. Enter one or two more examples in this column.")).toBeVisible();
  await ann.sees("D4", [[""]]);
  expect(await violations(ann.page)).toEqual([]);
});

test("paste special pastes values, formulas, formats or transposed cells", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1", "=A1*2"], ["3", "=A2*2"]]);
  await ann.select("A1:B1");
  await ann.press("Control+b");
  await ann.select("A1:B2");
  expect(await ann.copy()).toBe("1\t2\n3\t6");
  const paste = async (at: string, item: string): Promise<void> => {
    await ann.select(at);
    await ann.choose("Edit", new RegExp(`^${item}`));
    await expect(ann.page.locator(".cell-field")).toBeFocused();
  };
  const isBold = (pressed: boolean) =>
    expect(ann.page.getByRole("button", { name: "Bold", exact: true })).toHaveAttribute("aria-pressed", String(pressed));
  await paste("A5", "Values");
  await ann.sees("A5", [["1", "2"], ["3", "6"]]);
  await ann.select("B5");
  await ann.formula("2");
  await isBold(false);
  await paste("A8", "Formulas");
  await ann.sees("A8", [["1", "2"], ["3", "6"]]);
  // The pasted range is selected when the paste is complete.
  await expect(async () => {
    await ann.select("B8");
    expect(await ann.page.getByRole("textbox", { name: "Formula bar" }).inputValue()).toBe("=A8*2");
  }).toPass();
  await isBold(false);
  await paste("A11", "Formats");
  await ann.sees("A11", [["", ""]]);
  await isBold(true);
  await paste("D1", "Transpose");
  await ann.seesInCell("E1", "3");
  await ann.seesInCell("D1", "1");
  await ann.select("D2");
  await isBold(true);
  await ann.select("E2");
  await isBold(false);
});

test("a custom number format is previewed before it is applied", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1234567"]]);
  await ann.select("A1");
  await ann.choose("Format", "Custom number format…");
  const dialog = ann.page.getByRole("dialog", { name: "Custom number format" });
  await dialog.getByRole("textbox", { name: "Format code" }).fill('0.0,," million"');
  await expect(dialog.getByRole("status", { name: "Preview" })).toHaveText("1.2 million");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.seesInCell("A1", "1.2 million");
});

test("a dropdown list offers the values of its range", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.select("A1:A3");
  await ann.choose("Data", "Data validation…");
  const dialog = ann.page.getByRole("dialog", { name: "Data validation" });
  const choices = dialog.getByRole("group", { name: "Choices" }).getByRole("textbox");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Enter at least one item.");
  await expect(choices).toBeFocused();
  await ann.page.keyboard.type("red");
  await ann.press("Enter");
  await ann.page.keyboard.type("green");
  await ann.press("Enter");
  await ann.page.keyboard.type("blue");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.select("A2");
  await ann.press("Alt+ArrowDown");
  const list = ann.page.getByRole("listbox", { name: "Dropdown list" });
  await expect(list.getByRole("option")).toHaveText(["red", "green", "blue"]);
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("ArrowDown", "Enter");
  await ann.seesInCell("A2", "green");
  await bob.seesInCell("A2", "green");
  // When reopened, the current value is selected.
  await ann.select("A2");
  await ann.press("Alt+ArrowDown");
  await expect(list.getByRole("option", { name: "green", selected: true })).toHaveAttribute("id", (await ann.page.getByRole("combobox", { name: "Filter the list" }).getAttribute("aria-activedescendant")) ?? "");
  await ann.press("ArrowDown", "Enter");
  await bob.seesInCell("A2", "blue");
});

test("the space bar toggles checkboxes, and formulas count them", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1:A2");
  await ann.choose("Data", "Data validation…");
  const dialog = ann.page.getByRole("dialog", { name: "Data validation" });
  await dialog.getByRole("combobox", { name: "Allow" }).selectOption("Checkbox");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.type("C1", [["=COUNTIF(A1:A2,TRUE)"]]);
  await ann.seesInCell("C1", "0");
  await ann.select("A1");
  await ann.press(" ");
  await ann.seesInCell("C1", "1");
});

test("a goal is sought, shown and entered in one undo step", async ({ world }) => {
  const ann = await world.enter();
  const bea = await world.enter();
  // Microsoft's example: a loan of 100,000 over 180 months is paid with 900 a month at 7.02 %.
  await ann.type("B1", [["100000"], ["180"], ["5%"], ["=PMT(B3/12,B2,B1)"]]);
  await bea.seesInCell("B4", "-$790.79");
  await ann.select("B4");
  await ann.choose("Data", "Goal seek…");
  const dialog = ann.page.getByRole("dialog", { name: "Goal seek" });
  await expect(dialog.getByRole("textbox", { name: "Set cell" })).toHaveValue("B4");
  await dialog.getByRole("textbox", { name: "To value" }).fill("-900");
  await dialog.getByRole("textbox", { name: "By changing cell" }).fill("B4");
  await ann.page.keyboard.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("Enter a cell that contains a number or is blank.");
  await expect(dialog.getByRole("textbox", { name: "By changing cell" })).toBeFocused();
  await ann.page.keyboard.press("Control+a");
  await ann.page.keyboard.type("B3");
  await ann.page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toHaveText("B4 is -$900.00 when B3 is 7%.");
  expect(await violations(ann.page)).toEqual([]);
  await bea.seesInCell("B4", "-$790.79");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.sees("B3", [["7%"], ["-$900.00"]]);
  await bea.seesInCell("B4", "-$900.00");
  await ann.press("Control+z");
  await ann.sees("B3", [["5%"], ["-$790.79"]]);
  await bea.seesInCell("B4", "-$790.79");
});

test("goal seek says when there is no formula and when the goal is not reached", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2", "=A1^2+1"]]);
  await ann.select("A1");
  await ann.choose("Data", "Goal seek…");
  const dialog = ann.page.getByRole("dialog", { name: "Goal seek" });
  await dialog.getByRole("textbox", { name: "To value" }).fill("0");
  await dialog.getByRole("textbox", { name: "By changing cell" }).fill("A1");
  await dialog.getByRole("button", { name: "Find" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("This cell does not contain a formula.");
  await dialog.getByRole("textbox", { name: "Set cell" }).fill("B1");
  await dialog.getByRole("button", { name: "Find" }).click();
  await expect(dialog.getByRole("status")).toHaveText(/^Goal not reached\. B1 is 1/);
});

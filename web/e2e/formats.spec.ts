import { violations } from "./axe.ts";
import { pixels } from "./canvas-pixels.ts";
import { command } from "./commands.ts";
import { skipInFirefox } from "./skip.ts";
import { expect, type User, test } from "./user.ts";

const tool = (person: User, name: string) => person.page.getByRole("button", { name, exact: true });

test("font, font size and cell styles are applied", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["big"]]);
  await ann.select("A1");
  await ann.page.getByRole("combobox", { name: "Font", exact: true }).selectOption("Georgia");
  await ann.page.getByRole("combobox", { name: "Font size" }).selectOption("24");
  await ann.select("B1");
  await expect(ann.page.getByRole("combobox", { name: "Font size" })).toHaveValue("");
  await ann.select("A1");
  await expect(ann.page.getByRole("combobox", { name: "Font size" })).toHaveValue("24");
  await expect(ann.page.getByRole("combobox", { name: "Font", exact: true })).toHaveValue("Georgia");
  await ann.select("B2");
  await ann.choose("Format", "Cell styles…");
  await ann.page.getByRole("dialog", { name: "Cell styles" }).getByRole("button", { name: "Heading", exact: true }).click();
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "true");
  await ann.press("Control+z");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "false");
});

test("borders are applied in one undo step", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("B2:C3");
  await tool(ann, "Borders").click();
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.getByRole("radio", { name: "Thick" }).check();
  await ann.page.getByRole("button", { name: "Outer borders" }).click();
  await expect(tool(ann, "Undo")).toBeEnabled();
  await ann.press("Control+z");
  await expect(tool(ann, "Undo")).toBeDisabled();
});

test("all thirteen border styles are offered and drawn", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "A1", texts: Array.from({ length: 27 }, () => ["x"]) });
  await ann.seesInCell("A26", "x");
  await tool(ann, "Borders").click();
  const lines = ann.page.getByRole("group", { name: "Line" }).getByRole("radio");
  await expect(lines).toHaveCount(13);
  await ann.press("Escape");
  for (let at = 0; at < 13; at += 1) {
    await ann.select(`A${2 * at + 2}`);
    await tool(ann, "Borders").click();
    await lines.nth(at).check();
    await ann.page.getByRole("button", { name: "Bottom border" }).click();
    await expect(lines).toHaveCount(0);
  }
  // In print, each border is a path. A double border is two thin ones; the others differ in width
  // or dashes.
  await ann.press("Control+p");
  const paths = ann.page.getByRole("dialog", { name: "Print" }).getByRole("img", { name: "1 / 1" }).locator("path[stroke='#000000']");
  const kinds = (): Promise<number> =>
    paths.evaluateAll((found) => new Set(found.map((path) => `${path.getAttribute("stroke-width")} ${path.getAttribute("stroke-dasharray")}`)).size);
  await expect.poll(kinds).toBe(12);
});

test("paint format copies the format of a cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["x", "y"]]);
  await ann.select("A1");
  await ann.press("Control+b");
  const brush = tool(ann, "Paint format");
  await brush.click();
  await expect(brush).toHaveAttribute("aria-pressed", "true");
  await ann.click("B1");
  await expect(brush).toHaveAttribute("aria-pressed", "false");
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B1");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "true");
});

test("cells are merged and unmerged", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["wide"]]);
  await ann.select("A1:C1");
  await ann.choose("Format", "Merge all");
  await expect(ann.cell("A1")).toHaveAttribute("aria-colspan", "3");
  await ann.select("A1");
  await ann.choose("Format", "Unmerge");
  await expect(ann.cell("A1")).not.toHaveAttribute("aria-colspan", "3");
});

test("conditional formats are listed, added and deleted", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["5"]]);
  await ann.select("A1:A2");
  await ann.choose("Format", "Conditional formatting…");
  const dialog = ann.page.getByRole("dialog", { name: "Conditional formatting" });
  await expect(dialog.getByText("No rules on this sheet.")).toBeVisible();
  const [cells, value] = [dialog.getByRole("textbox", { name: "Cells" }), dialog.getByRole("textbox", { name: "Value" })];
  await cells.fill("A1:A2 there");
  await cells.press("Enter");
  await expect(cells).toHaveAccessibleDescription("Not a valid cell reference: there");
  await expect(value).toHaveAccessibleDescription("Enter a value.");
  await cells.fill("A1:A2");
  await value.fill("3");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByText("Greater than 3")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Rule" }).selectOption("Colour scale");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await dialog.getByRole("button", { name: "Remove Colour scale" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
});

test("a conditional format is edited with its other settings kept and its stop-if-true option", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["1"], ["5"], ["9"]]);
  await bob.sees("A1", [["1"], ["5"], ["9"]]);
  await command(bob.page, {
    type: "setItem",
    sheet: 1,
    item: 50,
    kind: "conditionalRule",
    anchors: ["A1:A3"],
    fields: { rule: "cell", operator: "greater", formula1: "=8", priority: 3, format: { bold: true, numberFormat: "0.0" } },
  });
  await ann.seesInCell("A3", "9.0");
  await ann.select("A1:A3");
  await ann.choose("Format", "Conditional formatting…");
  const dialog = ann.page.getByRole("dialog", { name: "Conditional formatting" });
  await dialog.getByRole("button", { name: /^Greater than 8/ }).click();
  await expect(dialog.getByRole("combobox", { name: "Rule" })).toBeFocused();
  await dialog.getByRole("combobox", { name: "Rule" }).selectOption("Between");
  await dialog.getByRole("textbox", { name: "Value" }).fill("4");
  await dialog.getByRole("textbox", { name: "To" }).fill("6");
  await expect(dialog.getByRole("combobox", { name: "Format" })).toHaveValue("Custom");
  await dialog.getByRole("button", { name: "Italic" }).click();
  await dialog.getByRole("checkbox", { name: "Text colour" }).check();
  await dialog.getByRole("checkbox", { name: /^Stop if true/ }).check();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Edit rule" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await expect(dialog.getByRole("listitem")).toContainText("Between 4 … 6");
  await expect(dialog.getByRole("listitem")).toContainText("stop if true");
  await expect(dialog.getByRole("button", { name: "Add rule" })).toBeVisible();
  await expect(dialog.getByRole("combobox", { name: "Rule" })).toBeFocused();
  await bob.sees("A1", [["1"], ["5.0"], ["9"]]);
  await ann.press("Escape");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await ann.press("Control+z");
  await bob.sees("A1", [["1"], ["5"], ["9.0"]]);
});

test("conditional formats are reordered with mouse and keyboard", async ({ world }) => {
  skipInFirefox("WebDriver begins no drag in Firefox.");
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["7"]]);
  await ann.select("A1");
  for (const [at, numberFormat] of ["0.0", "0.00", "0.000"].entries()) {
    const fields = { rule: "cell", operator: "greater", formula1: `=${at}`, priority: at + 1, format: { numberFormat } };
    await command(ann.page, { type: "setItem", sheet: 1, item: 60 + at, kind: "conditionalRule", anchors: ["A1"], fields });
  }
  await bob.seesInCell("A1", "7.0");
  await ann.choose("Format", "Conditional formatting…");
  const dialog = ann.page.getByRole("dialog", { name: "Conditional formatting" });
  const order = () => dialog.getByRole("listitem").locator("strong").allTextContents();
  await expect.poll(order).toEqual(["Greater than 0", "Greater than 1", "Greater than 2"]);
  const third = dialog.getByRole("listitem").nth(2).getByRole("button", { name: /up$/ });
  await third.focus();
  await ann.press("Enter");
  await expect.poll(order).toEqual(["Greater than 0", "Greater than 2", "Greater than 1"]);
  // The focus moves with the item.
  await ann.press("Enter");
  await expect.poll(order).toEqual(["Greater than 2", "Greater than 0", "Greater than 1"]);
  await expect(dialog.getByRole("listitem").first().getByRole("button", { name: /up$/ })).toBeDisabled();
  await bob.seesInCell("A1", "7.000");
  await ann.press("Escape");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await ann.press("Control+z");
  await bob.seesInCell("A1", "7.0");
});

test("colour scales, data bars and icon sets use chosen colours and icons", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["5"]]);
  await ann.select("A1:A2");
  await ann.choose("Format", "Conditional formatting…");
  const dialog = ann.page.getByRole("dialog", { name: "Conditional formatting" });
  const rule = dialog.getByRole("combobox", { name: "Rule" });
  await rule.selectOption("Colour scale");
  await dialog.getByRole("checkbox", { name: "3-colour scale" }).uncheck();
  await expect(dialog.getByRole("group", { name: "Middle" })).toHaveCount(0);
  const highest = dialog.getByRole("group", { name: "Maximum" });
  await highest.getByLabel("Maximum").fill("#0000ff");
  await highest.getByRole("combobox", { name: "Limit type" }).selectOption("Number");
  await highest.getByRole("spinbutton", { name: "Value" }).fill("2.5");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await rule.selectOption("Icons");
  await dialog.getByRole("combobox", { name: "Set" }).selectOption({ index: 3 });
  await dialog.getByRole("checkbox", { name: "Reverse order" }).check();
  await dialog.getByRole("checkbox", { name: "Show bar or icon only" }).check();
  const second = dialog.getByRole("group", { name: "Icon 2, starting at" });
  await expect(second.getByRole("spinbutton", { name: "Value" })).toHaveValue("20");
  await second.getByRole("combobox", { name: "Limit type" }).selectOption("Formula");
  await second.getByRole("textbox", { name: "Value" }).fill("A1+1");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  // The dialog shows the stored settings.
  await dialog.getByRole("button", { name: /^Icons/ }).click();
  await expect(dialog.getByRole("checkbox", { name: "Reverse order" })).toBeChecked();
  await expect(dialog.getByRole("combobox", { name: "Set" })).toHaveValue("↓↘→↗↑");
  await expect(second.getByRole("textbox", { name: "Value" })).toHaveValue("A1+1");
  await expect(dialog.getByRole("group", { name: "Icon 5, starting at" }).getByRole("spinbutton", { name: "Value" })).toHaveValue("80");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: /^Colour scale/ }).click();
  await expect(highest.getByLabel("Maximum")).toHaveValue("#0000ff");
  await expect(highest.getByRole("spinbutton", { name: "Value" })).toHaveValue("2.5");
  await expect(dialog.getByRole("checkbox", { name: "3-colour scale" })).not.toBeChecked();
});

test("another person sees underlines, patterns and alignments that a dialog sets", async ({ world }) => {
  const ann = await world.enter();
  const ben = await world.enter();
  await ann.type("A1", [["formats"]]);
  await ann.select("A1");
  await ann.choose("Format", "Format cells…");
  const dialog = ann.page.getByRole("dialog", { name: "Format cells" });
  const choice = (name: string) => dialog.getByRole("combobox", { name, exact: true });
  await choice("Horizontal alignment").selectOption("Centre across selection");
  await choice("Underline").selectOption("Double");
  await choice("Font position").selectOption("Superscript");
  await choice("Fill pattern").selectOption("Horizontal stripes");
  await dialog.getByLabel("Pattern colour").fill("#ff0000");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  // Half of the pixels of the pattern have its color.
  const red = [255, 0, 0] as const;
  await expect.poll(() => pixels(ann, "A1", red)).toBeGreaterThan(500);
  await expect.poll(() => pixels(ben, "A1", red)).toBeGreaterThan(500);
  await ann.choose("Format", "Format cells…");
  await expect(choice("Horizontal alignment")).toHaveValue("Centre across selection");
  await expect(choice("Underline")).toHaveValue("Double");
  await expect(choice("Font position")).toHaveValue("Superscript");
  await ann.press("Escape");
  await ann.press("Control+z");
  await expect.poll(() => pixels(ben, "A1", red)).toBe(0);
});

test("cells get diagonal borders", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "format", sheet: 1, range: "B2", format: { borderDiagonalDown: { style: "thick", color: "#00a000" } } });
  const green = [0, 160, 0] as const;
  await expect.poll(() => pixels(ann, "B2", green)).toBeGreaterThan(100);
  await ann.select("B2");
  await tool(ann, "Borders").click();
  await ann.page.getByRole("button", { name: "No borders" }).click();
  await expect.poll(() => pixels(ann, "B2", green)).toBe(0);
  await tool(ann, "Borders").click();
  await ann.page.getByRole("button", { name: "Diagonal up" }).click();
  await expect(tool(ann, "Undo")).toBeEnabled();
});

test("indent and rotation are applied", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["turned"]]);
  await ann.select("A1");
  await ann.choose("Format", "Indent and rotation…");
  const dialog = ann.page.getByRole("dialog", { name: "Indent and rotation" });
  await dialog.getByRole("spinbutton", { name: "Indent" }).fill("2");
  await dialog.getByRole("combobox", { name: "Rotation" }).selectOption("Rotate up");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.choose("Format", "Indent and rotation…");
  await expect(dialog.getByRole("spinbutton", { name: "Indent" })).toHaveValue("2");
  await expect(dialog.getByRole("combobox", { name: "Rotation" })).toHaveValue("Rotate up");
});

test("rows and columns get sizes in a dialog, and are hidden and frozen in the menus of their headers", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A2:A3");
  await ann.choose("View", "Row height…");
  const heights = ann.page.getByRole("dialog", { name: "Row height" });
  const height = heights.getByRole("spinbutton", { name: "Height in pixels" });
  await expect(height).toHaveValue("22");
  await height.fill("3");
  await expect(heights.getByRole("button", { name: "Apply" })).toBeDisabled();
  await height.fill("40");
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("Enter");
  await expect(ann.field).toBeFocused();
  await ann.saved();
  // Another person has the same heights.
  for (const [cell, px] of [["A3", "40"], ["A4", "22"]] as const) {
    await bob.select(cell);
    await bob.choose("View", "Row height…");
    await expect(bob.page.getByRole("spinbutton", { name: "Height in pixels" })).toHaveValue(px);
    await bob.press("Escape");
  }
  await ann.choose("View", "Row height…");
  await heights.getByRole("button", { name: "Default" }).click();
  await ann.choose("View", "Row height…");
  await expect(height).toHaveValue("22");
  await ann.press("Escape");
  const grid = await ann.page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  // The header of column A.
  const header = async (item: string): Promise<void> => {
    await ann.page.mouse.click(grid.x + 44 + 48, grid.y + 12, { button: "right" });
    await ann.page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  await header("Column width…");
  const width = ann.page.getByRole("spinbutton", { name: "Width in pixels" });
  await expect(width).toHaveValue("96");
  await width.fill("150");
  await ann.press("Enter");
  await header("Column width…");
  await expect(width).toHaveValue("150");
  await ann.press("Escape");
  await header("Freeze up to column A");
  expect(await ann.ticked("View")).toContain("First column");
  await header("Hide columns");
  await expect(ann.cell("A1")).toHaveCount(0);
});

test("texts are shown as wiki text, and as they are again", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["*12* kg"]]);
  await ann.select("A1");
  await ann.choose("Format", "Text format…");
  const dialog = ann.page.getByRole("dialog", { name: "Text format" });
  await expect(dialog.getByRole("radio", { name: "Plain text" })).toBeChecked();
  await dialog.getByRole("radio", { name: "Wiki text" }).check();
  await ann.press("Enter");
  await ann.seesInCell("A1", "12 kg");
  await ann.press("F2");
  await expect(ann.field).toHaveValue("*12* kg");
  await ann.press("Escape");
  await ann.choose("Format", "Text format…");
  await dialog.getByRole("radio", { name: "Plain text" }).check();
  await ann.press("Enter");
  await ann.seesInCell("A1", "*12* kg");
});

test("menus insert rows and columns and freeze panes", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A2");
  await ann.choose("View", "Hide rows");
  await expect(ann.cell("A2")).toHaveCount(0);
  await ann.select("A1:A3");
  await ann.choose("View", "Unhide rows");
  await ann.seesInCell("A2", "2");
  await ann.choose("View", "First row");
  await ann.press("Control+z");
});

test("menus check the current freeze and vertical alignment", async ({ world }) => {
  const ann = await world.enter();
  const frozen = async (): Promise<string | undefined> => {
    const [first] = await ann.ticked("View");
    await expect(ann.field).toBeFocused();
    return first;
  };
  expect(await frozen()).toBe("None");
  await ann.choose("View", "First column");
  await expect.poll(frozen).toBe("First column");
  await ann.select("C3");
  await ann.choose("View", "Up to current cell");
  await ann.select("E9");
  await expect.poll(frozen).toMatch(/^Up to current cell\s+C3$/);
  expect(await ann.ticked("Vertical alignment")).toEqual(["Bottom"]);
  await expect(ann.field).toBeFocused();
  await ann.choose("Vertical alignment", "Middle");
  await expect.poll(() => ann.ticked("Vertical alignment")).toEqual(["Middle"]);
});

test("a cell style is applied to the whole selection in one undo step", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["1234.5"]]);
  await ann.select("B2:C3");
  await tool(ann, "Cell styles").click();
  const gallery = ann.page.getByRole("dialog", { name: "Cell styles" });
  await expect(gallery.getByRole("group")).toHaveCount(4);
  expect(await violations(ann.page)).toEqual([]);
  await gallery.getByRole("button", { name: "Comma [0]" }).click();
  await expect(gallery).toHaveCount(0);
  await ann.seesInCell("B2", "1,235");
  await ann.select("C3");
  await ann.choose("Format", "Cell styles…");
  await gallery.getByRole("button", { name: "Heading 1" }).click();
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "true");
  await ann.press("Control+z");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "false");
  await ann.seesInCell("B2", "1,235");
  await ann.press("Control+z");
  await ann.seesInCell("B2", "1234.5");
  // In the dark theme, samples have the sheet's colours.
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await tool(ann, "Cell styles").click();
  await expect(gallery.getByRole("button", { name: "Title", exact: true })).toHaveCSS("background-color", "rgb(24, 29, 30)");
  expect(await violations(ann.page)).toEqual([]);
});

test("a custom cell style is created, applied, renamed, changed and deleted", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["12.5"]]);
  await ann.select("A1");
  await ann.press("Control+b", "Control+i");
  await expect(tool(ann, "Italic")).toHaveAttribute("aria-pressed", "true");
  const gallery = ann.page.getByRole("dialog", { name: "Cell styles" });
  await tool(ann, "Cell styles").click();
  await gallery.getByRole("button", { name: "New style from this cell…" }).click();
  const field = gallery.getByRole("textbox", { name: "Style name" });
  await expect(field).toBeFocused();
  await field.fill("Harvest");
  await ann.press("Enter");
  const own = gallery.getByRole("group", { name: "This workbook's styles" });
  await expect(own.getByRole("button", { name: "Harvest", exact: true })).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("Escape");

  // The style is shared and replaces the whole format, also what it does not set.
  await bob.select("C3");
  await bob.press("Control+u");
  await expect(tool(bob, "Underline")).toHaveAttribute("aria-pressed", "true");
  await tool(bob, "Cell styles").click();
  await bob.page.getByRole("dialog", { name: "Cell styles" }).getByRole("button", { name: "Harvest", exact: true }).click();
  await expect(tool(bob, "Bold")).toHaveAttribute("aria-pressed", "true");
  await expect(tool(bob, "Underline")).toHaveAttribute("aria-pressed", "false");

  await ann.select("A2");
  await tool(ann, "Cell styles").click();
  await own.getByRole("button", { name: "Edit styles" }).click();
  expect(await violations(ann.page)).toEqual([]);
  await own.getByRole("textbox", { name: "Style name" }).fill("Crop");
  await own.getByRole("button", { name: "Update to match cell: Harvest" }).focus();
  await own.getByRole("button", { name: "Update to match cell: Crop" }).click();
  await own.getByRole("button", { name: "Done" }).click();
  // The cell of the other person follows.
  await expect(tool(bob, "Bold")).toHaveAttribute("aria-pressed", "false");
  await ann.press("Escape");
  await ann.select("A1");
  await tool(ann, "Cell styles").click();
  await own.getByRole("button", { name: "Crop", exact: true }).click();
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "false");

  await tool(ann, "Cell styles").click();
  await own.getByRole("button", { name: "Edit styles" }).click();
  await own.getByRole("button", { name: "Remove Crop" }).click();
  await expect(own).toHaveCount(0);
  await ann.press("Escape", "Control+z");
  await tool(ann, "Cell styles").click();
  await expect(own.getByRole("button", { name: "Crop", exact: true })).toBeVisible();
});

test("cells follow their style for everyone, except in what they set themselves", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const styles = (person: User) => person.page.getByRole("dialog", { name: "Cell styles" });
  const sees = async (person: User, cell: string, name: "Bold" | "Italic", isPressed: boolean): Promise<void> => {
    await person.select(cell);
    await expect(tool(person, name)).toHaveAttribute("aria-pressed", String(isPressed));
  };
  // A built-in style becomes one of the workbook, in one undo step with its cells.
  await bob.select("C3:C4");
  await tool(bob, "Cell styles").click();
  await styles(bob).getByRole("button", { name: "Heading 3" }).click();
  await sees(bob, "C3", "Bold", true);
  await bob.select("C4");
  await bob.press("Control+b");
  await expect(tool(bob, "Bold")).toHaveAttribute("aria-pressed", "false");
  await bob.select("C3");
  await tool(bob, "Cell styles").click();
  await expect(styles(bob).getByRole("button", { name: "Heading 3" })).toHaveAttribute("aria-pressed", "true");
  await expect(styles(bob).getByRole("button", { name: "Heading 4" })).toHaveAttribute("aria-pressed", "false");
  await bob.press("Escape");

  await ann.select("A1");
  await ann.press("Control+b", "Control+i");
  await expect(tool(ann, "Italic")).toHaveAttribute("aria-pressed", "true");
  await tool(ann, "Cell styles").click();
  await styles(ann).getByRole("button", { name: "Edit styles" }).click();
  await styles(ann).getByRole("button", { name: "Update to match cell: Heading 3" }).click();
  await ann.press("Escape");
  await sees(bob, "C3", "Italic", true);
  await sees(bob, "C4", "Italic", true);
  // What the cell sets itself stays.
  await sees(bob, "C4", "Bold", false);
  await ann.select("A1");
  await ann.press("Control+z");
  await sees(bob, "C3", "Italic", false);
  await sees(bob, "C3", "Bold", true);

  await tool(ann, "Cell styles").click();
  await styles(ann).getByRole("button", { name: "Edit styles" }).click();
  await styles(ann).getByRole("button", { name: "Remove Heading 3" }).click();
  await ann.press("Escape");
  await sees(bob, "C3", "Bold", false);
});

test("a formula gets the format of its operands when it is entered", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["$2.50", "=A1*4"], ["12%", "=A2"], ["2026-11-27", "=A3+1"]]);
  await ann.sees("B1", [["$10.00"], ["12%"], ["2026-11-28"]]);
  // A format of the cell wins, and one undo step takes the formula and its format back.
  await ann.type("C1", [["=SUM(A1,B1)"]]);
  await ann.seesInCell("C1", "$12.50");
  await ann.press("Control+z");
  await ann.type("C1", [["5"]]);
  await ann.seesInCell("C1", "5");
  await ann.type("D1", [["15%"]]);
  await ann.type("D1", [["=A1"]]);
  await ann.seesInCell("D1", "250%");
});

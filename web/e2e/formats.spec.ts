import { violations } from "./axe.ts";
import { expect, type Person, test } from "./sheet.ts";

const tool = (person: Person, name: string) => person.page.getByRole("button", { name, exact: true });

test("font, size and cell styles", async ({ world }) => {
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

test("borders are drawn as one step", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("B2:C3");
  await tool(ann, "Borders").click();
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.getByRole("combobox", { name: "Line", exact: true }).selectOption("Thick");
  await ann.page.getByRole("button", { name: "Outer borders" }).click();
  await expect(tool(ann, "Undo")).toBeEnabled();
  await ann.press("Control+z");
  await expect(tool(ann, "Undo")).toBeDisabled();
});

test("the brush gives one cell's look to the next", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["x", "y"]]);
  await ann.select("A1");
  await ann.press("Control+b");
  const brush = tool(ann, "Take the look, then give it to the next cells");
  await brush.click();
  await expect(brush).toHaveAttribute("aria-pressed", "true");
  await ann.click("B1");
  await expect(brush).toHaveAttribute("aria-pressed", "false");
  await expect(ann.page.getByRole("textbox", { name: /^Selected cells/ })).toHaveValue("B1");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "true");
});

test("merging joins cells, splitting parts them", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["wide"]]);
  await ann.select("A1:C1");
  await ann.choose("Format", "All into one");
  await expect(ann.cell("A1")).toHaveAttribute("aria-colspan", "3");
  await ann.select("A1");
  await ann.choose("Format", "Split merged cells");
  await expect(ann.cell("A1")).not.toHaveAttribute("aria-colspan", "3");
});

test("rules for looks are listed, added and removed", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["5"]]);
  await ann.select("A1:A2");
  await ann.choose("Format", "Conditional formatting…");
  const dialog = ann.page.getByRole("dialog", { name: "Conditional formatting" });
  await expect(dialog.getByText("This sheet has no rules yet.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Value" }).fill("3");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByText("Greater than 3")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Rule" }).selectOption("Colour scale");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await dialog.getByRole("button", { name: "Remove Colour scale" }).click();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
});

test("indent and rotation", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["turned"]]);
  await ann.select("A1");
  await ann.choose("Format", "Indent and rotation…");
  const dialog = ann.page.getByRole("dialog", { name: "Indent and rotation" });
  await dialog.getByRole("spinbutton", { name: "Indent" }).fill("2");
  await dialog.getByRole("combobox", { name: "Rotation" }).selectOption("Upwards");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.choose("Format", "Indent and rotation…");
  await expect(dialog.getByRole("spinbutton", { name: "Indent" })).toHaveValue("2");
  await expect(dialog.getByRole("combobox", { name: "Rotation" })).toHaveValue("Upwards");
});

test("rows, columns and panes from the menus", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A2");
  await ann.choose("View", "Hide rows");
  await expect(ann.cell("A2")).toHaveCount(0);
  await ann.select("A1:A3");
  await ann.choose("View", "Show hidden rows");
  await ann.seesInCell("A2", "2");
  await ann.choose("View", "First row");
  await ann.press("Control+z");
});

test("a cell style is one step for all that is selected, from the toolbar and from the menu", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["1234.5"]]);
  await ann.select("B2:C3");
  await tool(ann, "Cell styles").click();
  const gallery = ann.page.getByRole("dialog", { name: "Cell styles" });
  await expect(gallery.getByRole("group")).toHaveCount(4);
  expect(await violations(ann.page)).toEqual([]);
  await gallery.getByRole("button", { name: "Comma, whole" }).click();
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
  // In the dark, samples are as the sheet has them.
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await tool(ann, "Cell styles").click();
  await expect(gallery.getByRole("button", { name: "Title", exact: true })).toHaveCSS("background-color", "rgb(24, 29, 30)");
  expect(await violations(ann.page)).toEqual([]);
});

import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, test } from "./user.ts";

test("a table has headers, totals and structured references, and grows with new rows", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["item", "amount"], ["nails", "5"], ["screws", "7"]]);
  await bob.sees("A3", [["screws", "7"]]);
  await ann.select("A1");
  await ann.choose("Insert$", /^Table/);
  const dialog = ann.page.getByRole("dialog", { name: "Create table" });
  await expect(dialog.getByRole("textbox", { name: "Cells" })).toHaveValue("A1:B3");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Stock");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog).toHaveCount(0);
  // Bob's replica has the table.
  await bob.type("F1", [["=ROWS(Stock)"]]);
  await bob.seesInCell("F1", "2");
  // Rows typed below the table extend it for everyone.
  await bob.type("A4", [["bolts", "8"]]);
  await ann.sees("A4", [["bolts", "8"]]);
  await ann.type("D1", [["=SUM(Stock[amount])"]]);
  await ann.seesInCell("D1", "20");
  await bob.seesInCell("D1", "20");
  // A table with a total row does not extend.
  await ann.select("B2");
  await ann.press("Control+Alt+t");
  const change = ann.page.getByRole("dialog", { name: "Table" });
  await expect(change.getByRole("textbox", { name: "Cells" })).toHaveValue("A1:B4");
  await change.getByRole("checkbox", { name: "Total row" }).check();
  await change.getByRole("button", { name: "Apply" }).click();
  await bob.sees("A5", [["Total", "20"]]);
  await ann.seesInCell("D1", "20");
  await ann.press("Control+z");
  await bob.sees("A5", [["", ""]]);
});

test("a table style is applied, and a duplicate table name is rejected", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["a", ""], ["1", "2"]]);
  await ann.select("A1:B2");
  await ann.choose("Insert$", /^Table/);
  const dialog = ann.page.getByRole("dialog", { name: "Create table" });
  await dialog.getByRole("button", { name: "Apply" }).click();
  // An empty header gets a default name.
  await ann.sees("A1", [["a", "Column2"]]);
  const fill = () =>
    ann.page.locator("main.grid canvas").first().evaluate((canvas: HTMLCanvasElement) => {
      const scale = canvas.width / canvas.clientWidth;
      // In B1, between the text and the filter button.
      const [x, y] = [212, 28];
      return [...(canvas.getContext("2d")?.getImageData(x * scale, y * scale, 1, 1).data ?? [])].slice(0, 3);
    });
  await ann.select("D9");
  await expect.poll(fill).toEqual([0x44, 0x72, 0xc4]);
  await ann.type("D1", [["b", "c"], ["1", "2"]]);
  await ann.select("D1:E2");
  await ann.choose("Insert$", /^Table/);
  const name = dialog.getByRole("textbox", { name: "Name" });
  await name.fill("Table1");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(name).toHaveAccessibleDescription("This name is already in use.");
  await expect(name).toBeFocused();
  // The error is shown at the field only.
  await name.fill("Other");
  const cells = dialog.getByRole("textbox", { name: "Cells" });
  await cells.fill("nowhere");
  await cells.press("Enter");
  await expect(cells).toHaveAccessibleDescription("Not a valid cell reference: nowhere");
  await expect(name).toHaveAttribute("aria-invalid", "false");
  expect(await violations(ann.page)).toEqual([]);
  await cells.fill("D1:E2");
  await cells.press("Enter");
  await expect(dialog).toHaveCount(0);
});

test("types of columns set formats and rules, which new rows of the table get", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["task", "done", "state", "share"], ["paint", "", "open", "0.5"], ["sweep", "", "late", "0.2"]]);
  await command(ann.page, { type: "setItem", sheet: 1, kind: "table", anchors: ["A1:D3"], fields: { name: "Tasks", bandedRows: true } });
  const setType = async (cell: string, type: string): Promise<void> => {
    await ann.select(cell);
    await ann.click(cell, { button: "right" });
    await ann.page.getByRole("menuitem", { name: "Column type…" }).click();
    const dialog = ann.page.getByRole("dialog", { name: "Column type" });
    await dialog.getByRole("radio", { name: type, exact: true }).check();
    expect(await violations(ann.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect(dialog).toHaveCount(0);
  };
  await setType("B2", "Checkbox");
  await setType("C3", "Dropdown");
  await setType("D2", "Progress");
  await setType("A2", "Text");
  await setType("B2", "People");
  await setType("C3", "Rating");
  await expect(bob.cell("C3")).toHaveAttribute("aria-invalid", "true");
  await expect(bob.cell("B2")).toHaveAttribute("aria-description", /has a dropdown list/);
  await ann.press("Control+z", "Control+z");
  await expect(bob.cell("D2")).toHaveText("50%");
  await expect(bob.cell("B3")).toHaveText("not checked");
  // A new row has the types of the columns.
  await command(bob.page, { type: "typeTexts", sheet: 1, at: "A4", texts: [["007", "FALSE", "late", "80"]] });
  await expect(ann.cell("B4")).toHaveText("not checked");
  await ann.sees("A4", [["007"]]);
  await expect(ann.cell("D4")).toHaveText("80%");
  await expect(ann.cell("C4")).toHaveAttribute("aria-description", /has a dropdown list/);
  await ann.select("C4");
  await ann.press("Alt+ArrowDown");
  await expect(ann.page.getByRole("listbox", { name: "Dropdown list" }).getByRole("option")).toHaveText(["open", "late"]);
  await ann.press("Escape");
  // Another type replaces the rule of the column, and one undo step brings it back.
  await setType("C2", "Automatic");
  await expect(bob.cell("C4")).not.toHaveAttribute("aria-description", /dropdown list/);
  await ann.press("Control+z");
  await expect(bob.cell("C4")).toHaveAttribute("aria-description", /dropdown list/);
});

test("a new table has filter buttons, which go with it and can be switched off", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["item", "amount"], ["nails", "5"], ["screws", "7"]]);
  await ann.select("A1");
  await ann.choose("Insert$", /^Table/);
  const dialog = ann.page.getByRole("dialog", { name: "Create table" });
  await dialog.getByRole("checkbox", { name: "Total row" }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await bob.sees("A4", [["Total", "12"]]);
  const filterDialog = ann.page.getByRole("dialog", { name: "Filter" });
  await ann.select("A1");
  await ann.press("Alt+ArrowDown");
  await filterDialog.getByRole("checkbox", { name: "nails", exact: true }).uncheck();
  await filterDialog.getByRole("button", { name: "Apply" }).click();
  // The total row is not filtered.
  await bob.seesInCell("B4", "7");
  await ann.select("A1");
  await ann.choose("Data", /^Filter$/);
  await bob.seesInCell("B4", "12");
  await ann.choose("Data", /^Filter$/);
  await ann.press("Alt+ArrowDown");
  await expect(filterDialog).toBeVisible();
  await ann.press("Escape");
  await ann.select("A2");
  await ann.press("Control+Alt+t");
  await ann.page.getByRole("button", { name: "Convert to range" }).click();
  await ann.select("A1");
  await ann.press("Alt+ArrowDown");
  await expect(filterDialog).toHaveCount(0);
});

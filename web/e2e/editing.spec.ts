import { command } from "./commands.ts";
import { inputMethod, NO_METHOD } from "./input-method.ts";
import { skipInWebKit } from "./skip.ts";
import { expect, test } from "./user.ts";

test("typed values and formulas are calculated and can be edited", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["Item", "Price"],
    ["Pen", "1.5"],
    ["Ink", "30"],
    ["Sum", "=SUM(B2:B3)"],
  ]);
  await ann.sees("A1", [
    ["Item", "Price"],
    ["Pen", "1.5"],
    ["Ink", "30"],
    ["Sum", "31.5"],
  ]);
  await ann.select("B2");
  await ann.formula("1.5");
  await ann.press("F2", "Home");
  await ann.page.keyboard.type("2");
  await ann.press("Enter");
  await ann.seesInCell("B2", "21.5");
  await ann.seesInCell("B4", "51.5");
  await ann.select("B4");
  await ann.formula("=SUM(B2:B3)");
  await ann.select("B3");
  await ann.press("Delete");
  await ann.sees("B3", [[""], ["21.5"]]);
});

test("the formula bar shows the active cell during a calculation", async ({ world }) => {
  // Each cell depends on thousands of others: the calculation takes seconds.
  const csv = Array.from({ length: 3_000 }, (_, row) => `=${row}+1,"=SUMPRODUCT(--(MOD(A$1:A$3000,ROW()+1)=A${row + 1}))"`).join("\n");
  await fetch(`${world.server.url}/api/v1/rooms/busy`, { method: "PUT", headers: { "content-type": "text/csv" }, body: csv });
  const ann = await world.enter("busy");
  const calculating = ann.page.getByText("Calculating…");
  await expect(calculating).toBeVisible();
  await ann.formula("=0+1");
  await expect(calculating, "the answer did not wait for the values").toBeVisible();
  await ann.select("A2");
  await ann.formula("=1+1");
  await expect(calculating).toHaveCount(0);
  // Committed without moving to the next cell.
  await ann.page.keyboard.type("=2+3");
  await ann.press("Control+Enter");
  await expect(calculating).toBeVisible();
  await ann.formula("=2+3");
  await expect(ann.field).toHaveAccessibleName("A2 =2+3");
  await expect(calculating).toBeVisible();
});

test("what is typed over a cell replaces its content after F2 and in the formula bar too", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["old"], ["old"]]);
  await ann.select("A1");
  await ann.page.keyboard.type("new");
  await ann.press("F2", "Enter");
  await ann.seesInCell("A1", "new");
  await ann.select("A2");
  await ann.page.keyboard.type("new");
  await ann.page.getByRole("textbox", { name: "Formula bar" }).click();
  await ann.press("Enter");
  await ann.seesInCell("A2", "new");
});

test("Escape cancels, Tab and Enter move, a double click edits", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["one", "two"]]);
  await ann.select("A1");
  await ann.page.keyboard.type("other");
  await ann.press("Escape");
  await ann.seesInCell("A1", "one");
  await ann.click("B1", { clickCount: 2 });
  await ann.page.keyboard.type("!");
  await ann.press("Tab");
  await ann.seesInCell("B1", "two!");
  await ann.page.keyboard.type("three");
  await ann.press("Enter");
  await ann.seesInCell("C1", "three");

  // Rows of a table, typed with Tab and Enter.
  await ann.select("B3");
  for (const [left, right] of [["north", "1200"], ["south", "900"]] as const) {
    await ann.page.keyboard.type(left);
    await ann.press("Tab");
    await ann.page.keyboard.type(right);
    await ann.press("Enter");
  }
  await ann.sees("B3", [["north", "1200"], ["south", "900"]]);
});

test("the formula bar and the cell editor share their text", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"]]);
  await ann.select("B1");
  const bar = ann.page.getByRole("textbox", { name: "Formula bar" });
  await bar.click();
  await ann.page.keyboard.type("=A1*21");
  await expect(ann.page.locator(".cell-field")).toHaveValue("=A1*21");
  await ann.press("Enter");
  await ann.seesInCell("B1", "42");
});

test("pressing a cell inserts its reference into the formula", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"], ["3"]]);
  await ann.select("B1");
  await ann.page.keyboard.type("=SUM(");
  await ann.drag("A1", "A2");
  await expect(ann.page.locator(".cell-field")).toHaveValue("=SUM(A1:A2");
  await ann.page.keyboard.type(")+");
  await ann.press("ArrowLeft");
  await ann.press("Enter");
  await ann.seesInCell("B1", "7");
});

test("an entry that begins with a sign is a formula, and a dash alone is a text", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"], ["5"]]);
  await ann.select("B1");
  await ann.page.keyboard.type("+");
  await ann.click("A1");
  await ann.page.keyboard.type("*");
  await ann.click("A2");
  await ann.press("Enter");
  await ann.sees("A1", [["2", "10"]]);
  await ann.select("B1");
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toHaveValue("=+A1*A2");
  await ann.select("B2");
  await ann.page.keyboard.type("-");
  await ann.press("ArrowUp");
  await ann.sees("B1", [["10"], ["-"]]);
  await ann.type("C1", [["- item"], ["+49-30-1234"]]);
  await ann.sees("C1", [["- item"], ["+49-30-1234"]]);
});

test("a sum is proposed for the numbers above or beside the cell, and for all selected columns", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Price", "1"], ["10", "2"], ["20", "3"], ["30"]]);
  const field = ann.page.locator(".cell-field");
  // Up to the heading.
  await ann.select("A5");
  await ann.press("Alt+=");
  await expect(field).toHaveValue("=SUM(A2:A4");
  await ann.press("Enter");
  await ann.seesInCell("A5", "60");
  await ann.select("C2");
  await ann.press("Alt+=");
  await expect(field).toHaveValue("=SUM(A2:B2");
  // Another range replaces the proposed one.
  await ann.drag("B2", "B3");
  await expect(field).toHaveValue("=SUM(B2:B3");
  await ann.press("Enter");
  await ann.seesInCell("C2", "5");
  // Beyond blank cells.
  await ann.select("B7");
  await ann.press("Alt+=");
  await expect(field).toHaveValue("=SUM(B1:B6");
  await ann.press("Escape");
  await ann.type("E1", [["1", "2"], ["3", "4"]]);
  await ann.select("E1:F2");
  await ann.press("Alt+=");
  await ann.sees("E3", [["4", "6"]]);
  await ann.press("Control+z");
  await ann.sees("E3", [["", ""]]);
});

test("functions are suggested while typing, with their arguments", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"], ["3"]]);
  await ann.select("B1");
  await ann.page.keyboard.type("=1+av");
  const list = ann.page.getByRole("listbox", { name: "Functions" });
  await expect(list.getByRole("option", { selected: true })).toContainText("AVEDEV");
  await ann.press("ArrowDown");
  await expect(list.getByRole("option", { selected: true })).toContainText("AVERAGE");
  await ann.press("Tab");
  await expect(ann.page.locator(".cell-field")).toHaveValue("=1+AVERAGE(");
  await expect(ann.page.locator(".formula-call")).toContainText("AVERAGE(");
  await ann.drag("A1", "A2");
  await ann.press("Enter");
  await ann.seesInCell("B1", "3.5");
});

test("an input method keeps its first key, and its Enter does not commit the entry", async ({ world }) => {
  skipInWebKit(NO_METHOD);
  const ann = await world.enter();
  await ann.select("B2");
  const method = await inputMethod(ann);
  await method.compose("に", "日本");
  await method.choose("日本");
  await expect(ann.page.locator(".cell-field")).toHaveValue("日本");
  await ann.press("Enter");
  await ann.seesInCell("B2", "日本");
});

test("the name box and the status bar show the selection", async ({ world }) => {
  const ann = await world.enter();
  const name = ann.page.getByRole("textbox", { name: /^Name box/ });
  await ann.type("A1", [
    ["1", "2"],
    ["3", "4"],
  ]);
  await ann.drag("A1", "B2");
  await expect(name).toHaveValue("A1:B2");
  const figures = ann.page.getByRole("group", { name: "Selection" });
  await expect(figures).toContainText("Sum10");
  await expect(figures).toContainText("Average2.5");
  await ann.select("A1");
  await ann.press("Control+ArrowDown");
  await expect(name).toHaveValue("A2");
  await ann.press("Control+ArrowDown");
  await expect(name).toHaveValue("A1048576");
  await ann.press("Control+Home", "Shift+ArrowRight", "Shift+ArrowDown");
  await expect(name).toHaveValue("A1:B2");
  await ann.press("Control+Shift+End");
  await expect(name).toHaveValue("A1:B2");
  await ann.press("Control+Space");
  await expect(name).toHaveValue("A:B");
  await ann.select("A1");
  await ann.press("Control+a");
  await expect(name).toHaveValue("A1:B2");
  await ann.click("C3");
  await ann.click("D5", { shift: true });
  await expect(name).toHaveValue("C3:D5");
});

test("copy and paste keep formulas and formats, and cut moves cells", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2", "=A1*10"], ["3"]]);
  await ann.select("B1");
  await ann.press("Control+b");
  expect(await ann.copy()).toBe("20");
  await ann.select("B2");
  await ann.press("Control+v");
  await ann.seesInCell("B2", "30");
  await expect(ann.page.getByRole("button", { name: "Bold" })).toHaveAttribute("aria-pressed", "true");
  await ann.select("A1:B1");
  expect(await ann.copy("Control+x")).toBe("2\t20");
  await ann.select("D4");
  await ann.press("Control+v");
  await ann.sees("A1", [["", ""]]);
  await ann.sees("D4", [["2", "20"]]);
  await ann.select("E4");
  await ann.formula("=D4*10");
});

test("copied and cut cells take notes, links, lists and merged cells along", async ({ world }) => {
  const ann = await world.enter("plan");
  const bob = await world.enter("plan");
  await ann.type("A1", [["size", "site", "wide"]]);
  const sheet = 1;
  await command(ann.page, { type: "setItem", sheet, kind: "note", anchors: ["A1"], fields: { text: "why" } });
  await command(ann.page, { type: "setItem", sheet, kind: "link", anchors: ["B1"], fields: { url: "https://example.org/" } });
  await command(ann.page, { type: "setItem", sheet, kind: "validation", anchors: ["A1"], fields: { rule: "list", choices: ["size", "none"] } });
  await command(ann.page, { type: "merge", sheet, range: "C1:D1", how: "all" });
  await ann.saved();
  const attached = async (): Promise<string[]> => {
    const response = await fetch(`${world.server.url}/api/v1/rooms/plan/sheets/Sheet1/items`);
    const { items } = (await response.json()) as { items: { kind: string; anchors: string[] }[] };
    return items.map(({ kind, anchors }) => `${kind} ${anchors.join(" ")}`).sort();
  };
  const before = ["link B1", "merge C1:D1", "note A1", "validation A1"];
  await expect.poll(attached).toEqual(before);
  await ann.select("A1:D1");
  await ann.copy();
  await ann.select("A3");
  await ann.press("Control+v");
  await expect.poll(attached).toEqual(["link B1", "link B3", "merge C1:D1", "merge C3:D3", "note A1", "note A3", "validation A1 A3"]);
  await bob.sees("A3", [["size", "site", "wide"]]);
  await ann.press("Control+z");
  await expect.poll(attached).toEqual(before);
  await ann.select("A1:D1");
  await ann.copy("Control+x");
  await ann.select("B5");
  await ann.press("Control+v");
  await expect.poll(attached).toEqual(["link C5", "merge D5:E5", "note B5", "validation B5"]);
});

test("tab-separated text is exchanged with other programs", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.evaluate(() => navigator.clipboard.writeText("name\tcount\nä \"b\"\t1,234\n\"two\nlines\"\t=1+1"));
  await ann.select("B2");
  await ann.press("Control+v");
  await ann.sees("B2", [
    ["name", "count"],
    ['ä "b"', "1,234"],
  ]);
  await ann.seesInCell("C4", "2");
  await ann.select("B2:C3");
  expect(await ann.copy()).toBe('name\tcount\nä "b"\t1,234');
});

test("the fill handle, fill down and fill right extend cells", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["1", "=A1*2"],
    ["2"],
  ]);
  await ann.select("A1:A2");
  const corner = await ann.point("A2");
  const end = await ann.point("A5");
  await ann.page.mouse.move(corner.x + 48, corner.y + 11);
  await ann.page.mouse.down();
  await ann.page.mouse.move(end.x, end.y - 20);
  await ann.page.mouse.move(end.x, end.y);
  await ann.page.mouse.up();
  await ann.sees("A1", [["1"], ["2"], ["3"], ["4"], ["5"]]);
  await ann.select("B1:B5");
  await ann.press("Control+d");
  await ann.sees("B1", [["2"], ["4"], ["6"], ["8"], ["10"]]);
  await ann.select("B1:C1");
  await ann.press("Control+r");
  await ann.seesInCell("C1", "4");
});

test("rows and columns are inserted, deleted and resized, and references follow", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["=SUM(A1:A2)"]]);
  await ann.click("A2", { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Insert row above" }).click();
  await ann.sees("A1", [["1"], [""], ["2"], ["3"]]);
  await ann.select("A4");
  await ann.formula("=SUM(A1:A3)");
  await ann.select("A1");
  await ann.click("A1", { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Insert column to the left" }).click();
  await ann.sees("A1", [["", "1"]]);
  await ann.click("A1", { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Delete column" }).click();
  await ann.sees("A1", [["1"], [""], ["2"], ["3"]]);
  await ann.click("A2", { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Delete row" }).click();
  await ann.sees("A1", [["1"], ["2"], ["3"]]);

  const grid = await ann.page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const border = { x: grid.x + 44 + 96, y: grid.y + 12 };
  await ann.page.mouse.move(border.x, border.y);
  await ann.page.mouse.down();
  await ann.page.mouse.move(border.x + 30, border.y);
  await ann.page.mouse.move(border.x + 60, border.y);
  await ann.page.mouse.up();
  // The middle of column B has moved to column A.
  await expect(async () => {
    await ann.page.mouse.click(border.x + 50, grid.y + 35);
    await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A1", { timeout: 500 });
  }).toPass();
});

test("the height of a row follows its texts, unless it was set", async ({ world }) => {
  const ann = await world.enter("heights");
  const height = async (row: number): Promise<number | undefined> => {
    const response = await fetch(`${world.server.url}/api/v1/rooms/heights?format=json`);
    // The workbook is there with its first change.
    const { sheets } = (await response.json()) as { sheets?: [{ rowHeights?: Record<string, number> }] };
    return sheets?.[0].rowHeights?.[row];
  };
  const typeLines = async (cell: string, ...lines: string[]) => {
    await ann.select(cell);
    for (const [index, line] of lines.entries()) {
      await ann.press(...(index > 0 ? ["Alt+Enter"] : []));
      await ann.page.keyboard.type(line);
    }
    await ann.press("Enter");
  };
  // Several lines are wrapped, and the row shows them.
  await typeLines("A1", "one", "two");
  await expect.poll(() => height(1)).toBeGreaterThan(30);
  const twoLines = (await height(1)) ?? 0;
  await typeLines("A1", "one", "two", "three");
  await expect.poll(() => height(1)).toBeGreaterThan(twoLines);
  // Each entry is undone in one step.
  await ann.press("Control+z");
  await ann.seesInCell("A1", "one\ntwo");
  await expect.poll(() => height(1)).toBe(twoLines);
  await ann.press("Control+z");
  await ann.seesInCell("A1", "");
  await expect.poll(() => height(1)).toBe(undefined);
  // Larger letters need a higher row as well.
  await ann.type("A2", [["large"]]);
  await ann.select("A2");
  await ann.page.getByRole("combobox", { name: "Font size" }).selectOption("24");
  await expect.poll(() => height(2)).toBeGreaterThan(30);
  // Wrapping is undone in one step as well.
  await ann.type("A4", [["a text that needs several lines in its narrow column"]]);
  await ann.select("A4");
  await ann.page.getByRole("button", { name: "Wrap text" }).click();
  await expect.poll(() => height(4)).toBeGreaterThan(30);
  await ann.press("Control+z");
  await expect.poll(() => height(4)).toBe(undefined);
  await expect(ann.page.getByRole("button", { name: "Wrap text" })).toHaveAttribute("aria-pressed", "false");
  // A height that was set stays.
  await ann.select("A3");
  await typeLines("A3", "text");
  await fetch(`${world.server.url}/api/v1/rooms/heights/commands`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ commands: [{ type: "resize", sheet: "Sheet1", dimension: "rows", first: 2, count: 1, size: 60 }] }),
  });
  await expect.poll(() => height(3)).toBe(60);
  await typeLines("A3", "one", "two");
  await ann.seesInCell("A3", "one\ntwo");
  await ann.saved();
  expect(await height(3)).toBe(60);
});

test("selected rows and columns are moved by header drag and by keys", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["a", "1"], ["b", "2"], ["c", "3"], ["=B1", "=SUM(B1:B3)"]]);
  const grid = await ann.page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const row = (index: number) => ({ x: grid.x + 20, y: grid.y + 24 + 22 * index + 11 });
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    await ann.page.mouse.click(from.x, from.y);
    await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue(/:/);
    await ann.page.mouse.move(from.x, from.y);
    await ann.page.mouse.down();
    await ann.page.mouse.move(to.x, (from.y + to.y) / 2);
    await ann.page.mouse.move(to.x, to.y);
    await ann.page.mouse.up();
  };
  // Moves the first row behind the third.
  await drag(row(0), { x: row(2).x, y: row(2).y + 6 });
  await ann.sees("A1", [["b", "2"], ["c", "3"], ["a", "1"], ["1", "6"]]);
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("3:3");
  await ann.page.keyboard.press("Alt+Shift+ArrowUp");
  await ann.sees("A1", [["b", "2"], ["a", "1"], ["c", "3"], ["1", "6"]]);
  await ann.page.keyboard.press("Control+z");
  await ann.sees("A1", [["b", "2"], ["c", "3"], ["a", "1"], ["1", "6"]]);
  await ann.select("B1");
  await ann.page.keyboard.press("Control+Alt+Shift+ArrowLeft");
  await ann.sees("A1", [["2", "b"], ["3", "c"], ["1", "a"], ["6", "1"]]);
});

test("undo and redo affect only the user's own changes", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["from ann"]]);
  await bob.seesInCell("A1", "from ann");
  await bob.type("A2", [["from bob"]]);
  await ann.seesInCell("A2", "from bob");
  await ann.press("Control+z");
  await ann.sees("A1", [[""], ["from bob"]]);
  await bob.sees("A1", [[""], ["from bob"]]);
  await ann.press("Control+y");
  await bob.sees("A1", [["from ann"], ["from bob"]]);
  await bob.press("Control+z");
  await ann.sees("A1", [["from ann"], [""]]);
});

test("number formats, colours and alignment are applied", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["0.256"], ["45000"]]);
  await ann.select("A1");
  await ann.choose("Number format", /^Percent 0?12%/);
  await ann.seesInCell("A1", "26%");
  await ann.select("A2");
  await ann.choose("Number format", /^Date 2026/);
  await ann.seesInCell("A2", "2023-03-15");
  await ann.page.getByRole("button", { name: "Fill colour" }).click();
  await ann.page.getByRole("button", { name: "#fff2cc" }).click();
  await ann.page.getByRole("button", { name: "Align centre" }).click();
  await expect(ann.page.getByRole("button", { name: "Align centre" })).toHaveAttribute("aria-pressed", "true");
  await ann.press("Control+z", "Control+z");
  await expect(ann.page.getByRole("button", { name: "Align centre" })).toHaveAttribute("aria-pressed", "false");
});

test("a range with a header row is sorted by a column", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["name", "age"],
    ["Cy", "30"],
    ["Al", "25"],
    ["Bo", "40"],
  ]);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Sort…" }).click();
  await ann.page.getByRole("combobox", { name: "Sort order" }).selectOption("down");
  await ann.page.getByRole("button", { name: "Sort", exact: true }).click();
  await ann.sees("A1", [
    ["name", "age"],
    ["Bo", "40"],
    ["Cy", "30"],
    ["Al", "25"],
  ]);
});

test("sheets are added, renamed, reordered and deleted", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const tabs = (person: typeof ann) => person.page.getByRole("tab");
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(tabs(ann)).toHaveText(["Sheet1", "Sheet2"]);
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await ann.type("A1", [["7"]]);
  await ann.page.getByRole("tab", { name: "Sheet2" }).dblclick();
  await ann.page.getByRole("textbox", { name: "Sheet name" }).fill("Figures");
  await ann.press("Enter");
  await expect(tabs(bob)).toHaveText(["Sheet1", "Figures"]);
  await bob.type("A1", [["=Figures!A1*6"]]);
  await bob.seesInCell("A1", "42");
  await ann.page.getByRole("tab", { name: "Figures" }).click({ button: "right" });
  const [menu, tab] = [await ann.page.getByRole("menu").boundingBox(), await ann.page.getByRole("tab", { name: "Figures" }).boundingBox()];
  expect((menu?.y ?? 0) + (menu?.height ?? 0), "the tab stays in sight").toBeLessThanOrEqual(tab?.y ?? 0);
  await ann.page.getByRole("menuitem", { name: "Move to the left" }).click();
  await expect(tabs(bob)).toHaveText(["Figures", "Sheet1"]);
  await ann.page.getByRole("tab", { name: "Figures" }).click({ button: "right" });
  await ann.page.getByRole("menuitem", { name: "Delete…" }).click();
  await ann.page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(tabs(ann)).toHaveText(["Sheet1"]);
  await bob.seesInCell("A1", "#REF!");
});

test("Enter after the name of a sheet does not change the active cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["mine"]]);
  await ann.select("A1");
  const name = ann.page.getByRole("textbox", { name: "Sheet name" });
  const rename = async (): Promise<void> => {
    await ann.page.getByRole("tab", { name: "Sheet1" }).click({ button: "right" });
    await ann.page.getByRole("menuitem", { name: /^Rename/ }).click();
  };
  for (const key of ["Enter", "Escape"]) {
    await rename();
    await name.fill("Sheet1");
    await ann.press(key, "ArrowDown", "ArrowUp");
    await expect(ann.field).toHaveAccessibleName("A1 mine");
    await ann.seesInCell("A1", /^mine$/);
  }
  await rename();
  await name.fill("Figures");
  await ann.press("Enter", "ArrowDown", "ArrowUp");
  await expect(ann.page.getByRole("tab")).toHaveText(["Figures"]);
  await expect(ann.field).toHaveAccessibleName("A1 mine");
});

test("a sheet name being typed is kept when others add sheets", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.page.getByRole("tab", { name: "Sheet1" }).dblclick();
  const name = ann.page.getByRole("textbox", { name: "Sheet name" });
  await name.fill("Fig");
  await bob.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(ann.page.locator(".sheet-tab")).toHaveText(["Sheet2"]);
  await expect(name).toBeFocused();
  await ann.page.keyboard.type("ures");
  await ann.press("Enter");
  await expect(bob.page.getByRole("tab")).toHaveText(["Figures", "Sheet2"]);
});

test("sheets are duplicated, coloured, hidden and unhidden", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const tabs = (person: typeof ann) => person.page.getByRole("tab");
  const menu = async (sheet: string, item: string): Promise<void> => {
    await ann.page.getByRole("tab", { name: sheet, exact: true }).click({ button: "right" });
    await ann.page.getByRole("menuitem", { name: item }).click();
  };
  await ann.type("A1", [["7"]]);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click({ button: "right" });
  // The last sheet cannot be deleted.
  await expect(ann.page.getByRole("menuitem", { name: "Hide this sheet" })).toHaveAttribute("aria-disabled", "true");
  await ann.page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expect(tabs(ann)).toHaveCount(2);
  const copy = ann.page.getByRole("tab", { selected: true });
  await expect(copy).not.toHaveText("Sheet1");
  await ann.seesInCell("A1", "7");
  await expect(tabs(bob)).toHaveCount(2);

  await menu("Sheet1", "Tab colour…");
  await ann.page.getByRole("dialog", { name: "Tab colour" }).getByRole("button", { name: "#cc3d3d" }).click();
  await expect(bob.page.getByRole("tab", { name: "Sheet1", exact: true }).locator(".sheet-color")).toHaveCSS("background-color", "rgb(204, 61, 61)");

  await menu("Sheet1", "Hide this sheet");
  await expect(tabs(ann)).toHaveCount(1);
  await expect(copy).not.toHaveText("Sheet1");
  // A hidden sheet stays open for its viewers until they leave it; the list of sheets still has it.
  await expect(tabs(bob)).toHaveCount(2);
  await bob.page.getByRole("tab", { selected: false }).click();
  await expect(tabs(bob)).toHaveCount(1);
  await bob.page.getByRole("button", { name: "All sheets" }).click();
  await bob.page.getByRole("menuitemcheckbox", { name: "Sheet1 (hidden)" }).click();
  await expect(bob.page.getByRole("tab", { selected: true })).toHaveText("Sheet1");
  await expect(tabs(ann)).toHaveCount(2);
  // A room opens at its first visible sheet.
  await menu("Sheet1", "Hide this sheet");
  await expect(tabs(ann)).toHaveCount(1);
  await ann.saved();
  const eve = await world.enter();
  await expect(tabs(eve)).toHaveCount(1);
  await expect(tabs(eve)).not.toHaveText("Sheet1");
});

test("a long formula is broken into lines for its edit, which alone is no change", async ({ world, browserName }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["40"], ["50"], ["100"]]);
  const formula = '=LET(total,SUM(A1:A3),largest,MAX(A1:A3),IF(largest>total/2,"one cell has half of the total or more","no cell has half of the total"))';
  await ann.type("B1", [[formula]]);
  await bob.seesInCell("B1", "one cell has half of the total or more");
  await ann.select("B1");
  await ann.press("F2");
  const bar = ann.page.getByLabel("Formula bar");
  const line = (await bar.boundingBox())?.height ?? 0;
  const button = ann.page.getByRole("button", { name: /formula into lines|lines of the formula/ });
  // GTK takes the keys for the number of a character.
  const toggle = (): Promise<void> => (browserName === "webkit" ? button.click() : ann.press("Control+Shift+U"));
  await toggle();
  await expect(bar).toHaveValue(/^=LET\(\n {2}total, SUM\(A1:A3\),\n {2}largest, MAX\(A1:A3\),\n {2}IF\(/);
  expect((await bar.boundingBox())?.height, "the bar grows").toBeGreaterThan(4 * line);
  // The caret is still behind the last letter.
  await ann.page.keyboard.type("&");
  await expect(bar).toHaveValue(/\)&$/);
  await ann.press("Backspace");
  await toggle();
  await expect(bar, "the lines are joined").toHaveValue(formula);
  await ann.page.getByRole("button", { name: "Break formula into lines" }).click();
  await expect(bar).toHaveValue(/\n/);
  await ann.press("Enter");
  await ann.select("B1");
  await ann.formula(formula);
  await ann.press("Control+z");
  await bob.seesInCell("B1", "");

  await ann.select("B1");
  await ann.press("F2");
  await ann.page.keyboard.type("=SUM(A1:A3,");
  await ann.press("Alt+Enter");
  await ann.page.keyboard.type("1)");
  await ann.press("Enter");
  await bob.seesInCell("B1", "191");
  await ann.select("B1");
  await ann.formula("=SUM(A1:A3,1)");
});

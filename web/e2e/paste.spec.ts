import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { paste } from "./clipboard.ts";
import { expect, type User, test } from "./user.ts";

/** Pastes HTML that another program put on the clipboard; `libreoffice.html` was copied from LibreOffice. */
async function pasteFile(person: User, at: string, file: string): Promise<void> {
  const html = await readFile(join(import.meta.dirname, "../../fixtures/clipboard", file), "utf8");
  await person.select(at);
  await paste(person, { "text/html": html });
}

function pressed(person: User, name: string) {
  return expect(person.page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
}

test("cells pasted from LibreOffice keep values, number formats and styles", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "B2", "libreoffice.html");
  await ann.sees("B2", [["Item", "Share"], ["Pens", "25.6%"]]);
  await ann.select("C3");
  await ann.formula("25.6%");
  await ann.select("B2");
  await pressed(ann, "Bold");
  await ann.select("B4");
  await pressed(ann, "Italic");
  await ann.seesInCell("B4", "Ink");
  await ann.seesInCell("C4", "1,234.50");
  await ann.press("Control+z");
  await ann.sees("B2", [["", ""], ["", ""], ["", ""]]);
});

test("cells pasted from Excel keep the styles of their CSS classes", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "A1", "excel.html");
  await ann.sees("A1", [["Quarter", "Growth"], ["Q1", "12.50%"], ["Q2", "3.00%"]]);
  await ann.select("A1");
  await pressed(ann, "Bold");
  await ann.select("B2");
  await ann.formula("12.5%");
  await ann.select("A4");
  await pressed(ann, "Align centre");
  // Two unmerged cells.
  await expect(ann.cell("A4")).toHaveText("Total of both");
  await expect(ann.cell("A4")).toHaveAttribute("aria-colspan", "2");
});

test("cells pasted from Google Sheets keep their numeric values", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "A1", "google-sheets.html");
  await ann.sees("A1", [["City", "Part"], ["Oslo", "26%"]]);
  await ann.select("B2");
  await ann.formula("25.6%");
  await ann.select("A1");
  await pressed(ann, "Bold");
});

/** Reads the formats of cells from their printed SVG. */
async function formats(person: User, cells: readonly string[]): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (const cell of cells) {
    found.push(await person.page.evaluate(
      (name) =>
        new Promise<Record<string, unknown>>((resolve) => {
          const { sessionWorker } = window as unknown as { sessionWorker: Worker };
          const [, letter = "A", digits = "1"] = /^([A-Z])(\d+)$/.exec(name) ?? [];
          const id = 900_000_000 + Math.floor(performance.now() * 100);
          const receive = (event: MessageEvent<{ type: string; id: number; result: { format: Record<string, unknown> } }>): void => {
            if (event.data.type === "result" && event.data.id === id) {
              sessionWorker.removeEventListener("message", receive);
              resolve(event.data.result.format);
            }
          };
          sessionWorker.addEventListener("message", receive);
          const position = { row: Number(digits) - 1, column: letter.charCodeAt(0) - 65 };
          sessionWorker.postMessage({ type: "query", id, query: { type: "cell", sheet: 1, cell: position } });
        }),
      cell,
    ));
  }
  return found;
}

test("fonts, borders, merged cells and links are pasted from LibreOffice", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "A1", "libreoffice-looks.html");
  await ann.seesInCell("B4", "25.6%");
  await expect(ann.cell("A2")).toHaveAttribute("aria-colspan", "2");
  await expect(ann.cell("A2")).toHaveAttribute("aria-rowspan", "2");
  const [big, boxed, merged, under, dotted] = await formats(ann, ["A1", "B1", "A2", "A5", "A6"]);
  expect(big).toMatchObject({ fontFamily: "Liberation Serif", fontSize: 18, bold: true, textColor: "#b3261e" });
  expect(boxed).toMatchObject({
    borderTop: { style: "thin", color: "#000000" },
    borderRight: { style: "medium", color: "#0000ff" },
    borderBottom: { style: "double", color: "#000000" },
    borderLeft: { style: "dashed", color: "#00aa00" },
  });
  expect(merged).toMatchObject({ horizontal: "center", vertical: "middle" });
  expect(under).toMatchObject({ italic: true, underline: true, strikethrough: true, fontFamily: "Cambria" });
  expect(dotted).toMatchObject({ borderTop: { style: "thick", color: "#000000" }, borderBottom: { style: "dotted", color: "#000000" } });
  await expect(ann.cell("A4")).toHaveText("link");
  await ann.press("Control+z");
  await ann.seesInCell("B4", "");
});

test("fonts, borders, rotation and indent are pasted from Excel without its default font", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "A1", "excel-looks.html");
  await ann.seesInCell("A1", "Heading");
  const [heading, sum, turned, inset, both, beside] = await formats(ann, ["A1", "B1", "A2", "B2", "A3", "B3"]);
  expect(heading).toMatchObject({ fontFamily: "Times New Roman", fontSize: 16, borderLeft: { style: "thin" }, borderTop: { style: "thin" } });
  expect(sum).toEqual({ borderRight: { style: "medium", color: "#ff0000" }, borderBottom: { style: "double" } });
  expect(turned).toMatchObject({ rotation: 45 });
  expect(inset).toMatchObject({ horizontal: "left", indent: 2 });
  expect(both).toMatchObject({ wrap: true, borderLeft: { style: "thick" } });
  expect(both).not.toHaveProperty("borderRight");
  expect(beside).toMatchObject({ borderRight: { style: "thick" } });
});

test("fonts, borders and links are pasted from Google Sheets without its gridlines", async ({ world }) => {
  const ann = await world.enter();
  await pasteFile(ann, "A1", "google-sheets-looks.html");
  await ann.seesInCell("A1", "Plan");
  const [plan, site, wide] = await formats(ann, ["A1", "B1", "A2"]);
  expect(plan).toEqual({
    fontFamily: "Roboto",
    fontSize: 20,
    borderTop: { style: "thin", color: "#000000" },
    borderRight: { style: "medium", color: "#ff0000" },
  });
  expect(site).toEqual({});
  expect(wide).toMatchObject({ wrap: true, fillColor: "#d9ead3", horizontal: "center", vertical: "middle" });
});

test("a pasted URL becomes a link", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("B2");
  await paste(ann, { "text/plain": "https://example.org/page?a=1" });
  await ann.seesInCell("B2", "https://example.org/page?a=1");
  await expect(ann.cell("B2")).toHaveAttribute("aria-description", /https:\/\/example\.org\/page\?a=1|[Ll]ink/);
});

test("copied cells keep their styles in another workbook", async ({ world }) => {
  const ann = await world.enter("copied-from");
  await ann.type("A1", [["Item", "25.6%"], ["00123", "=B1*2"]]);
  const format = { fontFamily: "Georgia", fontSize: 14, bold: true, fillColor: "#ffe0b0", borderBottom: { style: "double" as const, color: "#0000ff" } };
  await command(ann.page, { type: "format", sheet: 1, range: "A1", format });
  await command(ann.page, { type: "merge", sheet: 1, range: "A3:B3", how: "all" });
  await command(ann.page, { type: "setCells", sheet: 1, at: "A3", cells: [[{ text: "a<b & \"c\"" }]] });
  await command(ann.page, { type: "setCells", sheet: 1, at: "A2", cells: [[{ text: "00123" }]] });
  await command(ann.page, { type: "setItem", sheet: 1, kind: "link", anchors: ["A3"], fields: { url: "https://example.org/?a=1&b=2" } });
  await ann.seesInCell("A3", "a<b & \"c\"");
  await ann.select("A1:B3");
  // Waits for the event before pressing the key.
  const copied = await ann.page.evaluateHandle(() => {
    const listening = new Promise<{ html: string; text: string }>((resolve) =>
      document.addEventListener("copy", (event) => {
        const html = event.clipboardData?.getData("text/html") ?? "";
        if (html !== "") {
          resolve({ html, text: event.clipboardData?.getData("text/plain") ?? "" });
        }
      }),
    );
    return { listening };
  });
  await ann.press("Control+c");
  const { html, text } = await copied.evaluate(({ listening }) => listening);
  expect(text).toBe('Item\t25.60%\n00123\t0.512\na<b & "c"\t');
  expect(html).toContain('x:num="0.256"');
  const bob = await world.enter("pasted-to");
  await bob.select("C2");
  await paste(bob, { "text/html": html });
  await bob.sees("C2", [["Item", "25.60%"], ["00123", "0.512"]]);
  await expect(bob.cell("C4")).toHaveText("a<b & \"c\"");
  await expect(bob.cell("C4")).toHaveAttribute("aria-colspan", "2");
  const [item, digits] = await formats(bob, ["C2", "C3"]);
  expect(item).toMatchObject(format);
  expect(digits).toMatchObject({ numberFormat: "@" });
});

test("paste special calculates, skips blanks, transposes, copies widths and links", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["10", "", "30"], ["=A1*2", "x", "0.5"]]);
  await ann.type("E1", [["1", "2", "3"]]);
  const dialog = ann.page.getByRole("dialog", { name: "Paste special" });
  const special = async (source: string, target: string, ...choices: readonly string[]): Promise<void> => {
    await ann.select(source);
    await ann.copy();
    await ann.select(target);
    await ann.press("Control+Alt+v");
    for (const choice of choices) {
      await dialog.getByLabel(choice, { exact: true }).check();
    }
  };
  const done = async (): Promise<void> => {
    await dialog.getByRole("button", { name: "Paste", exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  await special("A1:C1", "E1", "Values", "Multiply", "Skip blank cells");
  expect(await violations(ann.page)).toEqual([]);
  await done();
  await ann.sees("E1", [["10", "2", "90"]]);
  await ann.press("Control+z");
  await ann.sees("E1", [["1", "2", "3"]]);
  // An existing formula stays a formula.
  await special("C1", "A2", "Add");
  await done();
  await ann.seesInCell("A2", "50");
  await ann.select("A2");
  await ann.formula("=(A1*2)+30");
  await special("A1:C2", "A5", "Values and number formats", "Transpose");
  await done();
  await ann.sees("A5", [["10", "50"], ["", "x"], ["30", "0.5"]]);
  await special("A1:C1", "E5");
  await dialog.getByRole("button", { name: "Paste links" }).click();
  await ann.sees("E5", [["10", "0", "30"]]);
  await ann.select("E5");
  await ann.formula("=Sheet1!A1");
  await special("A1", "H1", "Column widths");
  await expect(dialog.getByLabel("Skip blank cells")).toBeDisabled();
  await expect(dialog.getByLabel("Add", { exact: true })).toBeDisabled();
  await done();
});

test("paste special without copied cells explains itself", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("Edit", "Paste special…");
  const dialog = ann.page.getByRole("dialog", { name: "Paste special" });
  await expect(dialog.getByText(/^Copy cells of this workbook first/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(dialog).toHaveCount(0);
});

test("a late copy does not take the focus from another field", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["late"]]);
  await ann.select("B2");
  const box = ann.page.getByRole("textbox", { name: /^Name box/ });
  await ann.page.evaluate(() => navigator.clipboard.writeText("before"));
  // In the task of the copy, before the engine can answer.
  await ann.page.evaluate(() => addEventListener("copy", () => document.querySelector<HTMLInputElement>(".name-box")?.focus(), { once: true }));
  await ann.press("Control+c");
  await expect.poll(() => ann.page.evaluate(() => navigator.clipboard.readText())).toBe("late");
  await expect(box).toBeFocused();
  await box.press("Escape");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await ann.select("D4");
  await ann.press("Control+v");
  await ann.seesInCell("D4", "late");
});

test("several ranges are copied together if they have the same rows or columns", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [
    ["1", "x", "=A1*10"],
    ["2", "y", "=A2*10"],
  ]);
  const addToSelection = async (cell: string): Promise<void> => {
    await ann.page.keyboard.down("Control");
    await ann.click(cell);
    await ann.page.keyboard.up("Control");
  };
  await ann.click("A1");
  await addToSelection("B2");
  await ann.press("Control+c");
  await expect(ann.page.getByText("Only ranges with the same rows or the same columns can be copied together.")).toBeVisible();
  await ann.select("A1:A2");
  await addToSelection("C1");
  await ann.press("Shift+ArrowDown");
  expect(await ann.copy()).toBe("1\t10\n2\t20");
  await ann.select("E1");
  await ann.press("Control+v");
  await ann.sees("E1", [
    ["1", "10"],
    ["2", "20"],
  ]);
});

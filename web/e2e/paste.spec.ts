import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Person, test } from "./sheet.ts";

/** What a program puts on the clipboard when cells are copied: `libreoffice.html` is LibreOffice's own writing. */
async function paste(person: Person, at: string, file: string): Promise<void> {
  const html = await readFile(join(import.meta.dirname, "../../fixtures/clipboard", file), "utf8");
  await person.select(at);
  // Raised here rather than by the key: writing this to the clipboard from a page would have the browser clean it first.
  await person.page.evaluate((markup) => {
    const data = new DataTransfer();
    data.setData("text/html", markup);
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, html);
}

function pressed(person: Person, name: string) {
  return expect(person.page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
}

test("cells of LibreOffice come with their values, number formats and looks", async ({ world }) => {
  const ann = await world.enter();
  await paste(ann, "B2", "libreoffice.html");
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

test("cells of Excel come with the looks of their classes", async ({ world }) => {
  const ann = await world.enter();
  await paste(ann, "A1", "excel.html");
  await ann.sees("A1", [["Quarter", "Growth"], ["Q1", "12.50%"], ["Q2", "3.00%"]]);
  await ann.select("A1");
  await pressed(ann, "Bold");
  await ann.select("B2");
  await ann.formula("12.5%");
  await ann.select("A4");
  await pressed(ann, "Align centre");
  // Two cells that were one.
  await expect(ann.cell("A4")).toHaveText("Total of both");
  await expect(ann.cell("A4")).toHaveAttribute("aria-colspan", "2");
});

test("cells of Google Sheets come with the numbers behind their texts", async ({ world }) => {
  const ann = await world.enter();
  await paste(ann, "A1", "google-sheets.html");
  await ann.sees("A1", [["City", "Part"], ["Oslo", "26%"]]);
  await ann.select("B2");
  await ann.formula("25.6%");
  await ann.select("A1");
  await pressed(ann, "Bold");
});

test("a picture on the clipboard is refused with words", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1");
  await ann.page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([137, 80, 78, 71])], "x.png", { type: "image/png" }));
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(ann.page.getByText("Pictures cannot be put into a sheet yet.")).toBeVisible();
});

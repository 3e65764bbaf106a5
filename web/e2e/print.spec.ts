import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { skipInFirefox } from "./skip.ts";
import { expect, type User, test } from "./user.ts";

/** Opens the print dialog and disables `window.print`. */
async function openDialog(person: User): Promise<void> {
  await person.page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute("data-printed", "");
  });
  await person.press("Control+p");
  await expect(person.page.getByRole("dialog", { name: "Print" })).toBeVisible();
}

/** The PDF of the pages: paper sizes in points, and texts by page if poppler is installed. */
async function pdf(person: User): Promise<{ readonly pages: number; readonly sizes: string[]; readonly texts: string[] | undefined }> {
  skipInFirefox("Playwright takes inches for centimeters when it prints in Firefox.");
  await person.page.getByRole("dialog").getByRole("button", { name: "Print" }).click();
  await expect(person.page.locator("html[data-printed]")).toBeAttached();
  const bytes = await person.page.pdf({ preferCSSPageSize: true });
  const source = bytes.toString("latin1");
  const sizes = [...source.matchAll(/\/MediaBox \[([\d. ]+)\]/g)].map(([, box = ""]) => box.split(" ").slice(2).map((side) => Math.round(Number(side))).join("x"));
  return { pages: (source.match(/\/Type \/Page\b/g) ?? []).length, sizes, texts: textsOf(bytes) };
}

/** Texts by page, extracted with poppler's pdftotext if it is installed. */
function textsOf(bytes: Buffer): string[] | undefined {
  const file = join(mkdtempSync(join(tmpdir(), "quadrille-print-")), "out.pdf");
  writeFileSync(file, bytes);
  try {
    return execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).split("\f").slice(0, -1);
  } catch {
    return undefined;
  }
}

async function fill(person: User, rows: number): Promise<void> {
  const cells = Array.from({ length: rows }, (_, row) => [
    row === 0 ? { text: "Item" } : { text: `Thing ${row}` },
    row === 0 ? { text: "Price" } : { number: row * 1.5 },
  ]);
  await command(person.page, { type: "setCells", sheet: 1, at: "A1", cells });
  await person.seesInCell("A2", "Thing 1");
}

test("a sheet is printed on the previewed number of pages with repeated rows and page numbers", async ({ world }) => {
  const ann = await world.enter();
  await fill(ann, 120);
  await openDialog(ann);
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  await dialog.getByRole("combobox", { name: "Paper" }).selectOption("A4");
  await expect(dialog.getByRole("status", { name: "Pages" })).toHaveText("Page 1 of 3");
  await dialog.getByRole("textbox", { name: "Repeat rows" }).fill("1:1");
  await dialog.getByText("Header and footer").click();
  await dialog.getByRole("group", { name: "Footer" }).getByRole("textbox", { name: "Middle" }).fill("&P of &N: &A");
  await dialog.getByRole("button", { name: "Next page" }).click();
  await expect(dialog.getByRole("img", { name: "2 / 3" })).toContainText("2 of 3: Sheet1");
  await expect(dialog.getByRole("img", { name: "2 / 3" })).toContainText("Price");
  expect(await violations(ann.page)).toEqual([]);
  const { pages, sizes, texts } = await pdf(ann);
  expect(pages).toBe(3);
  expect(sizes).toEqual(["595x842", "595x842", "595x842"]);
  if (texts) {
    expect(texts).toHaveLength(3);
    texts.forEach((text, at) => {
      expect(text).toMatch(/Item\s+Price/);
      expect(text).toContain(`${at + 1} of 3: Sheet1`);
    });
    const things = texts.join(" ").match(/Thing \d+/g) ?? [];
    expect(things).toEqual(Array.from({ length: 119 }, (_, at) => `Thing ${at + 1}`));
  }
  // The printed pages are removed, and the page setup is stored in the sheet.
  await expect(ann.page.locator(".print-pages")).toHaveCount(0);
  const bob = await world.enter();
  await openDialog(bob);
  await expect(bob.page.getByRole("textbox", { name: "Repeat rows" })).toHaveValue("1:1");
});

test("page breaks and headers of the first page are inserted, printed and removed", async ({ world }) => {
  const ann = await world.enter();
  await fill(ann, 30);
  await ann.select("A11");
  await ann.choose("Insert$", "Page break");
  await ann.saved();
  await openDialog(ann);
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  await expect(dialog.getByRole("status", { name: "Pages" })).toHaveText("Page 1 of 2");
  await expect(dialog.locator("line.print-break")).toHaveCount(1);
  await dialog.getByText("Header and footer").click();
  await dialog.getByRole("group", { name: "Header", exact: true }).getByRole("textbox", { name: "Left" }).fill("Every page");
  await dialog.getByRole("checkbox", { name: "Different first page" }).check();
  await dialog.getByRole("group", { name: "Header of the first page" }).getByRole("textbox", { name: "Right" }).fill("Cover");
  await dialog.getByRole("button", { name: "Next page" }).click();
  await expect(dialog.getByRole("img", { name: "2 / 2" })).toContainText("Every page");
  await expect(dialog.locator("line.print-break")).toHaveCount(0);
  expect(await violations(ann.page)).toEqual([]);
  const { pages, texts } = await pdf(ann);
  expect(pages).toBe(2);
  if (texts) {
    expect(texts[0]).toMatch(/Cover[^]*Thing 9\s/);
    expect(texts[1]).toMatch(/Every page[^]*Thing 10\s/);
  }
  // The break follows its row.
  await command(ann.page, { type: "insertRows", sheet: 1, at: 0, count: 2 });
  await ann.select("A13");
  await ann.choose("Insert$", "Remove page break");
  await ann.saved();
  await openDialog(ann);
  await expect(dialog.getByRole("status", { name: "Pages" })).toHaveText("Page 1 of 1");
});

test("paper, orientation, scaling, margins and print area determine the pages", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "setCells", sheet: 1, at: "P31", cells: [[{ text: "corner" }]] });
  await command(ann.page, { type: "setCells", sheet: 1, at: "A1", cells: [[{ text: "first" }]] });
  await ann.seesInCell("A1", "first");
  await openDialog(ann);
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  const pages = dialog.getByRole("status", { name: "Pages" });
  await dialog.getByRole("combobox", { name: "Paper" }).selectOption("Letter");
  await expect(pages).toHaveText("Page 1 of 3");
  await dialog.getByRole("combobox", { name: "Orientation" }).selectOption("Landscape");
  await expect(pages).toHaveText("Page 1 of 4");
  await dialog.getByRole("combobox", { name: "Scale" }).selectOption("Fit to page");
  await expect(pages).toHaveText("Page 1 of 1");
  await dialog.getByRole("textbox", { name: "Print area" }).fill("A1:B2 here");
  await dialog.getByRole("textbox", { name: "Print area" }).press("Tab");
  await expect(dialog.getByRole("textbox", { name: "Print area" })).toHaveAccessibleDescription("Not a valid cell reference: here");
  await dialog.getByRole("textbox", { name: "Print area" }).fill("A1:B2");
  await dialog.getByRole("textbox", { name: "Print area" }).press("Tab");
  await expect(dialog.getByRole("img", { name: "1 / 1" })).not.toContainText("corner");
  await dialog.getByRole("combobox", { name: "Margins" }).selectOption("Custom");
  await expect(dialog.getByRole("spinbutton", { name: "Top" })).toHaveValue("19");
  const { pages: printed, sizes, texts } = await pdf(ann);
  expect(printed).toBe(1);
  expect(sizes).toEqual(["792x612"]);
  if (texts) {
    expect(texts.join("").trim()).toBe("first");
  }
});

test("fills, borders, merged cells, links and charts are printed", async ({ world }) => {
  const ann = await world.enter();
  const range = "A1:B2";
  await fill(ann, 6);
  await command(ann.page, { type: "merge", sheet: 1, range: "D1:E2", how: "all" });
  await command(ann.page, { type: "setCells", sheet: 1, at: "D1", cells: [[{ text: "two in one" }]] });
  await command(ann.page, { type: "format", sheet: 1, range, format: { fillColor: "#ffe0b0", bold: true, borderBottom: { style: "double", color: "#0000ff" } } });
  await command(ann.page, {
    type: "setItem",
    sheet: 1,
    kind: "chart",
    anchors: ["D4"],
    fields: { type: "column", title: "Prices", series: [{ values: "=Sheet1!$B$2:$B$6", categories: "=Sheet1!$A$2:$A$6" }] },
  });
  await expect(ann.page.getByRole("figure", { name: "Chart: Prices" })).toBeVisible();
  await openDialog(ann);
  const drawing = ann.page.getByRole("dialog").getByRole("img", { name: /^1 \// });
  await expect(drawing.locator("path[fill='#ffe0b0']")).not.toHaveCount(0);
  await expect(drawing.locator("path[stroke='#0000ff']")).not.toHaveCount(0);
  await expect(drawing.locator("image[href^='data:image/png']")).toHaveCount(1);
  await expect(drawing.locator("text[font-weight='700']", { hasText: "Item" })).toHaveCount(1);
  await expect(drawing).toContainText("two in one");
});

test("an empty sheet and too many pages are reported", async ({ world }) => {
  const ann = await world.enter();
  await openDialog(ann);
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  await expect(dialog.getByRole("region", { name: "Preview" })).toHaveText("There is nothing to print.");
  await expect(dialog.getByRole("button", { name: "Print" })).toBeDisabled();
  await expect(dialog.getByRole("button", { name: "Print" })).toHaveAccessibleDescription("There is nothing to print.");
  const message = dialog.getByText("There is nothing to print.").filter({ visible: true });
  await expect(message, "shown once").toHaveCount(1);
  await ann.page.setViewportSize({ width: 390, height: 844 });
  await expect(message, "above the buttons, where the preview is out of sight").toHaveCount(1);
  await expect(message).toBeInViewport();
  await ann.page.setViewportSize({ width: 1280, height: 800 });
  await ann.press("Escape");
  await command(ann.page, { type: "setCells", sheet: 1, at: "A100000", cells: [[{ number: 1 }]] });
  await ann.saved();
  await openDialog(ann);
  await expect(dialog.getByText(/exceed the limit of 1,000/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Print" })).toBeDisabled();
});

test("view-only users print without saving the page setup", async ({ world }) => {
  const ann = await world.enter("look-and-print");
  await fill(ann, 3);
  await ann.saved();
  await ann.page.goto(`${world.server.url}/look-and-print?view`);
  // Cells are visible before shortcuts work.
  await ann.status("Read only");
  await openDialog(ann);
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  await expect(dialog.getByRole("button", { name: "Save page setup" })).toHaveCount(0);
  await expect(dialog.getByText(/view-only/)).toBeVisible();
  await dialog.getByRole("combobox", { name: "Print" }).selectOption("Whole workbook");
  expect((await pdf(ann)).pages).toBe(1);
});

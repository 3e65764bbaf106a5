/** Dialogs. */

import type { Locator } from "@playwright/test";
import type { GalleryPage } from "../gallery-page.ts";
import { item, openChips, openProtection, openValidations } from "../example-sheets.ts";
import { dialog, type State } from "../state.ts";

/** The dialog of a conditional format of this kind. */
const rule = (name: string, kind: number): State => ({
  name,
  isOverlay: true,
  show: async (gallery) => {
    await gallery.select("H2:H9");
    const dialog = await gallery.dialog("Format", "Conditional formatting…");
    await dialog.locator("form select").first().selectOption({ index: kind });
  },
});

/** The dialog of a validation of this kind, with all options. */
const validation = (name: string, kind: number): State => ({
  name,
  isOverlay: true,
  show: async (gallery) => {
    await gallery.select("D2:D9");
    const dialog = await gallery.dialog("Data", "Data validation…");
    await dialog.locator("select").first().selectOption({ index: kind });
    await dialog.locator("summary").click();
  },
});

const GUESTS = "Name,Nights,Mail\nAda,2,ada@example.org";

/** Makes a form over a table of guests, whose questions are shown. */
async function makeForm(gallery: GalleryPage): Promise<Locator> {
  await gallery.ownRoom(GUESTS);
  await gallery.select("A1");
  const dialog = await gallery.dialog("Insert", "Form…");
  await dialog.locator("input").first().fill("Guests");
  await dialog.locator("button[type=submit]").click();
  await dialog.locator(".forms-link").waitFor();
  return dialog;
}

export const dialogs: readonly State[] = [
  dialog("dialog-keys", ["File", "Keyboard shortcuts"]),
  dialog("dialog-copy", ["File", "Make a copy…"]),
  {
    name: "dialog-download",
    isOverlay: true,
    show: async (gallery) => {
      await gallery.choose("File", "Comma-separated");
      await gallery.page.locator(".loss-groups li").first().waitFor();
    },
  },
  dialog("dialog-name-version", ["File", "Name current version…"]),
  dialog("dialog-language", ["File", "Language…"]),
  dialog("dialog-functions", ["Insert", "Function…"]),
  {
    name: "dialog-functions-none",
    show: async (gallery) => {
      const dialog = await gallery.dialog("Insert", "Function…");
      await dialog.getByRole("searchbox").fill("no such function");
      await dialog.locator(".functions-none").waitFor();
    },
  },
  dialog("dialog-sort", ["Data", "Sort…"]),
  dialog("dialog-validation", ["Data", "Data validation…"], "G2:G9"),
  validation("dialog-validation-number", 2),
  {
    name: "dialog-sort-keys",
    show: async (gallery) => {
      await gallery.select("A2");
      const dialog = await gallery.dialog("Data", "Sort…");
      const more = dialog.locator(".button.is-quiet");
      await more.click();
      await more.click();
      await dialog.locator(".sort-key").nth(2).waitFor();
    },
  },
  {
    name: "dialog-names-none",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.dialog("Data", "Named ranges…");
    },
  },
  dialog("dialog-names", ["Data", "Named ranges…"]),
  dialog("dialog-duplicates", ["Data", "Remove duplicates…"]),
  dialog("dialog-split", ["Data", "Split text to columns…"], "B2:B9"),
  {
    name: "dialog-goal-seek",
    show: async (gallery) => {
      await gallery.select("H2");
      const dialog = await gallery.dialog("Data", "Goal seek…");
      const fields = dialog.locator("input");
      await fields.nth(1).fill("10000");
      await fields.nth(2).fill("E2");
      await dialog.locator("button.is-main").click();
      await dialog.locator("[role=status]:not(:empty)").filter({ hasText: "H2" }).waitFor();
    },
  },
  {
    name: "dialog-data-table",
    show: async (gallery) => {
      await gallery.select("G2:H9");
      const dialog = await gallery.dialog("Data", "Data table…");
      await dialog.locator("button.is-main").click();
    },
  },
  {
    name: "dialog-evaluate-formula",
    show: async (gallery) => {
      await gallery.select("H2");
      const dialog = await gallery.dialog("Data", "Evaluate formula…");
      await dialog.locator("code u").waitFor();
      await dialog.locator("button.is-main").click();
    },
  },
  {
    name: "dialog-named-function",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      const dialog = await gallery.dialog("Data", "Named functions…");
      await dialog.locator("button.is-main").click();
      await dialog.locator("input").first().fill("MARGIN");
      await dialog.locator("fieldset > button").click();
      await dialog.locator(".named-argument input").first().fill("price");
      await dialog.locator(".named-formula").fill("=price*0.2");
    },
  },
  dialog("dialog-named-functions", ["Data", "Named functions…"]),
  {
    name: "dialog-function-import-error",
    show: async (gallery) => {
      const dialog = await gallery.dialog("Data", "Named functions…");
      await dialog.locator("button", { hasText: gallery.translate("Import functions") }).click();
      await dialog.locator("input").fill("no-such-workbook");
      await dialog.locator("button.is-main").click();
      await dialog.locator("[role=alert]").waitFor();
    },
  },
  {
    name: "dialog-scenario",
    show: async (gallery) => {
      await gallery.select("E2:E3");
      const dialog = await gallery.dialog("Data", "Scenarios…");
      await dialog.locator("button.is-main").click();
      await dialog.locator(".scenario-values input").first().waitFor();
    },
  },
  {
    name: "dialog-solver",
    show: async (gallery) => {
      await gallery.select("H2");
      const dialog = await gallery.dialog("Data", "Solver…");
      await dialog.locator("fieldset > button").click();
      const fields = dialog.locator("input.field");
      await fields.nth(1).fill("E2");
      await fields.nth(2).fill("E2");
      await fields.nth(3).fill("12");
      await dialog.locator("button.is-main").click();
      await dialog.locator("[role=status]:not(:empty)").filter({ hasText: "H2" }).waitFor();
    },
  },
  dialog("dialog-sparkline", ["Insert", "Sparkline…"], "B2:D9"),
  dialog("dialog-link", ["Insert", "Link…"], "B3"),
  dialog("dialog-format-cells", ["Format", "Format cells…"]),
  dialog("dialog-layout", ["Format", "Indent and rotation…"]),
  dialog("dialog-conditional", ["Format", "Conditional formatting…"], "E2:E9"),
  rule("dialog-conditional-scale", 24),
  rule("dialog-conditional-icons", 26),
  {
    name: "dialog-conditional-custom-style",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      const dialog = await gallery.dialog("Format", "Conditional formatting…");
      await dialog.locator("form select").nth(1).selectOption({ index: 5 });
      await dialog.locator(".rule-custom").waitFor();
    },
  },
  dialog("dialog-number-format", ["Format", "Custom number format…"], "H3"),
  dialog("dialog-row-height", ["View", "Row height…"], "B2"),
  dialog("dialog-text-format", ["Format", "Text format…"]),
  dialog("dialog-styles", ["Format", "Cell styles…"]),
  dialog("dialog-table", ["Insert", "Table…"], "A13:B16"),
  {
    name: "dialog-form-new",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom(GUESTS);
      await gallery.select("A1");
      await gallery.dialog("Insert", "Form…");
    },
  },
  {
    name: "dialog-form",
    skipsReset: true,
    show: async (gallery) => {
      await makeForm(gallery);
    },
  },
  {
    name: "dialog-forms",
    skipsReset: true,
    show: async (gallery) => {
      const dialog = await makeForm(gallery);
      await dialog.locator(".modal-buttons .button:not(.is-quiet, .is-main)").click();
      await dialog.locator(".forms-list").waitFor();
    },
  },
  dialog("dialog-protection", ["Data", "Protected cells…"], "H2:H11"),
  {
    name: "dialog-column-type",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Task,State,Ready,Share\nFence,Doing,FALSE,0.4\nSeeds,Done,TRUE,1\nTap,To do,FALSE,0.1\n");
      await gallery.add((sheet) => [
        item(sheet, "table", ["A1:D4"], { name: "Tasks", headerRow: true, bandedRows: true, style: "TableStyleMedium2" }),
        item(sheet, "validation", ["B2:B4"], { rule: "list", displayStyle: "chip", choices: ["To do", "Doing", "Done"], choiceColors: [{ value: "Done", color: "#a8d19b" }, { value: "Doing", color: "#ffdf80" }] }),
        item(sheet, "validation", ["C2:C4"], { rule: "checkbox" }),
        item(sheet, "conditionalRule", ["D2:D4"], { rule: "dataBar", color: "#8fd3c1", priority: 1, stops: [{ at: "number", value: 0 }, { at: "number", value: 1 }] }),
        { type: "format", sheet, range: "D2:D4", format: { numberFormat: "0%" } },
      ]);
      await gallery.select("B2");
      const box = await gallery.page.locator("main.grid").boundingBox();
      await gallery.page.mouse.click((box?.x ?? 0) + 44 + 96 + 48, (box?.y ?? 0) + 24 + 22 + 11, { button: "right" });
      await gallery.page.getByRole("menuitem", { name: gallery.translate("Column type…") }).click();
      await gallery.page.getByRole("dialog").getByRole("radio").first().waitFor();
    },
  },
  {
    name: "dialog-table-changed",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Fruit,Crates\nApple,3\nPear,4\n");
      await gallery.add((sheet) => [item(sheet, "table", ["A1:B3"], { name: "Fruit", headerRow: true, bandedRows: true, style: "TableStyleMedium2" })]);
      await gallery.select("A2");
      const dialog = await gallery.dialog("Insert", "Table…");
      await dialog.locator("input").nth(1).fill("nowhere");
      await dialog.locator(".button.is-main").click();
      await dialog.locator(".form-error").waitFor();
    },
  },
  {
    name: "dialog-protection-existing",
    show: async (gallery) => {
      await openProtection(gallery);
      const dialog = await gallery.dialog("Data", "Protected cells…");
      await dialog.locator("input[type=radio]").nth(1).check();
    },
  },
  {
    name: "dialog-validation-choices",
    show: async (gallery) => {
      await openChips(gallery);
      await gallery.select("B2");
      const dialog = await gallery.dialog("Data", "Data validation…");
      await dialog.locator(".choice-color").nth(1).click();
    },
  },
  {
    name: "dialog-validation-rejected",
    show: async (gallery) => {
      await openValidations(gallery);
      await gallery.select("A4");
      await gallery.type("99");
      await gallery.press("Enter");
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-formula-invalid",
    isOverlay: true,
    show: async (gallery) => {
      await gallery.select("J3");
      await gallery.type("=A1+");
      await gallery.press("Enter");
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-validation-warning",
    show: async (gallery) => {
      await openValidations(gallery);
      await gallery.select("B4");
      await gallery.type("2025-12-31");
      await gallery.press("Enter");
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-protection-warning",
    show: async (gallery) => {
      await openProtection(gallery);
      await gallery.select("B2");
      await gallery.type("320");
      await gallery.press("Enter");
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-tab-colour",
    show: async (gallery) => {
      await gallery.page.locator(".sheet-tab").first().click({ button: "right" });
      await gallery.page.getByRole("menu").getByText(gallery.translate("Tab colour…"), { exact: true }).click();
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-print-nothing",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("");
      const dialog = await gallery.dialog("File", "Print…");
      await dialog.locator(".print-empty, .print-empty-short").filter({ visible: true }).waitFor();
    },
  },
  {
    name: "dialog-print-custom",
    show: async (gallery) => {
      const dialog = await gallery.dialog("File", "Print…");
      const choices = dialog.locator("select");
      await choices.nth(3).selectOption({ index: 3 });
      await choices.nth(4).selectOption({ index: 3 });
      await dialog.locator("summary").click();
      await dialog.locator(".print-sections").last().scrollIntoViewIfNeeded();
    },
  },
  {
    name: "dialog-print-break",
    show: async (gallery) => {
      await gallery.select("D5");
      await gallery.choose("Insert", "Page break");
      const dialog = await gallery.dialog("File", "Print…");
      await dialog.locator("summary").click();
      await dialog.locator(".print-more input[type=checkbox]").first().check();
      await dialog.locator(".print-sections").last().scrollIntoViewIfNeeded();
      await dialog.locator("line.print-break").first().waitFor({ state: "attached" });
    },
  },
  dialog("dialog-print", ["File", "Print…"]),
  {
    name: "dialog-paste-special",
    show: async (gallery) => {
      await gallery.select("D2:D4");
      await gallery.press("Control+c");
      await gallery.select("D14");
      await gallery.dialog("Edit", "Paste special…");
    },
  },
  {
    name: "dialog-delete-sheet",
    show: async (gallery) => {
      await gallery.page.locator(".sheet-tab").last().click({ button: "right" });
      await gallery.page.getByRole("menu").getByText(gallery.translate("Delete…"), { exact: true }).click();
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-importing",
    show: async (gallery) => {
      const { page } = gallery;
      // The request may complete after the page is closed.
      await gallery.ownRoom("");
      // The server never answers.
      await page.route(/\/import/, () => undefined);
      const file = { name: "a-file-that-takes-its-time.csv", mimeType: "text/csv", buffer: Buffer.from("1,2") };
      await page.locator(".header input[type=file]").setInputFiles(file);
      await page.locator(".import-progress").waitFor();
    },
  },
  {
    name: "dialog-import-failed",
    show: async ({ page }) => {
      const file = { name: "broken.xlsx", mimeType: "application/octet-stream", buffer: Buffer.from("PK not a workbook") };
      await page.locator(".header input[type=file]").setInputFiles(file);
      await page.locator(".import-failure").waitFor();
    },
  },
  {
    name: "dialog-import-damaged",
    show: async ({ page }) => {
      const file = { name: "crates.json", mimeType: "application/json", buffer: Buffer.from('[["Apple", 612],\n["Pear" 301]]') };
      await page.locator(".header input[type=file]").setInputFiles(file);
      await page.locator(".import-failure").waitFor();
      await page.getByRole("dialog").locator("summary").click();
    },
  },
  {
    name: "import-warnings",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("");
      // Written by EtherCalc, with padding, a CSS class and a description of a name.
      const cells = "cell:A1:t:Apple:l:1\ncell:A2:t:Pear:cssc:ripe\ncell:A3:t:Plum\n";
      const save = `version:1.5\n${cells}name:FRUIT:All of them:A1\\cA3\nlayout:1:padding:4px 4px 4px 4px;vertical-align:top;\n`;
      const file = { name: "orchard.socialcalc", mimeType: "text/plain", buffer: Buffer.from(save) };
      await gallery.page.locator(".header input[type=file]").setInputFiles(file);
      await gallery.page.locator(".toast").nth(1).waitFor();
    },
  },
];

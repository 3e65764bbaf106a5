/** Dialogs. */

import { item, showLocks, showRules } from "../exhibit.ts";
import { dialog, type State } from "../state.ts";

/** A conditional format of the orchard, as the dialog asks for one of this kind. */
const rule = (name: string, kind: number): State => ({
  name,
  show: async (stage) => {
    await stage.select("H2:H9");
    const dialog = await stage.dialog("Format", "Conditional formatting…");
    await dialog.locator("form select").first().selectOption({ index: kind });
  },
});

/** A validation of this kind, with its further questions. */
const validation = (name: string, kind: number): State => ({
  name,
  show: async (stage) => {
    await stage.select("D2:D9");
    const dialog = await stage.dialog("Data", "Data validation…");
    await dialog.locator("select").first().selectOption({ index: kind });
    await dialog.locator("summary").click();
  },
});

export const dialogs: readonly State[] = [
  dialog("dialog-keys", ["File", "Keyboard shortcuts"]),
  dialog("dialog-copy", ["File", "Make a copy…"]),
  dialog("dialog-language", ["File", "Language…"]),
  dialog("dialog-functions", ["Insert", "Function…"]),
  {
    name: "dialog-functions-none",
    show: async (stage) => {
      const dialog = await stage.dialog("Insert", "Function…");
      await dialog.getByRole("searchbox").fill("no such function");
      await dialog.locator(".functions-none").waitFor();
    },
  },
  dialog("dialog-sort", ["Data", "Sort…"]),
  dialog("dialog-validation", ["Data", "Data validation…"], "G2:G9"),
  validation("dialog-validation-number", 2),
  {
    name: "dialog-sort-keys",
    show: async (stage) => {
      await stage.select("A2");
      const dialog = await stage.dialog("Data", "Sort…");
      const more = dialog.locator(".button.is-quiet");
      await more.click();
      await more.click();
      await dialog.locator(".sort-key").nth(2).waitFor();
    },
  },
  {
    name: "dialog-names-none",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.dialog("Data", "Named ranges…");
    },
  },
  dialog("dialog-names", ["Data", "Named ranges…"]),
  dialog("dialog-duplicates", ["Data", "Remove duplicates…"]),
  dialog("dialog-split", ["Data", "Split text to columns…"], "B2:B9"),
  dialog("dialog-sparkline", ["Insert", "Sparkline…"], "B2:D9"),
  dialog("dialog-link", ["Insert", "Link…"], "B3"),
  dialog("dialog-layout", ["Format", "Indent and rotation…"]),
  dialog("dialog-conditional", ["Format", "Conditional formatting…"], "E2:E9"),
  rule("dialog-conditional-scale", 24),
  rule("dialog-conditional-icons", 26),
  {
    name: "dialog-conditional-own-look",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      const dialog = await stage.dialog("Format", "Conditional formatting…");
      await dialog.locator("form select").nth(1).selectOption({ index: 5 });
      await dialog.locator(".rule-own").waitFor();
    },
  },
  dialog("dialog-number-format", ["Format", "Custom number format…"], "H3"),
  dialog("dialog-styles", ["Format", "Cell styles…"]),
  dialog("dialog-table", ["Insert", "Table…"], "A13:B16"),
  dialog("dialog-protection", ["Data", "Protected cells…"], "H2:H11"),
  {
    name: "dialog-table-changed",
    show: async (stage) => {
      await stage.ownRoom("Fruit,Crates\nApple,3\nPear,4\n");
      await stage.add((sheet) => [item(sheet, "table", ["A1:B3"], { name: "Fruit", headerRow: true, bandedRows: true, style: "TableStyleMedium2" })]);
      await stage.select("A2");
      const dialog = await stage.dialog("Insert", "Table…");
      await dialog.locator("input").nth(1).fill("nowhere");
      await dialog.locator(".button.is-main").click();
      await dialog.locator(".form-problem").waitFor();
    },
  },
  {
    name: "dialog-protection-known",
    show: async (stage) => {
      await showLocks(stage);
      const dialog = await stage.dialog("Data", "Protected cells…");
      await dialog.locator("input[type=radio]").nth(1).check();
    },
  },
  {
    name: "dialog-rule-broken",
    show: async (stage) => {
      await showRules(stage);
      await stage.select("A4");
      await stage.type("99");
      await stage.press("Enter");
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-rule-warns",
    show: async (stage) => {
      await showRules(stage);
      await stage.select("B4");
      await stage.type("2025-12-31");
      await stage.press("Enter");
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-lock-warns",
    show: async (stage) => {
      await showLocks(stage);
      await stage.select("B2");
      await stage.type("320");
      await stage.press("Enter");
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-tab-colour",
    show: async (stage) => {
      await stage.page.locator(".sheet-tab").first().click({ button: "right" });
      await stage.page.getByRole("menu").getByText(stage.say("Tab colour…"), { exact: true }).click();
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-print-nothing",
    show: async (stage) => {
      await stage.ownRoom("");
      const dialog = await stage.dialog("File", "Print…");
      await dialog.locator(".print-nothing, .print-nothing-short").filter({ visible: true }).waitFor();
    },
  },
  {
    name: "dialog-print-own",
    show: async (stage) => {
      const dialog = await stage.dialog("File", "Print…");
      const choices = dialog.locator("select");
      await choices.nth(3).selectOption({ index: 3 });
      await choices.nth(4).selectOption({ index: 3 });
      await dialog.locator("summary").click();
      await dialog.locator(".print-parts").last().scrollIntoViewIfNeeded();
    },
  },
  dialog("dialog-print", ["File", "Print…"]),
  {
    name: "dialog-paste-special",
    show: async (stage) => {
      await stage.select("D2:D4");
      await stage.press("Control+c");
      await stage.select("D14");
      await stage.dialog("Edit", "Paste special…");
    },
  },
  {
    name: "dialog-delete-sheet",
    show: async (stage) => {
      await stage.page.locator(".sheet-tab").last().click({ button: "right" });
      await stage.page.getByRole("menu").getByText(stage.say("Delete…"), { exact: true }).click();
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-importing",
    show: async (stage) => {
      const { page } = stage;
      // It may arrive after all, when the page is closed.
      await stage.ownRoom("");
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
    show: async (stage) => {
      await stage.ownRoom("");
      // As EtherCalc writes it, with a border, a remark and merged cells.
      const save = "version:1.5\ncell:A1:t:Apple:b:1:1:1:1\ncell:A2:t:Pear:comment:Count again\ncell:A3:t:Plum:colspan:2\n";
      const file = { name: "orchard.socialcalc", mimeType: "text/plain", buffer: Buffer.from(save) };
      await stage.page.locator(".header input[type=file]").setInputFiles(file);
      await stage.page.locator(".toast").nth(1).waitFor();
    },
  },
];

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

/** 200,000 flights of the US Bureau of Transportation Statistics as CSV. */
async function flightsCsv(): Promise<{ text: string; rows: number; distanceSum: number; late: number }> {
  const data = resolve(import.meta.dirname, "../node_modules/vega-datasets/data");
  const json = await readFile(join(data, "flights-200k.json"), "utf8");
  const flights = JSON.parse(json) as { delay: number; distance: number; time: number }[];
  const lines = flights.map(({ delay, distance, time }) => `${delay},${distance},${time}`);
  return {
    text: ["delay,distance,time", ...lines].join("\n"),
    rows: flights.length,
    distanceSum: flights.reduce((sum, flight) => sum + flight.distance, 0),
    late: flights.filter((flight) => flight.delay > 200).length,
  };
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], fileName));
      return data;
    },
    [name, text] as const,
  );
  await page.dispatchEvent("#app", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("#app", "drop", { dataTransfer: transfer });
}

test("a dropped file of 200,000 rows is summed, filtered, scrolled and edited by two users", async ({ world }) => {
  test.setTimeout(240_000);
  const flights = await flightsCsv();
  const ann = await world.enter();
  await drop(ann.page, "flights.csv", flights.text);
  await expect(ann.page.getByText(`Imported ${(flights.rows + 1).toLocaleString("en")} rows`)).toBeVisible({
    timeout: 120_000,
  });
  await ann.sees("A1", [["delay", "distance", "time"]]);

  await ann.select("E1");
  await ann.page.keyboard.type("=SUM(B:B)");
  await ann.press("Enter");
  await ann.seesInCell("E1", String(flights.distanceSum));
  await ann.page.keyboard.type("=ROWS(FILTER(A2:A300000,A2:A300000>200))");
  await ann.press("Enter");
  await ann.seesInCell("E2", String(flights.late));

  const bob = await world.enter();
  await bob.seesInCell("E1", String(flights.distanceSum));
  await bob.select("B2");
  await bob.press("Control+ArrowDown");
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue(`B${flights.rows + 1}`);
  await bob.press("ArrowDown");
  await bob.page.keyboard.type("1000000");
  await bob.press("Enter");
  await ann.seesInCell("E1", String(flights.distanceSum + 1_000_000));
  await ann.select(`B${flights.rows + 2}`);
  await ann.seesInCell(`B${flights.rows + 2}`, "1000000");
  await ann.page.keyboard.type("=E1*0");
  await ann.press("Escape", "Delete");
  await bob.select("E1");
  await bob.seesInCell("E1", String(flights.distanceSum));
});

test("a file opened on the start page becomes a new workbook", async ({ world }) => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(world.server.url);
  await drop(page, "Pets 2026.csv", "name,legs\ncat,4\nhen,2\n");
  await expect(page.locator('[data-cell="B3"]')).toHaveText("2");
  expect(new URL(page.url()).pathname).toMatch(/^\/pets-2026-[2-9a-z]{26}$/);
  await page.getByRole("link", { name: /start page/ }).click();
  await expect(page.getByRole("link", { name: /pets-2026/ })).toBeVisible();
  await context.close();
});

test("a damaged file reports the error and its position and changes nothing", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["stays"]]);
  await drop(ann.page, "broken.csv", 'a,b\n1,2\n3,"4\n5,6\n');
  const dialog = ann.page.getByRole("dialog", { name: "This file could not be imported" });
  await expect(dialog.getByRole("alert")).toHaveText(/row 3|line 3/i);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await ann.seesInCell("A1", "stays");
  await expect(ann.page.getByRole("tab")).toHaveText(["Sheet1"]);
});

test("import errors are shown in the interface language", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.evaluate(() => localStorage.setItem("quadrille.language", "de"));
  await ann.page.reload();
  await expect(ann.page.locator(".save-state")).toHaveText("Gespeichert");
  await drop(ann.page, "kaputt.csv", 'a,b\n1,2\n3,"4\n5,6\n');
  const dialog = ann.page.getByRole("dialog", { name: "Diese Datei konnte nicht importiert werden" });
  await expect(dialog.getByRole("alert")).toHaveText(/^Zeile 3.*: Das Anführungszeichen ist nicht geschlossen\.$/);
  await dialog.getByRole("button", { name: "Schließen" }).last().click();
  await expect(dialog).toBeHidden();
  await drop(ann.page, "kaputt.xlsx", "PK\u0003\u0004 und weiter nichts");
  await expect(dialog.getByRole("alert")).toHaveText("Die Datei ist beschädigt oder entspricht nicht ihrem Dateityp.");
});

/** Written by LibreOffice, with its results. */
const ODS = resolve(import.meta.dirname, "../../crates/files/tests/fixtures/stock.ods");

test("an OpenDocument spreadsheet is imported with values and formulas", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.locator("input[type=file]").setInputFiles(ODS);
  await ann.sees("A1", [["Item", "Amount", "Price", "Total"], ["ink", "12"]]);
  await ann.seesInCell("D2", "30");
  await ann.sees("A6", [["Sum", "49"]]);
  await ann.seesInCell("E7", "#DIV/0!");
  await ann.type("B2", [["20"]]);
  await ann.seesInCell("D2", "50");
  await ann.seesInCell("B6", "57");
});

test("an import can be cancelled", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["stays"]]);
  // Delays the response until the button is pressed.
  await ann.page.route("**/import?*", () => undefined);
  await drop(ann.page, "slow.csv", "a,b\n1,2\n");
  await ann.page.getByRole("button", { name: "Cancel" }).click();
  await expect(ann.page.getByRole("dialog")).toBeHidden();
  await ann.seesInCell("A1", "stays");
});

test("the current sheet is downloaded as CSV, without a question when nothing is lost", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["a", "b"], ["1", "2"]]);
  await ann.saved();
  const [download] = await Promise.all([ann.page.waitForEvent("download"), ann.choose("File", "Comma-separated")]);
  expect((await readFile(await download.path(), "utf8")).trim().split(/\r?\n/)).toEqual(["a,b", "1,2"]);
});

test("a download that loses something names it first", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Fruit", "Crates"], ["Apple", "3"], ["Pear", "=B2*2"]]);
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await ann.type("A1", [["later"]]);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await ann.select("A1:B3");
  await ann.choose("Insert$", "Chart");
  const panel = ann.page.getByRole("complementary", { name: "Chart" });
  await panel.getByLabel("Title", { exact: true }).fill("Harvest");
  await panel.getByLabel("Title", { exact: true }).press("Enter");
  await ann.saved();

  const dialog = ann.page.getByRole("dialog", { name: "Download as .csv" });
  await ann.choose("File", "Comma-separated");
  await expect(dialog.getByRole("listitem")).toHaveText(["Other sheetsSheet2", "Formulas become their resultsB3", /^ChartsHarvest \([A-Z]+\d+\)$/]);
  await expect(dialog.getByRole("heading", { level: 3 })).toHaveText(["Whole workbook", "Sheet1"]);
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ann.field).toBeFocused();

  await ann.choose("File", "Comma-separated");
  const [download] = await Promise.all([ann.page.waitForEvent("download"), dialog.getByRole("button", { name: "Download" }).click()]);
  expect((await readFile(await download.path(), "utf8")).trim().split(/\r?\n/)).toEqual(["Fruit,Crates", "Apple,3", "Pear,6"]);

  // The other sheet is the one that is downloaded when it is the current one.
  await ann.page.getByRole("tab", { name: "Sheet2" }).click();
  await ann.choose("File", "Comma-separated");
  await expect(dialog.getByRole("listitem")).toHaveText(["Other sheetsSheet1"]);
  const [second] = await Promise.all([ann.page.waitForEvent("download"), dialog.getByRole("button", { name: "Download" }).click()]);
  expect((await readFile(await second.path(), "utf8")).trim()).toBe("later");

  // Workbooks have all of it.
  for (const [format, name] of [["Excel workbook", /\.xlsx$/], ["OpenDocument spreadsheet", /\.ods$/]] as const) {
    const [whole] = await Promise.all([ann.page.waitForEvent("download"), ann.choose("File", format)]);
    expect(whole.suggestedFilename()).toMatch(name);
  }
});

test("a download that fails shows an error and saves nothing", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["a"]]);
  await ann.saved();
  await ann.page.route(/\/api\/v1\/rooms\/[^/?]+\?format=|\/cells\//, (route) =>
    route.fulfill({ status: 500, json: { error: { code: "internal", message: "writing the file failed" } } }),
  );
  const saved: string[] = [];
  ann.page.on("download", (download) => saved.push(download.suggestedFilename()));
  for (const format of ["Excel workbook", "OpenDocument spreadsheet", "Comma-separated", "JSON", "Apache Parquet"]) {
    await ann.choose("File", format);
    const toast = ann.page.locator(".toast", { hasText: "The file could not be downloaded. Try again." });
    await expect(toast).toBeVisible();
    await toast.getByRole("button").click();
    await expect(toast).toHaveCount(0);
  }
  expect(saved).toEqual([]);
});

test("a file in the language of the reader has numbers, dates and truth values", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
  await ann.press("Escape");
  await drop(ann.page, "umsatz.csv", "Name;Betrag;Datum;Bezahlt\nMüller;1.234,50;01.02.2026;WAHR\n");
  await expect(ann.page.getByRole("tab", { name: "umsatz" })).toBeVisible();
  await ann.sees("A2", [["Müller", "1.234,50", "01.02.2026", "TRUE"]]);
});

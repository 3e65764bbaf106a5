import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Download } from "@playwright/test";
import { expect, test } from "./user.ts";

/** Files of pyarrow, polars and DuckDB (fixtures/columns/README.md). */
const FIXTURES = resolve(import.meta.dirname, "../../fixtures/columns");

test("Parquet and Arrow files are opened with types and formats, and other forms are named", async ({ world }) => {
  const ann = await world.enter();
  const field = ann.page.locator("input[type=file]");
  await field.setInputFiles(resolve(FIXTURES, "duckdb.parquet"));
  await expect(ann.page.getByText("Imported 6 rows of duckdb.parquet.")).toBeVisible();
  await expect(ann.page.getByText(/^In another form than in the file: .*numbers with too many digits as text \(big\)/)).toBeVisible();
  await ann.sees("A1", [["i", "d", "t", "even", "day", "at"], ["0", "0.0", "0 ducks", "TRUE", "2024-01-01", "2024-01-01 12:00:00"]]);
  await ann.sees("L2", [["0.000"], [""], ["2.000"]]);
  await expect(ann.page.getByRole("tab")).toHaveText(["duckdb"]);
  // Texts stay texts, and numbers are numbers.
  await ann.type("N1", [["=TYPE(C2)&TYPE(D2)&TYPE(E2)&TYPE(J2)"], ["=SUM(B:B)"]]);
  await ann.seesInCell("N1", "2412");
  await ann.seesInCell("N2", "15.0");

  // A second file is added behind the first one.
  await field.setInputFiles(resolve(FIXTURES, "polars.arrow"));
  await expect(ann.page.getByText("Imported 4 rows of polars.arrow.")).toBeVisible();
  await expect(ann.page.getByRole("tab")).toHaveText(["duckdb", "polars"]);
  await ann.sees("A1", [["kind", "day", "at", "took", "tags", "price"], ["a", "2026-11-29", "2026-11-29 21:00:00", "1:30:00", '["x","y"]', "1.50"]]);
});

test("a damaged Parquet file reports the error and changes nothing", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["stays"]]);
  const buffer = (await readFile(resolve(FIXTURES, "types.parquet"))).subarray(0, 9_000);
  await ann.page.locator("input[type=file]").setInputFiles({ name: "cut.parquet", mimeType: "application/vnd.apache.parquet", buffer });
  const dialog = ann.page.getByRole("dialog", { name: "This file could not be imported" });
  await expect(dialog.getByRole("alert")).toHaveText("The file is damaged or does not match its file type.");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await ann.seesInCell("A1", "stays");
});

test("a sheet is downloaded as Parquet and Arrow, which are opened again, and not without a server", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["name", "legs", "born"], ["cat", "4", "2024-02-29"], ["hen", "2", ""], ["'007", "", "1999-12-31"]]);
  await ann.saved();
  const opensAgain = async (download: Download, name: string): Promise<void> => {
    const buffer = await readFile(await download.path());
    await ann.page.locator("input[type=file]").setInputFiles({ name, mimeType: "", buffer });
    await expect(ann.page.getByRole("tab", { name: name.replace(/\.\w+$/, "") })).toBeVisible();
    await ann.sees("A1", [["name", "legs", "born"], ["cat", "4", "2024-02-29 00:00:00"], ["hen", "2", ""], ["007", "", "1999-12-31 00:00:00"]]);
    await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  };
  const [parquet] = await Promise.all([ann.page.waitForEvent("download"), ann.choose("File", "Apache Parquet")]);
  expect(parquet.suggestedFilename()).toMatch(/ - Sheet1\.parquet$/);
  await opensAgain(parquet, "columns.parquet");

  // The other sheet is named, as for other formats with one sheet.
  await ann.choose("File", "Apache Arrow stream");
  const dialog = ann.page.getByRole("dialog", { name: "Download as .arrows" });
  await expect(dialog.getByRole("listitem")).toHaveText(["Other sheetscolumns"]);
  const [arrow] = await Promise.all([ann.page.waitForEvent("download"), dialog.getByRole("button", { name: "Download" }).click()]);
  expect(arrow.suggestedFilename()).toMatch(/ - Sheet1\.arrows$/);
  await opensAgain(arrow, "stream.arrows");

  await world.server.kill();
  await ann.status(/Offline/);
  await ann.page.getByRole("button", { name: "File", exact: true }).click();
  const entry = ann.page.getByRole("menuitem", { name: /^Apache Parquet/ });
  await expect(entry).toHaveAttribute("aria-disabled", "true");
  await expect(entry).toHaveAttribute("title", "The server cannot be reached");
});

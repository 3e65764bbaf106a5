/** Converts a Parquet or Arrow file to a workbook with one sheet, whose first row has the names of the columns. */

import { CellTable, type ColumnChange } from "./cell-table.ts";
import { fileError } from "./column-file-error.ts";
import { WorkbookWriter } from "./write-workbook.ts";

/** The result of a conversion. */
export interface Converted {
  /** An `.xlsx` file. */
  readonly workbook: Blob;
  readonly changes: readonly ColumnChange[];
}

/** Rows between two reports of progress. */
const ROWS_PER_REPORT = 4_096;

/** Converts a file. Rejects with a `ColumnFileError`. */
export async function convertColumnFile(file: Blob, sheetName: string, onProgress: (rows: number, rowCount: number) => void): Promise<Converted> {
  try {
    const table = await CellTable.open(file);
    const { rowCount, names, widths } = table;
    const isFormatted = table.numberFormats.map((format) => format !== undefined);
    const writer = new WorkbookWriter(sheetName, widths.map((width, index) => ({ width, isFormatted: isFormatted[index] === true })));
    await writer.row(names.map((name) => (name === "" ? undefined : name)));
    let rows = 0;
    for await (const batch of table.batches()) {
      for (const cells of batch) {
        await writer.row(cells);
        rows += 1;
        if (rows % ROWS_PER_REPORT === 0) {
          onProgress(rows, rowCount);
        }
      }
    }
    return { workbook: await writer.finish(table.numberFormats), changes: table.changes };
  } catch (error) {
    throw fileError(error);
  }
}

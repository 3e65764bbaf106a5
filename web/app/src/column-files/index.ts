/**
 * Parquet and Arrow files, which the client converts to `.xlsx` before it sends them to the server:
 * `read-parquet.ts` and `read-arrow.ts` describe the columns by `value-types.ts`, `cell-values.ts`
 * turns their values into cells, and `write-workbook.ts` writes these. All of that is in a worker,
 * which is loaded with the first such file.
 */

export { changeTexts } from "./change-texts.ts";
export { isColumnFile } from "./column-file.ts";
export { ColumnFileError } from "./column-file-error.ts";
export { convertInWorker } from "./convert-in-worker.ts";

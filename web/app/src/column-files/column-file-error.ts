/** Why a Parquet or Arrow file cannot be read. */

/** Codes of errors, which `importFailure` puts into words. Those without `columns` are also the server's. */
export type ColumnFileCode =
  | "bad_columns"
  | "columns_not_supported"
  | "columns_too_large"
  | "archive_limits"
  | "encrypted"
  | "too_many_cells"
  | "too_many_columns"
  | "too_many_rows";

/** The file cannot be read. The message is English, for those who created the file. */
export class ColumnFileError extends Error {
  readonly code: ColumnFileCode;

  constructor(code: ColumnFileCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error of a file that is damaged. */
export function damaged(reason: string): ColumnFileError {
  return new ColumnFileError("bad_columns", reason);
}

/** An error of a library that reads files as an error of the file. */
export function fileError(error: unknown): ColumnFileError {
  if (error instanceof ColumnFileError) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (/allocation failed|out of memory/i.test(message)) {
    return new ColumnFileError("columns_too_large", message);
  }
  return new ColumnFileError(/unsupported|not supported/i.test(message) ? "columns_not_supported" : "bad_columns", message);
}

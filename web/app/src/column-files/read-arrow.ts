/** Reads Apache Arrow data, as a file (Feather version 2) or as a stream, with flechette. */

import type { ArrowData } from "@uwdata/flechette";
import { Endianness } from "@uwdata/flechette/src/constants.js";
import { decodeIPC } from "@uwdata/flechette/src/decode/decode-ipc.js";
import { createTable } from "@uwdata/flechette/src/decode/table-from-ipc.js";
import { EXACT_VALUES, fieldType } from "./arrow-types.ts";
import { checkFileMetadata, checkStreamMetadata } from "./check-arrow-metadata.ts";
import { checkBatch, checkBuffers } from "./check-arrow.ts";
import { ColumnFileError } from "./column-file-error.ts";
import { registerDecompressors } from "./decompression.ts";
import { ARROW_BYTES_MAX } from "./limits.ts";
import type { Batch, Table, Values } from "./value-types.ts";

const FILE_MAGIC = "ARROW1";

/** Opens a file or a stream. Rejects with a `ColumnFileError`, or an error of flechette if it is damaged. */
export async function openArrow(file: Blob): Promise<Table> {
  if (file.size > ARROW_BYTES_MAX) {
    throw new ColumnFileError("columns_too_large", `more than ${ARROW_BYTES_MAX} bytes`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isFile = text(bytes.subarray(0, FILE_MAGIC.length)) === FILE_MAGIC;
  if (isFile && text(bytes.subarray(-FILE_MAGIC.length)) !== FILE_MAGIC) {
    throw new ColumnFileError("bad_columns", "the file ends in the middle");
  }
  (isFile ? checkFileMetadata : checkStreamMetadata)(bytes);
  registerDecompressors();
  const data = decodeIPC(bytes);
  checkBuffers(data);
  const table = createTable(isFile ? withDictionariesFirst(data) : data, EXACT_VALUES);
  const { schema } = table;
  if (schema.fields.length === 0 && schema.version === undefined) {
    throw new ColumnFileError("bad_columns", "no schema");
  }
  if (schema.endianness === Endianness.Big) {
    throw new ColumnFileError("columns_not_supported", "big-endian values");
  }
  const columns = schema.fields.map(fieldType);

  function* batches(): Generator<Batch> {
    const [first] = table.children;
    for (const [index, { length: rowCount }] of (first?.data ?? []).entries()) {
      const pieces = table.children.map(({ data }) => data[index]);
      pieces.forEach((piece) => piece && checkBatch(piece));
      yield { rowCount, columns: pieces.map((piece, column) => checked(piece, rowCount, columns[column]?.name ?? "")) };
    }
  }

  // A text may be empty, which is no cell.
  const counted = table.children.filter((_, column) => columns[column]?.type.kind !== "text");
  const cellCountMin = counted.reduce((sum, { length, nullCount }) => sum + Math.max(0, length - nullCount), 0);
  return { columns, rowCount: table.numRows, cellCountMin, batches };
}

/**
 * Data of a file whose dictionaries apply to all rows. A file may have them behind the rows, as
 * polars writes them; flechette would read the rows without them.
 */
function withDictionariesFirst(data: ArrowData): ArrowData {
  const count = data.dictionaries?.length ?? 0;
  return { ...data, dictsBeforeRecord: (data.records ?? []).map(() => count) };
}

/** The values of a column in a batch. Those beyond the end of a buffer make the column a damaged one. */
function checked(values: (Values & { readonly length: number }) | undefined, rowCount: number, name: string): Values {
  const damaged = (): never => {
    throw new ColumnFileError("bad_columns", `column ${name} has fewer values than rows`);
  };
  if (values?.length !== rowCount) {
    return damaged();
  }
  return {
    at: (row) => {
      const value = values.at(row);
      return value === undefined ? damaged() : value;
    },
  };
}

function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

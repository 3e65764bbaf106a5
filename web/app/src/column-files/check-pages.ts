/**
 * Checks the pages of a Parquet file before they are read: hyparquet allocates what their headers
 * state, and a damaged header could use up the memory of the whole page.
 */

import type { ColumnMetaData, RowGroup } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { ColumnFileError } from "./column-file-error.ts";
import { EXPANDED_BYTES_MAX, VALUES_MAX } from "./limits.ts";

/** Reads bytes of a file; fails beyond its end. */
export type ReadBytes = (start: number, end: number) => Promise<ArrayBuffer>;

/** Rejects a row group whose pages do not have the values that the file states. */
export async function checkPages(group: RowGroup, read: ReadBytes): Promise<void> {
  for (const { meta_data: column } of group.columns) {
    if (column) {
      await checkChunk(column, Number(group.num_rows), read);
    }
  }
}

async function checkChunk(column: ColumnMetaData, rowCount: number, read: ReadBytes): Promise<void> {
  const damaged = (reason: string): ColumnFileError => new ColumnFileError("bad_columns", `column ${column.path_in_schema.slice(1).join(".")}: ${reason}`);
  const count = Number(column.num_values);
  if (count < rowCount || count > VALUES_MAX) {
    throw damaged(`${count} values for ${rowCount} rows`);
  }
  // Some writers do not state where the dictionary is; it is before the first page then.
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  const view = new DataView(await read(start, start + Number(column.total_compressed_size)));
  const reader = { view, offset: 0 };
  let values = 0;
  while (values < count && reader.offset < view.byteLength) {
    const header = parquetHeader(reader);
    const { compressed_page_size: compressed, uncompressed_page_size: expanded } = header;
    if (!(compressed >= 0 && reader.offset + compressed <= view.byteLength && expanded >= 0 && expanded <= EXPANDED_BYTES_MAX)) {
      throw damaged("the length of a page is wrong");
    }
    const entries = header.dictionary_page_header?.num_values ?? 0;
    // An entry has one bit at least.
    if (!(entries >= 0 && entries <= expanded * 8)) {
      throw damaged("the number of entries of a dictionary is wrong");
    }
    const inPage = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    const nulls = header.data_page_header_v2?.num_nulls ?? 0;
    values += inPage;
    if (!(inPage >= 0 && nulls >= 0 && nulls <= inPage && values <= count)) {
      throw damaged("the number of values of a page is wrong");
    }
    reader.offset += compressed;
  }
  if (values !== count) {
    throw damaged(`pages with ${values} of ${count} values`);
  }
}

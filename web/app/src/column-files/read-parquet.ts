/** Reads Apache Parquet files with hyparquet, one row group at a time. */

import { type FileMetaData, type ParquetParsers, parquetMetadataAsync, parquetRead, parquetSchema, type RowGroup, type SchemaTree } from "hyparquet";
import { arrowSchemaTypes } from "./arrow-types.ts";
import { checkPages } from "./check-pages.ts";
import { decompressors } from "./decompression.ts";
import { ColumnFileError } from "./column-file-error.ts";
import { columnTypes } from "./parquet-types.ts";
import type { Batch, FieldType, Table, Values } from "./value-types.ts";

/** Values as they are in the file; `cell-values.ts` converts them by the types of `parquet-types.ts`. */
const PARSERS: Partial<ParquetParsers> = {
  // Called for the 96-bit timestamps of old programs.
  timestampFromNanoseconds: (ns) => ns,
  jsonFromBytes: (bytes) => new TextDecoder().decode(bytes),
};

/** Opens a file. Rejects with a `ColumnFileError`, or an error of hyparquet if it is damaged. */
export async function openParquet(file: Blob): Promise<Table> {
  const source = {
    byteLength: file.size,
    slice: (start: number, end = file.size): Promise<ArrayBuffer> => {
      if (!(start >= 0 && start <= end && end <= file.size)) {
        throw new ColumnFileError("bad_columns", "a place is beyond the end of the file");
      }
      return file.slice(start, end).arrayBuffer();
    },
  };
  const metadata = await parquetMetadataAsync(source);
  const schema = parquetSchema(metadata);
  const names = schema.children.map(({ element }) => element.name);
  checkGroups(metadata, schema);
  numberColumns(metadata, schema);
  const described = arrowSchemaTypes(metadata.key_value_metadata?.find(({ key }) => key === "ARROW:schema")?.value);
  // Parquet has no durations: programs that have them store integers beside the schema of Arrow.
  const columns = columnTypes(metadata).map((type, index): FieldType => {
    const [name = "", arrow] = [names[index], described[index]];
    return { name, type: type.kind === "number" && arrow?.name === name && arrow.type.kind === "duration" ? arrow.type : type };
  });

  async function* batches(): AsyncGenerator<Batch> {
    let start = 0;
    for (const group of metadata.row_groups) {
      const rowCount = Number(group.num_rows);
      await checkPages(group, source.slice);
      const chunks = columns.map((): ArrayLike<unknown>[] => []);
      await parquetRead({
        file: source,
        metadata,
        compressors: decompressors(),
        parsers: PARSERS,
        utf8: false,
        rowStart: start,
        rowEnd: start + rowCount,
        onChunk: ({ columnName, columnData }) => chunks[Number(columnName)]?.push(columnData),
      });
      yield { rowCount, columns: chunks.map((pieces, index) => joined(pieces, rowCount, columns[index]?.name ?? "")) };
      start += rowCount;
    }
  }

  return { columns, rowCount: Number(metadata.num_rows), cellCountMin: cellCountMin(metadata, columns), batches };
}

/** Rejects groups whose columns are not those of the schema, which a damaged or encrypted file has. */
function checkGroups(metadata: FileMetaData, schema: SchemaTree): void {
  const leaves = leafPaths(schema);
  let rows = 0;
  for (const group of metadata.row_groups) {
    if (group.columns.some(({ crypto_metadata, meta_data }) => crypto_metadata !== undefined || meta_data === undefined)) {
      throw new ColumnFileError("encrypted", "columns are encrypted");
    }
    if (group.columns.some(({ file_path }) => file_path)) {
      throw new ColumnFileError("columns_not_supported", "columns are in other files");
    }
    const paths = group.columns.map(({ meta_data }) => meta_data?.path_in_schema.join("\0"));
    if (paths.length !== leaves.length || paths.some((path, index) => path !== leaves[index])) {
      throw new ColumnFileError("bad_columns", "a row group has other columns than the schema");
    }
    rows += Number(group.num_rows);
  }
  if (rows !== Number(metadata.num_rows)) {
    throw new ColumnFileError("bad_columns", `the row groups have ${rows} rows, the file ${metadata.num_rows}`);
  }
}

function leafPaths({ children, path }: SchemaTree): readonly string[] {
  return children.length === 0 ? [path.join("\0")] : children.flatMap(leafPaths);
}

/** Names the columns by their numbers: names may occur several times, and contain points. */
function numberColumns(metadata: FileMetaData, schema: SchemaTree): void {
  const leafCounts = schema.children.map((child) => leafPaths(child).length);
  const owners = leafCounts.flatMap((count, index) => Array.from({ length: count }, () => String(index)));
  schema.children.forEach(({ element }, index) => {
    element.name = String(index);
  });
  for (const group of metadata.row_groups) {
    group.columns.forEach(({ meta_data }, leaf) => {
      meta_data?.path_in_schema.splice(0, 1, owners[leaf] ?? "");
    });
  }
}

/** The pieces of a column as one array. A column with fewer values than rows is damaged. */
function joined(pieces: readonly ArrayLike<unknown>[], rowCount: number, name: string): Values {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length !== rowCount) {
    throw new ColumnFileError("bad_columns", `column ${name}: ${length} values for ${rowCount} rows`);
  }
  const [first] = pieces;
  if (pieces.length === 1 && first) {
    return { at: (row) => first[row] };
  }
  const all: unknown[] = [];
  for (const piece of pieces) {
    for (let row = 0; row < piece.length; row += 1) {
      all.push(piece[row]);
    }
  }
  return { at: (row) => all[row] };
}

/** Cells of the columns whose missing values the file counts. A text may be empty, which is no cell. */
function cellCountMin(metadata: FileMetaData, columns: readonly FieldType[]): number {
  const inGroup = (group: RowGroup): number =>
    group.columns.reduce((sum, { meta_data }) => {
      const [column, ...nested] = meta_data?.path_in_schema ?? [];
      const { null_count: nulls, min_value: least } = meta_data?.statistics ?? {};
      const mayBeEmpty = columns[Number(column)]?.type.kind === "text" && (least === undefined || least === "");
      return nested.length === 0 && !mayBeEmpty && meta_data && nulls !== undefined ? sum + Number(meta_data.num_values - nulls) : sum;
    }, 0);
  return metadata.row_groups.reduce((sum, group) => sum + inGroup(group), 0);
}

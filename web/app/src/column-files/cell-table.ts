/** The rows of cells of a Parquet or Arrow file. */

import { COLUMNS_MAX, ROWS_MAX } from "@quadrille/grid";
import { type Cell, type Change, type ColumnNotes, columnWidth, converter, numberFormat } from "./cell-values.ts";
import { ColumnFileError } from "./column-file-error.ts";
import { CELLS_MAX, POSITIONS_MAX } from "./limits.ts";
import { openArrow } from "./read-arrow.ts";
import { openParquet } from "./read-parquet.ts";
import type { FieldType, Table } from "./value-types.ts";

/** What cells have in another form than the file. */
export interface ColumnChange {
  readonly change: Change;
  /** Names of the columns. */
  readonly columns: readonly string[];
}

/** A column of cells. */
interface CellColumn {
  readonly name: string;
  readonly notes: ColumnNotes;
  readonly convert: (value: unknown) => Cell;
  readonly type: FieldType["type"];
}

/** The cells of a file. `numberFormats` and `changes` are known when all rows have been read. */
export class CellTable {
  private readonly table: Table;
  private readonly columns: readonly CellColumn[];

  /** Opens a file by its content. Rejects with a `ColumnFileError`, or another error if it is damaged. */
  static async open(file: Blob): Promise<CellTable> {
    return new CellTable(await open(file));
  }

  private constructor(table: Table) {
    check(table);
    this.table = table;
    this.columns = table.columns.map(({ name, type }) => {
      const notes: ColumnNotes = { changes: new Set(), hasFraction: false };
      return { name, type, notes, convert: converter(type, notes) };
    });
  }

  get rowCount(): number {
    return this.table.rowCount;
  }

  /** The names of the columns. */
  get names(): readonly string[] {
    return this.columns.map(({ name }) => name);
  }

  /** The widths of the columns in characters; `undefined` for the default. */
  get widths(): readonly (number | undefined)[] {
    return this.columns.map(({ type }) => columnWidth(type));
  }

  /** The number formats of the columns; `undefined` for the default. */
  get numberFormats(): readonly (string | undefined)[] {
    return this.columns.map(({ type, notes }) => numberFormat(type, notes));
  }

  get changes(): readonly ColumnChange[] {
    const changes = new Set(this.columns.flatMap(({ notes }) => [...notes.changes]));
    return [...changes].map((change) => ({
      change,
      columns: this.columns.filter(({ notes }) => notes.changes.has(change)).map(({ name }) => name),
    }));
  }

  /** The rows below the names, in batches. The array of a row is used again for the next one. */
  async *batches(): AsyncGenerator<Iterable<readonly Cell[]>> {
    const { columns } = this;
    // An empty text is no content of a cell.
    let cellCount = columns.filter(({ name }) => name !== "").length;
    for await (const batch of this.table.batches()) {
      yield (function* rows() {
        const cells = new Array<Cell>(columns.length);
        for (let row = 0; row < batch.rowCount; row += 1) {
          columns.forEach(({ convert }, index) => {
            const cell = convert(batch.columns[index]?.at(row));
            cells[index] = cell === "" ? undefined : cell;
            cellCount += cell === undefined || cell === "" ? 0 : 1;
          });
          if (cellCount > CELLS_MAX) {
            throw tooManyCells();
          }
          yield cells;
        }
      })();
    }
  }
}

async function open(file: Blob): Promise<Table> {
  const start = String.fromCharCode(...new Uint8Array(await file.slice(0, 4).arrayBuffer()));
  switch (start) {
    case "PAR1":
      return openParquet(file);
    case "PARE":
      throw new ColumnFileError("encrypted", "the footer of the Parquet file is encrypted");
    case "FEA1":
      throw new ColumnFileError("columns_not_supported", "Feather version 1");
    default:
      return openArrow(file);
  }
}

/** Checks the limits that are known before the values are read. */
function check({ columns, rowCount, cellCountMin }: Table): void {
  if (rowCount + 1 > ROWS_MAX) {
    throw new ColumnFileError("too_many_rows", `${rowCount} rows and the names of the columns`);
  }
  if (columns.length > COLUMNS_MAX) {
    throw new ColumnFileError("too_many_columns", `${columns.length} columns`);
  }
  if (rowCount * columns.length > POSITIONS_MAX || cellCountMin > CELLS_MAX) {
    throw tooManyCells();
  }
}

function tooManyCells(): ColumnFileError {
  return new ColumnFileError("too_many_cells", `more than ${CELLS_MAX} cells with content`);
}

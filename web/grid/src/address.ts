/** Cells and ranges of a sheet. Rows and columns count from zero; ranges include both ends. */

export const ROWS_MAX = 1_048_576;
export const COLUMNS_MAX = 16_384;

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface Range {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Whether both are the same cell. */
export function sameCell(a: Cell, b: Cell): boolean {
  return a.row === b.row && a.column === b.column;
}

/** Whether both are the same range. */
export function sameRange(a: Range, b: Range): boolean {
  return a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}

/** The smallest range that holds both cells. */
export function span(a: Cell, b: Cell): Range {
  return {
    top: Math.min(a.row, b.row),
    left: Math.min(a.column, b.column),
    bottom: Math.max(a.row, b.row),
    right: Math.max(a.column, b.column),
  };
}

/** The range that consists of `cell` only. */
export function rangeOf(cell: Cell): Range {
  return { top: cell.row, left: cell.column, bottom: cell.row, right: cell.column };
}

/** Whether `cell` is inside `range`. */
export function contains(range: Range, cell: Cell): boolean {
  return (
    cell.row >= range.top && cell.row <= range.bottom && cell.column >= range.left && cell.column <= range.right
  );
}

/** Whether the range reaches from the first column to the last. */
export function isWholeRows(range: Range): boolean {
  return range.left === 0 && range.right === COLUMNS_MAX - 1;
}

/** Whether the range reaches from the first row to the last. */
export function isWholeColumns(range: Range): boolean {
  return range.top === 0 && range.bottom === ROWS_MAX - 1;
}

/** Number of rows of the range. */
export function rowCount(range: Range): number {
  return range.bottom - range.top + 1;
}

/** Number of columns of the range. */
export function columnCount(range: Range): number {
  return range.right - range.left + 1;
}

/** The cell of the sheet that is nearest to `row` and `column`. */
export function clampCell(row: number, column: number): Cell {
  return {
    row: Math.min(Math.max(row, 0), ROWS_MAX - 1),
    column: Math.min(Math.max(column, 0), COLUMNS_MAX - 1),
  };
}

/** `0` → `A`, `26` → `AA`. */
export function columnName(column: number): string {
  let name = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** A1 name of a cell. */
export function cellName(cell: Cell): string {
  return `${columnName(cell.column)}${cell.row + 1}`;
}

/** `A1`, `A1:B2`, `A:C` for whole columns and `2:5` for whole rows. */
export function rangeName(range: Range): string {
  if (isWholeRows(range)) {
    return `${range.top + 1}:${range.bottom + 1}`;
  }
  if (isWholeColumns(range)) {
    return `${columnName(range.left)}:${columnName(range.right)}`;
  }
  const first = cellName({ row: range.top, column: range.left });
  const last = cellName({ row: range.bottom, column: range.right });
  return first === last ? first : `${first}:${last}`;
}

function parseColumn(letters: string): number | undefined {
  let column = 0;
  for (const letter of letters.toUpperCase()) {
    column = column * 26 + (letter.charCodeAt(0) - 64);
  }
  return column >= 1 && column <= COLUMNS_MAX ? column - 1 : undefined;
}

function parseRow(digits: string): number | undefined {
  const row = Number(digits);
  return row >= 1 && row <= ROWS_MAX ? row - 1 : undefined;
}

/**
 * Parses the output of `rangeName`, case-insensitively and ignoring `$`; `undefined` for other
 * texts.
 */
export function parseRange(text: string): Range | undefined {
  const match = /^([a-z]{1,3})?(\d{1,7})?(?::([a-z]{1,3})?(\d{1,7})?)?$/i.exec(text.replaceAll("$", "").trim());
  if (!match) {
    return undefined;
  }
  const [, columnA, rowA, columnB, rowB] = match;
  const isRange = text.includes(":");
  if (columnA && rowA && (!isRange || (columnB && rowB))) {
    const first = { row: parseRow(rowA), column: parseColumn(columnA) };
    const last = isRange ? { row: parseRow(rowB ?? ""), column: parseColumn(columnB ?? "") } : first;
    return makeRange(first.row, first.column, last.row, last.column);
  }
  if (columnA && columnB && !rowA && !rowB) {
    return makeRange(0, parseColumn(columnA), ROWS_MAX - 1, parseColumn(columnB));
  }
  if (rowA && rowB && !columnA && !columnB) {
    return makeRange(parseRow(rowA), 0, parseRow(rowB), COLUMNS_MAX - 1);
  }
  return undefined;
}

function makeRange(
  rowA: number | undefined,
  columnA: number | undefined,
  rowB: number | undefined,
  columnB: number | undefined,
): Range | undefined {
  if (rowA === undefined || columnA === undefined || rowB === undefined || columnB === undefined) {
    return undefined;
  }
  return span({ row: rowA, column: columnA }, { row: rowB, column: columnB });
}

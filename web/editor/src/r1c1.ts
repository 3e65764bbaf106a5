/**
 * R1C1 notation: `R2C3` is absolute, `R[-1]C` is relative to the formula's cell, `R5` and
 * `C[1]:C[2]` are whole rows and columns. As in `crates/formula/src/r1c1.rs`, references that are
 * valid in A1 notation only are accepted, so that `A1+RC[1]` has two references; ambiguous ones
 * such as `R5`, `C3` and `RC1` are read as R1C1.
 */

import {
  type Cell,
  columnName,
  COLUMNS_MAX,
  isWholeColumns,
  isWholeRows,
  type Range,
  ROWS_MAX,
  sameCell,
  span,
} from "@quadrille/grid";
import { A1, type AbsoluteParts, nextAbsolute, type Notation } from "./notation.ts";

const POSITION = "(?:[0-9]+|\\[[+-]?[0-9]+\\])?";
const ROW = `[Rr]${POSITION}`;
const COLUMN = `[Cc]${POSITION}`;
const CELL = ROW + COLUMN;
/** References that are valid in A1 notation only. */
const A1_ONLY = A1.area.replaceAll("\\$?[A-Za-z]{1,3}\\$?[1-9]", "(?!(?:[Rr][Cc]?|[Cc])[0-9])$&");

/** R1C1 notation. */
export const R1C1: Notation = {
  isR1c1: true,
  area: `(?:${CELL}:${CELL}|${CELL}|${ROW}:${ROW}|${ROW}|${COLUMN}:${COLUMN}|${COLUMN}|${A1_ONLY})`,
  column: (column) => String(column + 1),
  cell: ({ row, column }) => `R${row + 1}C${column + 1}`,
  range: (range) => formatRange(range, [ABSOLUTE, ABSOLUTE], range.top, range.left),
  parse: (text, host) => {
    const parts = read(text, host);
    if (!parts) {
      return text.split(":").some((part) => PART.test(part.trim())) ? undefined : A1.parse(text, host);
    }
    const [first, last = first] = parts;
    const corner = ({ row, column }: Part, isLast: boolean): Cell => ({
      row: row?.index ?? (isLast ? ROWS_MAX - 1 : 0),
      column: column?.index ?? (isLast ? COLUMNS_MAX - 1 : 0),
    });
    // Of whole rows or columns, only the given indexes are ordered.
    return span(corner(first, false), corner(last, true));
  },
  formatReference: (range, host) => formatRange(range, [RELATIVE, RELATIVE], host.row, host.column),
  cycleAbsolute: (address, host) => {
    const parts = read(address, host);
    if (!parts) {
      return A1.cycleAbsolute(address, host);
    }
    const [first] = parts;
    const isWhole = !first.row || !first.column;
    const absolute = { row: first.row?.isAbsolute ?? false, column: first.column?.isAbsolute ?? false };
    // A reference to whole rows or columns is either relative or absolute.
    const next = isWhole ? (absolute.row || absolute.column ? RELATIVE : ABSOLUTE) : nextAbsolute(absolute);
    return parts
      .map(({ row, column }) => (row ? formatIndex("R", row.index, next.row, host.row) : "") + (column ? formatIndex("C", column.index, next.column, host.column) : ""))
      .join(":");
  },
  withRange: (address, range, host) => {
    const parts = read(address, host);
    if (!parts) {
      return A1.withRange(address, range, host);
    }
    const absolute = parts.map(({ row, column }) => ({ row: row?.isAbsolute ?? false, column: column?.isAbsolute ?? false }));
    const [first = RELATIVE, last = first] = absolute;
    return formatRange(range, [first, last], host.row, host.column);
  },
  fromA1: (address, host) => {
    const [first = "", last = first] = address.split(":").map((part) => {
      const [, onColumn, letters = "", onRow, digits = ""] = /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(part) ?? [];
      // In a reference to whole rows, the dollar sign precedes the number.
      const row = digits && formatIndex("R", Number(digits) - 1, (letters ? onRow : onColumn) === "$", host.row);
      return row + (letters && formatIndex("C", A1.parse(`${letters}1`, host)?.left ?? 0, onColumn === "$", host.column));
    });
    return first === last ? first : `${first}:${last}`;
  },
  toA1: (address, host) => {
    const corner = ({ row, column }: Part): string =>
      (column ? (column.isAbsolute ? "$" : "") + columnName(column.index) : "") + (row ? (row.isAbsolute ? "$" : "") + String(row.index + 1) : "");
    const parts = read(address, host);
    if (!parts) {
      return address;
    }
    const isWhole = !parts[0].row || !parts[0].column;
    return (isWhole && parts.length === 1 ? [parts[0], parts[0]] : parts).map(corner).join(":");
  },
};

const ABSOLUTE: AbsoluteParts = { row: true, column: true };
const RELATIVE: AbsoluteParts = { row: false, column: false };

interface Index {
  readonly index: number;
  readonly isAbsolute: boolean;
}

/** A corner. Whole rows have no column, and whole columns no row. */
interface Part {
  readonly row: Index | undefined;
  readonly column: Index | undefined;
}

const PART = new RegExp(`^([Rr](${POSITION}))?([Cc](${POSITION}))?$`);

/** Parses one or two corners; `undefined` for other texts and for cells outside the sheet. */
function read(text: string, host: Cell): readonly [Part, ...Part[]] | undefined {
  const [first, last, ...more] = text.trim().split(":").map((part) => readPart(part, host));
  const isOfOneKind = !last || (!first?.row === !last.row && !first?.column === !last.column);
  return first && isOfOneKind && more.length === 0 && (last || !text.includes(":")) ? (last ? [first, last] : [first]) : undefined;
}

function readPart(text: string, host: Cell): Part | undefined {
  const [, hasRow, row = "", hasColumn, column = ""] = PART.exec(text) ?? [];
  const rowIndex = hasRow === undefined ? undefined : readIndex(row, host.row, ROWS_MAX);
  const columnIndex = hasColumn === undefined ? undefined : readIndex(column, host.column, COLUMNS_MAX);
  const isWhole = (hasRow === undefined || rowIndex) && (hasColumn === undefined || columnIndex);
  return isWhole && (rowIndex || columnIndex) ? { row: rowIndex, column: columnIndex } : undefined;
}

/** Parses an index. Relative indexes wrap around the edge of the sheet, as in Excel. */
function readIndex(text: string, host: number, count: number): Index | undefined {
  if (text === "" || text.startsWith("[")) {
    const offset = Number(text.slice(1, -1) || 0);
    return { index: (((host + offset) % count) + count) % count, isAbsolute: false };
  }
  const index = Number(text) - 1;
  return index >= 0 && index < count ? { index, isAbsolute: true } : undefined;
}

function formatIndex(letter: "R" | "C", index: number, isAbsolute: boolean, host: number): string {
  return letter + (isAbsolute ? String(index + 1) : index === host ? "" : `[${index - host}]`);
}

function formatRange(range: Range, [first, last]: readonly [AbsoluteParts, AbsoluteParts], hostRow: number, hostColumn: number): string {
  const row = (index: number, { row: isAbsolute }: AbsoluteParts): string => formatIndex("R", index, isAbsolute, hostRow);
  const column = (index: number, { column: isAbsolute }: AbsoluteParts): string => formatIndex("C", index, isAbsolute, hostColumn);
  const pair = (one: string, other: string): string => (one === other ? one : `${one}:${other}`);
  if (isWholeRows(range)) {
    return pair(row(range.top, first), row(range.bottom, last));
  }
  if (isWholeColumns(range)) {
    return pair(column(range.left, first), column(range.right, last));
  }
  const begin = row(range.top, first) + column(range.left, first);
  const isOne = sameCell({ row: range.top, column: range.left }, { row: range.bottom, column: range.right });
  return isOne ? begin : `${begin}:${row(range.bottom, last)}${column(range.right, last)}`;
}

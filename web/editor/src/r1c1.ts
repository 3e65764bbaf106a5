/**
 * Cells by numbers: `R2C3` is absolute, `R[-1]C` counts from the cell that the formula stands in, `R5` and `C[1]:C[2]` are whole
 * rows and columns. Reads like `crates/formula/src/r1c1.rs`: what is a cell in A1 only stays one, so that `A1+RC[1]` has two
 * references, but `R5`, `C3` and `RC1`, which could be either, are of this notation.
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
import { A1, type Fixed, nextFixed, type Notation } from "./notation.ts";

const PLACE = "(?:[0-9]+|\\[[+-]?[0-9]+\\])?";
const ROW = `[Rr]${PLACE}`;
const COLUMN = `[Cc]${PLACE}`;
const CELL = ROW + COLUMN;
/** In A1 only. */
const OTHER = A1.area.replaceAll("\\$?[A-Za-z]{1,3}\\$?[1-9]", "(?!(?:[Rr][Cc]?|[Cc])[0-9])$&");

export const R1C1: Notation = {
  isR1c1: true,
  area: `(?:${CELL}:${CELL}|${CELL}|${ROW}:${ROW}|${ROW}|${COLUMN}:${COLUMN}|${COLUMN}|${OTHER})`,
  column: (column) => String(column + 1),
  cell: ({ row, column }) => `R${row + 1}C${column + 1}`,
  range: (range) => written(range, [ABSOLUTE, ABSOLUTE], range.top, range.left),
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
    // Of whole lines only the named ones are turned round.
    return span(corner(first, false), corner(last, true));
  },
  pointed: (range, host) => written(range, [RELATIVE, RELATIVE], host.row, host.column),
  cycled: (address, host) => {
    const parts = read(address, host);
    if (!parts) {
      return A1.cycled(address, host);
    }
    const [first] = parts;
    const isWhole = !first.row || !first.column;
    const fixed = { row: first.row?.isFixed ?? false, column: first.column?.isFixed ?? false };
    // A whole line is relative or it is not.
    const next = isWhole ? (fixed.row || fixed.column ? RELATIVE : ABSOLUTE) : nextFixed(fixed);
    return parts
      .map(({ row, column }) => (row ? line("R", row.index, next.row, host.row) : "") + (column ? line("C", column.index, next.column, host.column) : ""))
      .join(":");
  },
  moved: (address, range, host) => {
    const parts = read(address, host);
    if (!parts) {
      return A1.moved(address, range, host);
    }
    const fixed = parts.map(({ row, column }) => ({ row: row?.isFixed ?? false, column: column?.isFixed ?? false }));
    const [first = RELATIVE, last = first] = fixed;
    return written(range, [first, last], host.row, host.column);
  },
  fromA1: (address, host) => {
    const [first = "", last = first] = address.split(":").map((part) => {
      const [, onColumn, letters = "", onRow, digits = ""] = /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(part) ?? [];
      // Of a whole row the one sign stands before the number.
      const row = digits && line("R", Number(digits) - 1, (letters ? onRow : onColumn) === "$", host.row);
      return row + (letters && line("C", A1.parse(`${letters}1`, host)?.left ?? 0, onColumn === "$", host.column));
    });
    return first === last ? first : `${first}:${last}`;
  },
  toA1: (address, host) => {
    const corner = ({ row, column }: Part): string =>
      (column ? (column.isFixed ? "$" : "") + columnName(column.index) : "") + (row ? (row.isFixed ? "$" : "") + String(row.index + 1) : "");
    const parts = read(address, host);
    if (!parts) {
      return address;
    }
    const isWhole = !parts[0].row || !parts[0].column;
    return (isWhole && parts.length === 1 ? [parts[0], parts[0]] : parts).map(corner).join(":");
  },
};

const ABSOLUTE: Fixed = { row: true, column: true };
const RELATIVE: Fixed = { row: false, column: false };

interface Line {
  readonly index: number;
  readonly isFixed: boolean;
}

/** Whole rows have no column, and whole columns no row. */
interface Part {
  readonly row: Line | undefined;
  readonly column: Line | undefined;
}

const PART = new RegExp(`^([Rr](${PLACE}))?([Cc](${PLACE}))?$`);

/** One or two corners; `undefined` for what is not of this notation or leads out of the sheet. */
function read(text: string, host: Cell): readonly [Part, ...Part[]] | undefined {
  const [first, last, ...more] = text.trim().split(":").map((part) => readPart(part, host));
  const isOfOneKind = !last || (!first?.row === !last.row && !first?.column === !last.column);
  return first && isOfOneKind && more.length === 0 && (last || !text.includes(":")) ? (last ? [first, last] : [first]) : undefined;
}

function readPart(text: string, host: Cell): Part | undefined {
  const [, hasRow, row = "", hasColumn, column = ""] = PART.exec(text) ?? [];
  const rowLine = hasRow === undefined ? undefined : readLine(row, host.row, ROWS_MAX);
  const columnLine = hasColumn === undefined ? undefined : readLine(column, host.column, COLUMNS_MAX);
  const isWhole = (hasRow === undefined || rowLine) && (hasColumn === undefined || columnLine);
  return isWhole && (rowLine || columnLine) ? { row: rowLine, column: columnLine } : undefined;
}

/** What is relative and leaves the sheet comes in again on its other side, as in Excel. */
function readLine(text: string, host: number, count: number): Line | undefined {
  if (text === "" || text.startsWith("[")) {
    const offset = Number(text.slice(1, -1) || 0);
    return { index: (((host + offset) % count) + count) % count, isFixed: false };
  }
  const index = Number(text) - 1;
  return index >= 0 && index < count ? { index, isFixed: true } : undefined;
}

function line(letter: "R" | "C", index: number, isFixed: boolean, host: number): string {
  return letter + (isFixed ? String(index + 1) : index === host ? "" : `[${index - host}]`);
}

function written(range: Range, [first, last]: readonly [Fixed, Fixed], hostRow: number, hostColumn: number): string {
  const row = (index: number, { row: isFixed }: Fixed): string => line("R", index, isFixed, hostRow);
  const column = (index: number, { column: isFixed }: Fixed): string => line("C", index, isFixed, hostColumn);
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

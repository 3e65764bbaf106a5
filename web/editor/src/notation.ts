/**
 * Notations of references: A1, the default, and R1C1, which `r1c1.ts` implements and which is
 * loaded on demand.
 */

import { type Cell, cellName, columnName, parseRange, type Range, rangeName } from "@quadrille/grid";

/** Formats and parses references in one notation. */
export interface Notation {
  readonly isR1c1: boolean;
  /** Regular expression source of a reference without its sheet. */
  readonly area: string;
  /** Header of a column. */
  readonly column: (column: number) => string;
  readonly cell: (cell: Cell) => string;
  readonly range: (range: Range) => string;
  /**
   * Parses a reference. `host`: the cell of the formula, to which relative references are relative.
   */
  readonly parse: (text: string, host: Cell) => Range | undefined;
  /** Formats a relative reference for the formula of `host`, as point mode inserts it. */
  readonly formatReference: (range: Range, host: Cell) => string;
  /**
   * The reference with the next of the four combinations of relative and absolute parts, as F4
   * does.
   */
  readonly cycleAbsolute: (address: string, host: Cell) => string;
  /** A reference to `range` whose parts are absolute where those of `address` are. */
  readonly withRange: (address: string, range: Range, host: Cell) => string;
  /**
   * Converts a stored reference, which is in A1 notation, to this notation; `toA1` is the inverse.
   */
  readonly fromA1: (address: string, host: Cell) => string;
  readonly toA1: (address: string, host: Cell) => string;
}

const CELL = "\\$?[A-Za-z]{1,3}\\$?[1-9][0-9]{0,6}";
const COLUMN = "\\$?[A-Za-z]{1,3}";
const ROW = "\\$?[1-9][0-9]{0,6}";

/** A1 notation. */
export const A1: Notation = {
  isR1c1: false,
  area: `(?:${CELL}:${CELL}|${CELL}|${COLUMN}:${COLUMN}|${ROW}:${ROW})`,
  column: columnName,
  cell: cellName,
  range: rangeName,
  parse: (text) => parseRange(text.replaceAll("$", "")),
  formatReference: rangeName,
  cycleAbsolute: (address) => {
    const next = nextAbsolute(dollarsOf(address));
    return address
      .split(":")
      .map((part) => withDollars(part, next))
      .join(":");
  },
  withRange: (address, range) => {
    const parts = address.split(":");
    const written = rangeName(range).split(":");
    return written.map((part, at) => withDollars(part, partDollars(parts[at] ?? parts[0] ?? ""))).join(":");
  },
  fromA1: (address) => address,
  toA1: (address) => address,
};

/** Which parts of a reference are absolute. */
export interface AbsoluteParts {
  readonly column: boolean;
  readonly row: boolean;
}

function dollarsOf(address: string): AbsoluteParts {
  const first = address.split(":")[0] ?? "";
  const isWholeRow = /^\$?\d+$/.test(first);
  return { column: !isWholeRow && first.startsWith("$"), row: /\$\d/.test(first) };
}

/** F4: neither → both → the row → the column → neither. */
export function nextAbsolute({ column, row }: AbsoluteParts): AbsoluteParts {
  if (column && row) {
    return { column: false, row: true };
  }
  if (row) {
    return { column: true, row: false };
  }
  return column ? { column: false, row: false } : { column: true, row: true };
}

function withDollars(part: string, dollars: AbsoluteParts): string {
  const match = /^\$?([A-Za-z]*)\$?(\d*)$/.exec(part);
  const [letters, digits] = [match?.[1] ?? "", match?.[2] ?? ""];
  // References to whole rows or columns have one part, which alternates between relative and
  // absolute.
  const both = letters !== "" && digits !== "";
  const onColumn = both ? dollars.column : dollars.column && dollars.row;
  const onRow = both ? dollars.row : dollars.column && dollars.row;
  return `${letters && onColumn ? "$" : ""}${letters}${digits && onRow ? "$" : ""}${digits}`;
}

function partDollars(part: string): AbsoluteParts {
  return { column: part.startsWith("$"), row: /\$\d/.test(part) };
}

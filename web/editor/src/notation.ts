/** How cells are named: in A1, which everybody begins with, or in R1C1 (`r1c1.ts`, loaded when somebody wants it). */

import { type Cell, cellName, columnName, parseRange, type Range, rangeName } from "@quadrille/grid";

export interface Notation {
  readonly isR1c1: boolean;
  /** What a reference looks like in a formula, without its sheet. */
  readonly area: string;
  /** Over a column. */
  readonly column: (column: number) => string;
  readonly cell: (cell: Cell) => string;
  readonly range: (range: Range) => string;
  /** `host`: the cell that relative references count from. */
  readonly parse: (text: string, host: Cell) => Range | undefined;
  /** As pointing writes it into the formula of `host`. */
  readonly pointed: (range: Range, host: Cell) => string;
  /** The next of the four ways, relative and absolute, to write a reference. */
  readonly cycled: (address: string, host: Cell) => string;
  /** Other cells, as relative and as absolute as `address` was. */
  readonly moved: (address: string, range: Range, host: Cell) => string;
  /** A reference as it is stored, in A1, written in this notation, and back. */
  readonly fromA1: (address: string, host: Cell) => string;
  readonly toA1: (address: string, host: Cell) => string;
}

const CELL = "\\$?[A-Za-z]{1,3}\\$?[1-9][0-9]{0,6}";
const COLUMN = "\\$?[A-Za-z]{1,3}";
const ROW = "\\$?[1-9][0-9]{0,6}";

export const A1: Notation = {
  isR1c1: false,
  area: `(?:${CELL}:${CELL}|${CELL}|${COLUMN}:${COLUMN}|${ROW}:${ROW})`,
  column: columnName,
  cell: cellName,
  range: rangeName,
  parse: (text) => parseRange(text.replaceAll("$", "")),
  pointed: rangeName,
  cycled: (address) => {
    const next = nextFixed(dollarsOf(address));
    return address
      .split(":")
      .map((part) => withDollars(part, next))
      .join(":");
  },
  moved: (address, range) => {
    const parts = address.split(":");
    const written = rangeName(range).split(":");
    return written.map((part, at) => withDollars(part, partDollars(parts[at] ?? parts[0] ?? ""))).join(":");
  },
  fromA1: (address) => address,
  toA1: (address) => address,
};

/** Which of the two is absolute. */
export interface Fixed {
  readonly column: boolean;
  readonly row: boolean;
}

function dollarsOf(address: string): Fixed {
  const first = address.split(":")[0] ?? "";
  const isWholeRow = /^\$?\d+$/.test(first);
  return { column: !isWholeRow && first.startsWith("$"), row: /\$\d/.test(first) };
}

/** F4: neither → both → the row → the column → neither. */
export function nextFixed({ column, row }: Fixed): Fixed {
  if (column && row) {
    return { column: false, row: true };
  }
  if (row) {
    return { column: true, row: false };
  }
  return column ? { column: false, row: false } : { column: true, row: true };
}

function withDollars(part: string, dollars: Fixed): string {
  const match = /^\$?([A-Za-z]*)\$?(\d*)$/.exec(part);
  const [letters, digits] = [match?.[1] ?? "", match?.[2] ?? ""];
  // Whole rows and columns have one of the two: it takes turns by itself.
  const both = letters !== "" && digits !== "";
  const onColumn = both ? dollars.column : dollars.column && dollars.row;
  const onRow = both ? dollars.row : dollars.column && dollars.row;
  return `${letters && onColumn ? "$" : ""}${letters}${digits && onRow ? "$" : ""}${digits}`;
}

function partDollars(part: string): Fixed {
  return { column: part.startsWith("$"), row: /\$\d/.test(part) };
}

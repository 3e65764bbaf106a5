/** Texts for screen readers. The client passes translated ones; `ENGLISH` is the default. */

import { type Cell, cellName, columnName } from "./address.ts";

/** Texts of the accessibility tree, and the column headers. */
export interface GridDescriptions {
  /** Header of a column, drawn and announced. */
  readonly column: (column: number) => string;
  /** The reference of a cell, announced after the contents of the active one. */
  readonly cell: (cell: Cell) => string;
  /** Header of the column of row numbers. */
  readonly row: string;
  readonly checked: string;
  readonly notChecked: string;
  /** A rating by stars; `undefined` if the cell is blank. */
  readonly rating: (stars: number | undefined) => string;
  readonly hasComments: string;
  readonly fromList: string;
  readonly button: string;
  readonly field: string;
  /** The value violates the cell's data validation. */
  readonly isInvalid: string;
  readonly isHere: (name: string) => string;
  readonly note: (text: string) => string;
  readonly link: (url: string) => string;
  /** A sparkline of these numbers; `null` is a gap. */
  readonly spark: (values: readonly (number | null)[]) => string;
}

export const ENGLISH: GridDescriptions = {
  column: columnName,
  cell: cellName,
  row: "Row",
  checked: "checked",
  notChecked: "not checked",
  rating: (stars = 0) => `${stars} of 5 stars`,
  hasComments: "has comments",
  fromList: "has a dropdown list",
  button: "is a button",
  field: "is a text box",
  isInvalid: "invalid data",
  isHere: (name) => `${name} is here`,
  note: (text) => `note: ${text}`,
  link: (url) => `link to ${url}`,
  spark: (values) => `sparkline of ${values.filter((value) => value !== null).join(", ")}`,
};

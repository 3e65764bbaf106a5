import { columnName } from "./address.ts";

/** What a screen reader is told of cells, in the words of the page; the page has them in every language. */
export interface GridDescriptions {
  /** What stands over a column, drawn as well as spoken. */
  readonly column: (column: number) => string;
  /** Over the row numbers. */
  readonly row: string;
  readonly checked: string;
  readonly notChecked: string;
  readonly hasComments: string;
  readonly fromList: string;
  /** The value breaks the cell's rule. */
  readonly isInvalid: string;
  readonly isHere: (name: string) => string;
  readonly note: (text: string) => string;
  readonly link: (url: string) => string;
  /** A small chart of these numbers. */
  readonly spark: (values: readonly (number | null)[]) => string;
}

export const ENGLISH: GridDescriptions = {
  column: columnName,
  row: "Row",
  checked: "checked",
  notChecked: "not checked",
  hasComments: "has comments",
  fromList: "chosen from a list",
  isInvalid: "not allowed by its rule",
  isHere: (name) => `${name} is here`,
  note: (text) => `note: ${text}`,
  link: (url) => `link to ${url}`,
  spark: (values) => `small chart of ${values.filter((value) => value !== null).join(", ")}`,
};

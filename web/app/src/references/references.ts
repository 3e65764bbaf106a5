/** Parses references to cells: `B2`, `A:C`, `Sheet2!B2`, `'My sheet'!A1:B9`. */

import { type Cell, parseRange, type Range } from "@quadrille/grid";
import type { SheetTab } from "@quadrille/protocol";

/** A range, optionally on another sheet. */
export interface CellReference {
  /** `undefined` for the current sheet. */
  readonly sheet: number | undefined;
  readonly range: Range;
}

/**
 * Parses a reference; `undefined` if it is not one or its sheet does not exist. `read` parses the
 * part without the sheet.
 */
export function parseReference(text: string, sheets: readonly SheetTab[], read = parseRange): CellReference | undefined {
  const [, quoted, plain, cells = ""] = /^\s*=?(?:'((?:[^']|'')+)'!|([^'!]+)!)?\s*(\S+)\s*$/.exec(text) ?? [];
  const range = read(cells.replaceAll("$", ""));
  const name = (quoted?.replaceAll("''", "'") ?? plain)?.trim().toLowerCase();
  const sheet = name === undefined ? undefined : sheets.find((tab) => tab.name.toLowerCase() === name);
  return range && (name === undefined || sheet) ? { sheet: sheet?.id, range } : undefined;
}

/** A range as an absolute reference with its sheet, for the definition of a name. */
export function absoluteName(sheetName: string, range: string): string {
  return `${sheetPrefix(sheetName)}!${absoluteRange(range)}`;
}

/** A range as an absolute reference within its sheet. */
export function absoluteRange(range: string): string {
  return range.replace(/([A-Z]+)/g, "$$$1").replace(/(\d+)/g, "$$$1");
}

/** The cell of a range that is one cell. */
export function onlyCell(range: Range | undefined): Cell | undefined {
  return range && range.top === range.bottom && range.left === range.right ? { row: range.top, column: range.left } : undefined;
}

/** A sheet name as it is written before `!`. */
export function sheetPrefix(sheetName: string): string {
  const needsQuotes = !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(sheetName) || /^[a-z]{1,3}\d+$/i.test(sheetName);
  return needsQuotes ? `'${sheetName.replaceAll("'", "''")}'` : sheetName;
}

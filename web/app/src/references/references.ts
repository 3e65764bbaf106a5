/** Places in a workbook as people write them: `B2`, `A:C`, `Sheet2!B2`, `'My sheet'!A1:B9`. */

import { parseRange, type Range } from "@quadrille/grid";
import type { SheetTab } from "@quadrille/protocol";

export interface CellReference {
  /** `undefined`: the sheet that is open. */
  readonly sheet: number | undefined;
  readonly range: Range;
}

/** `read`: for cells that are written as somebody wants them. */
export function positionOf(text: string, sheets: readonly SheetTab[], read = parseRange): CellReference | undefined {
  const [, quoted, plain, cells = ""] = /^\s*=?(?:'((?:[^']|'')+)'!|([^'!]+)!)?\s*(\S+)\s*$/.exec(text) ?? [];
  const range = read(cells.replaceAll("$", ""));
  const name = (quoted?.replaceAll("''", "'") ?? plain)?.trim().toLowerCase();
  const sheet = name === undefined ? undefined : sheets.find((tab) => tab.name.toLowerCase() === name);
  return range && (name === undefined || sheet) ? { sheet: sheet?.id, range } : undefined;
}

/** `A1:B2` as a name's definition: bound to its sheet and its cells. */
export function absoluteName(sheetName: string, range: string): string {
  return `${sheetPrefix(sheetName)}!${range.replace(/([A-Z]+)/g, "$$$1").replace(/(\d+)/g, "$$$1")}`;
}

/** A sheet's name as it stands before `!`. */
export function sheetPrefix(sheetName: string): string {
  const needsQuotes = !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(sheetName) || /^[a-z]{1,3}\d+$/i.test(sheetName);
  return needsQuotes ? `'${sheetName.replaceAll("'", "''")}'` : sheetName;
}

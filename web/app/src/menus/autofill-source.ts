/** What "Autofill" continues. */

import type { Range } from "@quadrille/grid";
import type { RowOfCells } from "@quadrille/protocol";

/**
 * The cells at the start of the range that are continued into the blank cells after them: the rows
 * down to the last one with contents, or if there are no blank rows below, the columns.
 */
export function autofillSource(range: Range, rows: readonly RowOfCells[]): Range | undefined {
  let last: { row: number; column: number } | undefined;
  for (const { row, cells } of rows) {
    const column = cells.findLastIndex(({ value, formula }) => value !== undefined || formula !== undefined);
    if (column >= 0) {
      last = { row, column: Math.max(last?.column ?? 0, range.left + column) };
    }
  }
  if (last && last.row < range.bottom) {
    return { ...range, bottom: last.row };
  }
  return last && last.column < range.right ? { ...range, right: last.column } : undefined;
}

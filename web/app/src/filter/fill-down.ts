/** Fill down (Ctrl+D), also over rows that the user has sorted in their own view. */

import { type Range, rangeName, rowCount } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";
import { intoVisibleRows } from "./visible-rows.ts";

/** Copies the first selected row into the others; with one selected row, the row above into it. */
export function fillDown(model: WorkbookModel): void {
  const { grid, range } = model;
  const sorted = grid?.sortedSelection;
  const [first, ...others] = sorted?.rows ?? [];
  if (sorted && first !== undefined) {
    fillRows(model, { top: first, bottom: first, left: sorted.left, right: sorted.right }, others);
    return;
  }
  const isSortedRow = grid?.order?.touches(range) === true && rowCount(range) === 1;
  const above = isSortedRow ? grid.stepFrom({ row: range.top, column: range.left }, -1, 0).row : range.top;
  if (above === range.top) {
    model.eachRange((part, sheet) => ({ type: "fillDown", sheet, range: part }));
  } else {
    fillRows(model, { ...range, top: above, bottom: above }, [range.top]);
  }
}

/** Fills these rows from one row. */
function fillRows(model: WorkbookModel, source: Range, rows: readonly number[]): void {
  const sheet = model.sheetId();
  const target = { ...source, bottom: source.top + rows.length };
  const fill = { type: "fill", sheet, source: rangeName(source), target: rangeName(target), mode: "copy" } as const;
  model.command(intoVisibleRows(sheet, source.top + 1, fill, rows));
}

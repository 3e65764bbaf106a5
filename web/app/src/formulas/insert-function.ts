/** Inserting functions from the toolbar or the list. */

import { clampCell, isSingleCell, isWholeColumns, isWholeRows, rowCount, selectCell } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";
import { functionName, notation } from "../settings/index.ts";

/**
 * Starts a formula with a function, given by its English name. For a selected range, the formula goes into the next cell below
 * or beside the range and refers to it.
 */
export function insertFunction(model: WorkbookModel, englishName: string): void {
  const name = functionName(englishName);
  model.cellEdit.commit();
  const { range } = model;
  if (isSingleCell(model.selection()) || isWholeColumns(range) || isWholeRows(range)) {
    model.cellEdit.startWith(`=${name}(`);
    model.focusCells();
    queueMicrotask(() => model.cellEdit.placeCaret(name.length + 2, "cell"));
    return;
  }
  const isRow = rowCount(range) === 1;
  const cell = isRow ? clampCell(range.top, range.right + 1) : clampCell(range.bottom + 1, range.left);
  const source = isRow ? range : { ...range, right: range.left };
  model.grid?.select(selectCell(cell));
  model.cellEdit.startWith(`=${name}(${notation().formatReference(source, cell)})`);
  model.focusCells();
}

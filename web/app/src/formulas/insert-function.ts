/** Inserting functions from the toolbar or the list. */

import { clampCell, columnCount, isSingleCell, isWholeColumns, isWholeRows, type Range, rangeName, rowCount, selectCell } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";
import { functionName, notation } from "../settings/index.ts";
import { isBlankRange, numbersBeside, wholeBlock } from "./numbers-beside.ts";

/** Functions that are usually for the numbers beside them. */
const AGGREGATES: ReadonlySet<string> = new Set(["SUM", "AVERAGE", "COUNT", "COUNTA", "MAX", "MIN", "MEDIAN", "PRODUCT"]);

/**
 * Starts a formula with a function, given by its English name. An aggregate gets the numbers above or beside the cell. For a
 * selected range, the formula goes into the last cell if that is blank, otherwise into the next one below or beside the range;
 * for several columns, all of them get one at once.
 */
export function insertFunction(model: WorkbookModel, englishName: string): void {
  const name = functionName(englishName);
  model.cellEdit.commit();
  const { range } = model;
  if (isSingleCell(model.selection()) || isWholeColumns(range) || isWholeRows(range)) {
    startFunction(model, name, AGGREGATES.has(englishName));
    return;
  }
  const { source, target } = rowCount(range) === 1 ? beside(model, range) : below(model, range);
  const cell = { row: target.top, column: target.left };
  const formula = `=${name}(${notation().formatReference({ ...source, right: target.left === source.left ? source.left : source.right }, cell)})`;
  if (columnCount(target) > 1 && isBlankRange(model, target)) {
    model.command({ type: "typeEverywhere", sheet: model.sheetId(), range: rangeName(target), text: formula });
    model.focusCells();
    return;
  }
  model.grid?.select(selectCell(cell));
  model.cellEdit.startWith(formula);
  model.focusCells();
}

/** Starts the formula in the active cell; `proposes` the numbers beside it as the argument that is pointed at. */
function startFunction(model: WorkbookModel, name: string, proposes: boolean): void {
  const { active } = model.selection();
  model.cellEdit.startWith(`=${name}(`);
  model.focusCells();
  queueMicrotask(() => {
    model.cellEdit.placeCaret(name.length + 2, "cell");
    const found = proposes ? numbersBeside(model, active) : undefined;
    if (found?.beyond) {
      model.keys.waitForAnswer(wholeBlock(model, found), (range) => model.cellEdit.pointAt(range));
    } else if (found) {
      model.cellEdit.pointAt(found.range);
    }
  });
}

/** The arguments of functions for a row of cells, and where the result goes. */
function beside(model: WorkbookModel, range: Range): { source: Range; target: Range } {
  const last = { ...range, left: range.right };
  if (isBlankRange(model, last)) {
    return { source: { ...range, right: range.right - 1 }, target: last };
  }
  const { column } = clampCell(range.top, range.right + 1);
  return { source: range, target: { ...range, left: column, right: column } };
}

/** The arguments of functions for columns of cells, and where the results go. */
function below(model: WorkbookModel, range: Range): { source: Range; target: Range } {
  const last = { ...range, top: range.bottom };
  if (isBlankRange(model, last)) {
    return { source: { ...range, bottom: range.bottom - 1 }, target: last };
  }
  const { row } = clampCell(range.bottom + 1, range.left);
  return { source: range, target: { ...range, top: row, bottom: row } };
}

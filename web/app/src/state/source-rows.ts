/** The rows behind a value of a pivot table. */

import { type Cell, rangeName } from "@quadrille/grid";
import type { WorkbookModel } from "./workbook-model.ts";

/**
 * Copies the rows of the source behind a value of a pivot table to a new sheet. Returns whether the
 * cell is such a value.
 */
export async function showSourceRows(model: WorkbookModel, cell: Cell): Promise<boolean> {
  const rows = await model.session.query({ type: "pivotSourceRows", sheet: model.sheetId(), cell });
  if (rows) {
    const { sheet: fromSheet, source, excluded: leavingOut } = rows;
    model.runAndOpenSheet({ type: "copyToNewSheet", fromSheet, source: rangeName(source), leavingOut, position: model.nextPosition() });
  }
  return rows !== null;
}

/** Edits a cell, or shows the rows behind a value of a pivot table, which cannot be edited. */
export function editOrShowRows(model: WorkbookModel, cell: Cell): void {
  if (model.items.ofKind("pivotTable").length === 0) {
    model.cellEdit.start(cell);
    return;
  }
  const shown = showSourceRows(model, cell).then((isValue) => {
    if (!isValue) {
      model.cellEdit.start(cell);
    }
  });
  // Keys typed meanwhile are for the cell that is edited then.
  model.keys.waitFor(shown);
}

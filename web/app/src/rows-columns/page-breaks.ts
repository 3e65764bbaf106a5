/** Manual page breaks: inserted before, and removed from, the selected row and column. */

import { COLUMNS_MAX, isWholeColumns, isWholeRows, rangeName, ROWS_MAX } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";

/**
 * The rows and columns before which a page break is inserted, as anchors: of selected rows the first
 * one, of selected columns the first one, of cells both. Nothing is before the first row and column.
 */
function breaksAtSelection(model: WorkbookModel): readonly string[] {
  const { range } = model;
  const { row, column } = isWholeRows(range) || isWholeColumns(range) ? { row: range.top, column: range.left } : model.selection().active;
  const rows = row > 0 ? [rangeName({ top: row, bottom: row, left: 0, right: COLUMNS_MAX - 1 })] : [];
  const columns = column > 0 ? [rangeName({ left: column, right: column, top: 0, bottom: ROWS_MAX - 1 })] : [];
  return [...rows, ...columns];
}

/** Whether there is no page break yet somewhere at the selection. */
export function canInsertPageBreak(model: WorkbookModel): boolean {
  const existing = new Set(model.items.ofKind("pageBreak").map(({ anchors }) => anchors[0]));
  return breaksAtSelection(model).some((anchor) => !existing.has(anchor));
}

/** Whether a page break is at the selection. */
export function hasPageBreak(model: WorkbookModel): boolean {
  const anchors = breaksAtSelection(model);
  return model.items.ofKind("pageBreak").some((item) => anchors.includes(item.anchors[0] ?? ""));
}

/** Inserts page breaks before the selected row and column, as Excel does. */
export function insertPageBreak(model: WorkbookModel): void {
  const existing = new Set(model.items.ofKind("pageBreak").map(({ anchors }) => anchors[0]));
  const sheet = model.sheetId();
  const missing = breaksAtSelection(model).filter((anchor) => !existing.has(anchor));
  const commands = missing.map((anchor): Command => ({ type: "setItem", sheet, item: newItemId(), kind: "pageBreak", anchors: [anchor], fields: {} }));
  model.command({ type: "many", commands });
  model.toast(t("The page break is inserted. File → Print shows the pages."), false, { icon: "info" });
  model.focusCells();
}

/** Removes the page breaks before the selected row and column. */
export function removePageBreak(model: WorkbookModel): void {
  const anchors = breaksAtSelection(model);
  const removed = model.items.ofKind("pageBreak").filter((item) => anchors.includes(item.anchors[0] ?? ""));
  const sheet = model.sheetId();
  model.command({ type: "many", commands: removed.map(({ id }): Command => ({ type: "removeItem", sheet, item: id })) });
  model.focusCells();
}

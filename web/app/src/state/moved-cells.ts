/** Keeps selection and edit at their cells when others move these. */

import { rangeOf, shiftRange, shiftSelection } from "@quadrille/grid";
import type { Notice } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";

/** Moves selection and edit when others, not this page, insert, delete or move rows or columns. */
export function moveWithCells(model: WorkbookModel, moved: Notice & { type: "moved" }): void {
  const { grid, cellEdit } = model;
  if (moved.isOwn || moved.sheet !== model.sheet() || !grid) {
    return;
  }
  const selection = shiftSelection(grid.selection, moved);
  model.following.moveWithoutStopping(() => grid.select(selection, "none"));
  const edit = cellEdit.edit();
  const range = edit && shiftRange(rangeOf(edit.cell), moved);
  if (range) {
    cellEdit.moveTo({ row: range.top, column: range.left });
  } else if (edit) {
    cellEdit.cancel();
    model.toast(t("Someone else deleted the cell you were editing."), true);
  }
  model.clipboard.forget();
}

/**
 * EtherCalc's view `/{room}/app`: the sheet as a form, without menus, headers and gridlines, and
 * with only the panels that the formulas `PANEL` and `SPLASH` show.
 */

import { selectCell } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/** Whether the query string of a page asks for this view, as the redirect of `/{room}/app` does. */
export function asksForAppView(search: string): boolean {
  return new URLSearchParams(search).has("app");
}

/** Whether this page is that view. */
export const isAppView = typeof location !== "undefined" && asksForAppView(location.search);

/** Lets a workbook that was opened show its panels only. */
export function startAppView(model: WorkbookModel): void {
  if (isAppView) {
    model.session.send({ type: "showPanels" });
  }
}

/** Moves the selection to the first cell that is shown when a panel has hidden the active one. */
export function selectShownCell(model: WorkbookModel): void {
  const view = model.grid?.view;
  const { row, column } = model.selection().active;
  if (view && (view.rows.isHidden(row) || view.columns.isHidden(column))) {
    const shown = { row: view.rows.indexAt(0), column: view.columns.indexAt(0) };
    // Nothing is shown, or the view is being laid out.
    if (!view.rows.isHidden(shown.row) && !view.columns.isHidden(shown.column)) {
      model.grid?.select(selectCell(shown), "none");
    }
  }
}

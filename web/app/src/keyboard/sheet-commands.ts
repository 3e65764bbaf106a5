/** Keys for formats, rows, columns and sheets, and those that open dialogs and panels; loaded later. */

import type { Action } from "@quadrille/editor";
import { isWholeColumns } from "@quadrille/grid";
import { fillByExample } from "../data-cleanup/index.ts";
import { fillDown, filterAt, forVisibleRows } from "../filter/index.ts";
import { borderCommands } from "../formatting/index.ts";
import { insertFunction } from "../formulas/index.ts";
import { Outline, RowsAndColumns } from "../rows-columns/index.ts";
import { stepSheet } from "../sheets/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { hasList } from "../validation/index.ts";

type WithArguments = "nextSheet" | "toggle" | "numberFormat" | "border" | "moveRowsOrColumns" | "setHidden" | "group" | "collapse" | "align" | "zoom";
type WithoutArguments =
  | "addSheet"
  | "fillDown"
  | "fillRight"
  | "fillByExample"
  | "insertRowsOrColumns"
  | "deleteRowsOrColumns"
  | "pasteSpecial"
  | "sum"
  | "numberFormats"
  | "functions"
  | "table"
  | "link"
  | "comments"
  | "showFormulas"
  | "clearFormats";

/** The actions of these keys. */
export type SheetCommand = Extract<Action, { readonly do: WithArguments | WithoutArguments }>;

/** Runs the action of a key on the selected cells. */
export function runSheetCommand(model: WorkbookModel, action: SheetCommand): void {
  const { keys } = model;
  switch (action.do) {
    case "nextSheet":
      if (action.opensList) {
        openListOrStep(model, action.by);
      } else {
        stepSheet(model, action.by);
      }
      return;
    case "toggle":
      model.toggle(action.attribute);
      return;
    case "numberFormat":
      model.format({ numberFormat: action.code });
      return;
    case "border": {
      const border = { style: "thin" } as const;
      const commands = model.selection().ranges.flatMap((range) => borderCommands(model.sheetId(), range, action.position, border));
      model.command(forVisibleRows(model.sheetId(), { type: "many", commands }));
      return;
    }
    case "addSheet":
      model.addSheet();
      return;
    case "fillDown":
      fillDown(model);
      return;
    case "fillRight":
      model.eachRange((range, sheet) => ({ type: "fillRight", sheet, range }));
      return;
    case "fillByExample":
      keys.waitFor(fillByExample(model));
      return;
    case "insertRowsOrColumns":
      new RowsAndColumns(model).insert(isWholeColumns(model.range) ? "columns" : "rows", "before");
      return;
    case "moveRowsOrColumns":
      new RowsAndColumns(model).moveSelected(action.dimension, action.by);
      return;
    case "deleteRowsOrColumns":
      new RowsAndColumns(model).remove(isWholeColumns(model.range) ? "columns" : "rows");
      return;
    case "pasteSpecial":
      model.openDialog("pasteSpecial");
      return;
    case "sum":
      insertFunction(model, "SUM");
      return;
    case "numberFormats":
      model.openDialog("numberFormat");
      return;
    case "functions":
    case "table":
    case "link":
      model.openDialog(action.do);
      return;
    case "comments":
      model.openPanel("comments");
      return;
    case "setHidden": {
      const { top, left, bottom, right } = model.range;
      const [first, last] = action.dimension === "rows" ? [top, bottom] : [left, right];
      const count = last - first + 1;
      const { dimension, hidden } = action;
      const sheet = model.sheetId();
      model.command(forVisibleRows(sheet, { type: "setHidden", sheet, dimension, first, count, hidden }));
      return;
    }
    case "group":
      if (action.isGrouped) {
        new Outline(model).group();
      } else {
        new Outline(model).ungroup();
      }
      return;
    case "collapse":
      new Outline(model).setCollapsed(action.isCollapsed);
      return;
    case "showFormulas":
      model.showFormulas(!model.showsFormulas());
      return;
    case "align":
      model.format({ horizontal: action.to });
      return;
    case "clearFormats":
      model.clear("formats");
      return;
    case "zoom":
      model.setZoom(action.by === 0 ? 1 : model.zoom() + action.by);
      return;
    default:
      action satisfies never;
  }
}

/** Opens the list or filter of the active cell; without one, goes to another sheet. */
function openListOrStep(model: WorkbookModel, by: number): void {
  const { active } = model.selection();
  // Waits for pending rules, which are not displayed yet.
  model.keys.waitForAnswer(model.items.settled(), () => {
    if (hasList(model, active) || model.grid?.markOf(active)?.control === "list") {
      model.controlPressed(active, "list");
    } else if (model.grid?.markOf(active)?.rating !== undefined) {
      model.controlPressed(active, "rating");
    } else if (filterAt(model, active.row, active.column)) {
      model.controlPressed(active, "filter");
    } else {
      stepSheet(model, by);
    }
  });
}

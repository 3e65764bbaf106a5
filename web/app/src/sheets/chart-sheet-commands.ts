/** Commands on chart sheets, which must not change the hidden cells by accident. */

import type { Command } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { isChartSheet } from "./chart-sheet.ts";

/** Whether the current sheet shows cells; if not, says so. */
export function checkShowsCells(model: WorkbookModel): boolean {
  const isChart = isChartSheet(model);
  if (isChart) {
    model.toast(t("This sheet shows a chart. To edit cells, open another sheet or move the chart to one."), false, { icon: "info" });
  }
  return !isChart;
}

/** Whether a command leaves the hidden cells of the current chart sheet as they are; if not, says so. */
export function checkKeepsCells(model: WorkbookModel, command: Command): boolean {
  return !changesCells(command, model.sheetId()) || checkShowsCells(model);
}

/** Whether a command changes the cells of a sheet, or adds something to them. */
function changesCells(command: Command, sheet: number): boolean {
  switch (command.type) {
    case "many":
      return command.commands.some((each) => changesCells(each, sheet));
    case "inSight":
      return changesCells(command.command, sheet);
    case "setItem":
      // New items other than protections are over cells.
      return command.sheet === sheet && command.kind !== undefined && command.kind !== "protectedRange";
    case "addSheet":
    case "copyToNewSheet":
    case "renameSheet":
    case "moveSheet":
    case "removeSheet":
    case "duplicateSheet":
    case "moveChart":
    case "removeItem":
    case "defineName":
    case "filterBySlicer":
    case "acceptSuggestions":
    case "rejectSuggestions":
      return false;
    case "suggest":
      return changesCells(command.command, sheet);
    default:
      return command.sheet === sheet;
  }
}

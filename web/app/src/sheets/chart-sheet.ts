/** Chart sheets: sheets that show a chart instead of their cells. Such a chart has the field `ownSheet`. */

import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** Whether the current sheet is a chart sheet. */
export function isChartSheet(model: WorkbookModel): boolean {
  return model.sheets().find(({ id }) => id === model.sheet())?.isChart === true;
}

/** The chart that the current sheet shows instead of its cells, once it is known. */
export function ownSheetChart(model: WorkbookModel): ItemDetails | undefined {
  return isChartSheet(model) ? model.items.ofKind("chart").find(({ fields }) => fields["ownSheet"] === true) : undefined;
}

/** Moves the focus to the chart of the current sheet; until the chart is drawn, away from what had it. */
export function focusOwnSheetChart(): void {
  const frame = document.querySelector<HTMLElement>(".drawing-frame.is-own-sheet");
  if (frame) {
    frame.focus({ preventScroll: true });
  } else if (document.activeElement instanceof HTMLElement) {
    document.activeElement.blur();
  }
}

/** Sheets whose tabs are out of sight, for everybody, and the way past them. */

import type { SheetTab } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** The sheet beside the open one, of those in sight. */
function neighbour(model: WorkbookModel, by: number): number | undefined {
  const sheets = model.sheets().filter(({ id, isHidden }) => !isHidden || id === model.sheet());
  return sheets[sheets.findIndex(({ id }) => id === model.sheet()) + by]?.id;
}

export function stepSheet(model: WorkbookModel, by: number): void {
  const next = neighbour(model, by);
  if (next !== undefined) {
    model.openSheet(next);
  }
}

/** Another one is shown here instead. */
export function hideSheet(model: WorkbookModel, sheet: number): void {
  if (sheet === model.sheet()) {
    const next = neighbour(model, 1) ?? neighbour(model, -1);
    if (next === undefined) {
      return;
    }
    model.openSheet(next);
  }
  model.items.patch(0, { hidden: true }, sheet);
}

/** One that was hidden is in sight again. */
export function openHidden(model: WorkbookModel, { id, isHidden }: SheetTab): void {
  if (isHidden && model.canType()) {
    model.items.patch(0, { hidden: null }, id);
  }
  model.openSheet(id);
}

/** Sheets whose tabs are out of sight, for everybody. */

import type { SheetTab } from "@quadrille/protocol";
import type { WorkbookModel } from "./model.ts";

/** Another one is shown here instead. */
export function hideSheet(model: WorkbookModel, sheet: number): void {
  if (sheet === model.sheet()) {
    const next = model.neighbour(1) ?? model.neighbour(-1);
    if (next === undefined) {
      return;
    }
    model.openSheet(next);
  }
  model.items.patch(0, { hidden: true }, sheet);
}

/** One that was hidden is in sight again. */
export function openHidden(model: WorkbookModel, { id, isHidden }: SheetTab): void {
  if (isHidden && model.mayType()) {
    model.items.patch(0, { hidden: null }, id);
  }
  model.openSheet(id);
}

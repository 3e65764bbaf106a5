/** Hidden sheets, and switching between visible ones. */

import type { SheetTab } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** The visible sheet at an offset from the open one. */
function neighbour(model: WorkbookModel, by: number): number | undefined {
  const sheets = model.sheets().filter(({ id, isHidden }) => !isHidden || id === model.sheet());
  return sheets[sheets.findIndex(({ id }) => id === model.sheet()) + by]?.id;
}

/** Opens the next or previous visible sheet. */
export function stepSheet(model: WorkbookModel, by: number): void {
  const next = neighbour(model, by);
  if (next !== undefined) {
    model.openSheet(next);
  }
}

/** Hides a sheet; if it is open, another one is opened. */
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

/** Opens a sheet and unhides it if it was hidden. */
export function openAndUnhide(model: WorkbookModel, { id, isHidden }: SheetTab): void {
  if (isHidden && model.canType()) {
    model.items.patch(0, { hidden: null }, id);
  }
  model.openSheet(id);
}

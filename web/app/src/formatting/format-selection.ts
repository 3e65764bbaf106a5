/** Formats the selected letters of an edited text, or the selected cells. */

import { rangeName, rangeOf } from "@quadrille/grid";
import type { Command, FormatChange } from "@quadrille/protocol";
import type { FontToggle } from "../editing/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { withLaterParts } from "../workbook/index.ts";

/** Changes format attributes; for cells, after the commands `first` in the same undo step. */
export function formatSelection(model: WorkbookModel, format: FormatChange, first?: readonly Command[]): void {
  if (model.cellEdit.formatSelection(format)) {
    return;
  }
  model.cellEdit.commit();
  model.eachRange((range, sheet) => ({ type: "format", sheet, range, format }), first);
  model.focusCells();
}

/** Toggles a format attribute. */
export function toggleSelection(model: WorkbookModel, attribute: FontToggle | "wrap"): void {
  if (model.cellEdit.toggleSelection(attribute)) {
    return;
  }
  model.cellEdit.commit();
  const active = rangeName(rangeOf(model.selection().active));
  model.eachRange((range, sheet) => ({ type: "toggle", sheet, range, attribute, active }));
  withLaterParts(model, ({ speakToggle }) => void speakToggle(model, attribute));
  model.focusCells();
}

/** The format of the active cell, with the font of the selected letters while its text is edited. */
export function selectedFormat(model: WorkbookModel): FormatChange {
  return { ...model.selectionDetails.details()?.format, ...model.cellEdit.selectedFont() };
}

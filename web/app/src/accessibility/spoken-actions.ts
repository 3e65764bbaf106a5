/** Announces what an action did where only the picture shows it. */

import { rangeOf, sameCell, sameRange } from "@quadrille/grid";
import type { FontToggle } from "../editing/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Time after the last change of a selection until it is announced: keys and the pointer change it many times. */
const SELECTION_PAUSE_MS = 400;

/** Of the announcement of a selection or a place. */
let timer = 0;
let hasNewSheet = false;

/** Announces whether the active cell has the attribute after a change of it. */
export async function speakToggle(model: WorkbookModel, attribute: FontToggle | "wrap"): Promise<void> {
  const names = { bold: t("Bold"), italic: t("Italic"), underline: t("Underline"), strikethrough: t("Strikethrough"), wrap: t("Wrap text") };
  const format = names[attribute];
  // The worker handles messages in order, so the answer is that after the change.
  const changed = await model.session.query({ type: "cell", sheet: model.sheetId(), cell: model.selection().active });
  model.announcer.announce(changed.format[attribute] === true ? t("{format} on", { format }) : t("{format} off", { format }));
}

/** Announces that the last change is undone, or done again. */
export function speakHistory(model: WorkbookModel, type: "undo" | "redo"): void {
  const { canUndo, canRedo } = model.history();
  if (!(type === "undo" ? canUndo : canRedo)) {
    return;
  }
  model.announcer.announce(type === "undo" ? t("Undone") : t("Redone"));
}

/** Announces the selected ranges, if they are more than the active cell, which is announced as such. */
export function speakSelection(model: WorkbookModel): void {
  announceLater(model, () => selectedRanges(model));
}

/**
 * Announces where a jump has led: the sheet if it is another one, and the selected ranges or the active cell.
 * Screen readers are told of cells that become active with the focus or with the sheet, but not all say so.
 */
export function speakPlace(model: WorkbookModel, isNewSheet: boolean): void {
  hasNewSheet ||= isNewSheet;
  const { active } = model.selection();
  announceLater(model, () => {
    if (!sameCell(active, model.selection().active) || model.cellEdit.edit()) {
      return undefined; // the user has gone on
    }
    const cells = selectedRanges(model) ?? `${notation().cell(active)} ${model.textOf(active)}`;
    return hasNewSheet ? `${model.sheetName()}, ${cells}` : cells;
  });
}

/** Announces a text after a pause, unless something else is announced in it. */
function announceLater(model: WorkbookModel, text: () => string | undefined): void {
  const before = model.announcer.text();
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    const found = model.announcer.text() === before ? text() : undefined;
    hasNewSheet = false;
    if (found !== undefined) {
      model.announcer.announce(found);
    }
  }, SELECTION_PAUSE_MS);
}

/** The selected ranges; `undefined` if they are the active cell alone. */
function selectedRanges(model: WorkbookModel): string | undefined {
  const { ranges, active } = model.selection();
  const isCell = ranges.every((range) => sameRange(range, rangeOf(active)));
  return isCell ? undefined : t("{cells} selected", { cells: ranges.map(notation().range).join(", ") });
}

/** Announces what an action did where only the picture shows it. */

import { rangeOf, sameRange } from "@quadrille/grid";
import type { FontToggle } from "../editing/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Time after the last change of a selection until it is announced: keys and the pointer change it many times. */
const SELECTION_PAUSE_MS = 400;

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

let timer = 0;

/** Announces the selected ranges, if they are more than the active cell, which is announced as such. */
export function speakSelection(model: WorkbookModel): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    const { ranges, active } = model.selection();
    if (!ranges.every((range) => sameRange(range, rangeOf(active)))) {
      model.announcer.announce(t("{cells} selected", { cells: ranges.map(notation().range).join(", ") }));
    }
  }, SELECTION_PAUSE_MS);
}

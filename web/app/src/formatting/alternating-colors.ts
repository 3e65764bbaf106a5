/** The command "Alternating colors". */

import { contains, parseRange, rangeName } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/**
 * Colors alternating rows of the filled region around the active cell, or removes the existing
 * alternating colors.
 */
export async function alternateRows(model: WorkbookModel): Promise<void> {
  const { active } = model.selection();
  const existing = (await model.items.settled()).find((item) => {
    const range = parseRange(item.anchors[0] ?? "");
    return item.kind === "alternatingColors" && range !== undefined && contains(range, active);
  });
  if (existing) {
    model.items.remove(existing.id);
    return;
  }
  const range = await model.dataRange();
  model.command({
    type: "setItem",
    sheet: model.sheetId(),
    kind: "alternatingColors",
    anchors: [rangeName(range)],
    fields: { headerColor: "#8fd3c1", firstColor: "#ffffff", secondColor: "#e6f3ef" },
  });
}

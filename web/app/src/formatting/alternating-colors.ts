/** Rows in two colours, over the filled block round the active cell; once more takes them away. */

import { contains, parseRange, rangeName } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

export async function alternateRows(model: WorkbookModel): Promise<void> {
  const { active } = model.selection();
  const known = (await model.items.settled()).find((item) => {
    const range = parseRange(item.anchors[0] ?? "");
    return item.kind === "alternatingColors" && range !== undefined && contains(range, active);
  });
  if (known) {
    model.items.remove(known.id);
    return;
  }
  const range = await model.rangeToSort();
  model.command({
    type: "setItem",
    sheet: model.sheetId(),
    kind: "alternatingColors",
    anchors: [rangeName(range)],
    fields: { headerColor: "#8fd3c1", firstColor: "#ffffff", secondColor: "#e6f3ef" },
  });
}

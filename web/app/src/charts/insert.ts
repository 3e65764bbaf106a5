/** A new chart. */

import { rangeName } from "@quadrille/grid";
import { newItemId } from "../workbook/items.ts";
import type { WorkbookModel } from "../workbook/model.ts";
import { recogniseBlock, seriesOf, values } from "./series.ts";

/** Puts a chart of the selected cells, or of the block round the active one, to the right of them. */
export async function insertChart(model: WorkbookModel): Promise<void> {
  const range = await model.rangeToSort();
  const block = await recogniseBlock(model, range);
  const item = newItemId();
  const at = model.grid?.view.visible;
  const row = at && range.top < at.top ? at.top : range.top;
  model.command({
    type: "setItem",
    sheet: model.sheetId(),
    item,
    kind: "chart",
    anchors: [rangeName({ top: row, bottom: row, left: range.right + 1, right: range.right + 1 })],
    fields: { type: "column", series: values(seriesOf(block)), offsetX: 16, offsetY: 8 },
  });
  model.selectChart(item);
  model.openPanel("chart");
}

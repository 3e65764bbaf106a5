/** Inserts charts. */

import { rangeName } from "@quadrille/grid";
import { checkShowsCells } from "../sheets/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { readBlock } from "./data-block.ts";
import { suggestionFields, suggestCharts } from "./suggestions.ts";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";

const GAP_PX = 16;
/**
 * Minimum width of a new chart. On a screen narrower than the default size a chart is narrowed to
 * fit.
 */
const WIDTH_MIN_PX = 240;

/**
 * Inserts the chart that suits the selected cells best, or the filled region around the active cell, and
 * opens its panel.
 */
export async function insertChart(model: WorkbookModel): Promise<void> {
  if (!checkShowsCells(model)) {
    return;
  }
  const range = await model.dataRange();
  const [suggestion] = suggestCharts(await readBlock(model, range));
  const item = newItemId();
  const visible = model.grid?.view.visible;
  const row = visible && range.top < visible.top ? visible.top : range.top;
  // The chart goes to the right of the cells, or below them when there is no space.
  const beside = model.cellBox({ row, column: range.right + 1 });
  const availablePx = beside ? beside.cells.width - 2 * GAP_PX : DEFAULT_CHART_SIZE.width;
  const isBelow = beside !== undefined && beside.box.x + DEFAULT_CHART_SIZE.width > beside.cells.x + beside.cells.width;
  const [top, left] = isBelow ? [range.bottom + 1, range.left] : [row, range.right + 1];
  model.command({
    type: "setItem",
    sheet: model.sheetId(),
    item,
    kind: "chart",
    anchors: [rangeName({ top, bottom: top, left, right: left })],
    fields: { ...(suggestion && suggestionFields(suggestion)), offsetX: GAP_PX, offsetY: GAP_PX / 2, ...(availablePx < DEFAULT_CHART_SIZE.width && { width: Math.max(WIDTH_MIN_PX, availablePx) }) },
  });
  model.selectItem(item);
  model.openPanel("chart");
}

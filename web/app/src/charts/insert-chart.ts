/** A new chart. */

import { rangeName } from "@quadrille/grid";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { recogniseBlock, seriesOf, values } from "./series.ts";
import { DEFAULT_SIZE } from "./default-size.ts";

const GAP_PX = 16;
/** A phone's screen is narrower than a chart is by default; narrower than this it says nothing. */
const SMALL_PX = 240;

/** Puts a chart of the selected cells, or of the block round the active one, to the right of them. */
export async function insertChart(model: WorkbookModel): Promise<void> {
  const range = await model.rangeToSort();
  const block = await recogniseBlock(model, range);
  const item = newItemId();
  const at = model.grid?.view.visible;
  const row = at && range.top < at.top ? at.top : range.top;
  // To the right of the cells; below them where there is no room for that.
  const beside = model.cellBox({ row, column: range.right + 1 });
  const roomPx = beside ? beside.cells.width - 2 * GAP_PX : DEFAULT_SIZE.width;
  const isBelow = beside !== undefined && beside.box.x + DEFAULT_SIZE.width > beside.cells.x + beside.cells.width;
  const [top, left] = isBelow ? [range.bottom + 1, range.left] : [row, range.right + 1];
  model.command({
    type: "setItem",
    sheet: model.sheetId(),
    item,
    kind: "chart",
    anchors: [rangeName({ top, bottom: top, left, right: left })],
    fields: { type: "column", series: values(seriesOf(block)), offsetX: GAP_PX, offsetY: GAP_PX / 2, ...(roomPx < DEFAULT_SIZE.width && { width: Math.max(SMALL_PX, roomPx) }) },
  });
  model.choose(item);
  model.openPanel("chart");
}

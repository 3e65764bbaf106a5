/** What looks at how the selected cells lie. */

import { isSingleCell, isWholeColumns, type Range } from "@quadrille/grid";
import type { WorkbookModel } from "./workbook-model.ts";

/** The selected rows, or the filled block round the active cell; whole columns up to where they are filled. */
export async function rangeToSort(model: WorkbookModel): Promise<Range> {
  const { range } = model;
  if (!isSingleCell(model.selection()) && !isWholeColumns(range)) {
    return range;
  }
  const region = await model.session.query({ type: "region", sheet: model.sheetId(), cell: model.selection().active });
  return isWholeColumns(range) ? { ...range, top: region.top, bottom: region.bottom } : region;
}

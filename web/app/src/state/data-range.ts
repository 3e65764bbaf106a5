/** The range that commands on data (sort, filter, chart) apply to. */

import { isSingleCell, isWholeColumns, type Range } from "@quadrille/grid";
import type { WorkbookModel } from "./workbook-model.ts";

/**
 * The selection, or the filled region around a single active cell. Whole columns are limited to
 * their filled rows.
 */
export async function dataRange(model: WorkbookModel): Promise<Range> {
  const { range } = model;
  if (!isSingleCell(model.selection()) && !isWholeColumns(range)) {
    return range;
  }
  const region = await model.session.query({ type: "region", sheet: model.sheetId(), cell: model.selection().active });
  return isWholeColumns(range) ? { ...range, top: region.top, bottom: region.bottom } : region;
}

/** Filling down by a double click on the fill handle. */

import { type Cell, COLUMNS_MAX, type Range, ROWS_MAX } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/** Fills down to the end of the filled column beside the source. */
export async function fillToEnd(model: WorkbookModel, source: Range, fill: (target: Range) => void): Promise<void> {
  const sheet = model.sheetId();
  // Queried, as pending entries are not displayed yet.
  const isBlank = async (cell: Cell): Promise<boolean> => (await model.session.query({ type: "cell", sheet, cell })).editText === "";
  for (const column of [source.left - 1, source.right + 1]) {
    const below = { row: source.bottom + 1, column };
    if (column < 0 || column >= COLUMNS_MAX || below.row >= ROWS_MAX || (await isBlank(below))) {
      continue;
    }
    const last = await model.session.query({ type: "edge", sheet, from: { row: source.bottom, column }, direction: "down" });
    // From a blank cell, the first edge is the start of the next block; the second one is its end.
    const end =
      last.row === below.row && (await isBlank({ row: source.bottom, column }))
        ? await model.session.query({ type: "edge", sheet, from: below, direction: "down" })
        : last;
    if (end.row > source.bottom && end.row < ROWS_MAX - 1 && model.sheet() === sheet) {
      fill({ ...source, bottom: end.row });
    }
    return;
  }
}

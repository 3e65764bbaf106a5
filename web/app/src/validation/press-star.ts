/** Sets the rating of a cell. */

import { type Cell, cellName } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/** Gives a cell a number of stars; the number that it has, or 0, removes the rating. */
export async function pressStar(model: WorkbookModel, cell: Cell, stars: number): Promise<void> {
  const sheet = model.sheetId();
  const { editText } = await model.session.query({ type: "cell", sheet, cell });
  const text = stars === 0 || editText === String(stars) ? "" : String(stars);
  model.entryChecks.enter({ sheet, cell, text, command: { type: "typeText", sheet, cell: cellName(cell), text } }, () => {});
}

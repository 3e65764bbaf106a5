/** Fits rows and columns to their contents when somebody asks for it. */

import type { Dimension } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";
import { hasChips, isPeople, isRating, rulesOfColumn } from "../validation/index.ts";
import { COLUMN_PX_MAX, resizeCommand } from "./auto-fit.ts";

/** Minimum width of a fitted column. */
const COLUMN_PX_MIN = 32;
/** Width that a chip adds to its text: its ends, its arrow and the space around it (`paint-chips.ts`). */
const CHIP_EXTRA_PX = 24;
/** Width that the face of a person adds (`paint-chips.ts`), and that of five stars (`paint-rating.ts`). */
const FACE_PX = 18;
const STARS_PX = 96;
/** Maximum number of rows or columns that are fitted at once. */
const ROWS_MAX = 200;
const COLUMNS_MAX = 200;

/** Fits rows or columns; a double click on a border does this. */
export function fitSizes(model: WorkbookModel, dimension: Dimension, first: number, count: number): void {
  if (dimension === "rows") {
    fitRows(model, first, first + Math.min(count, ROWS_MAX) - 1);
  } else {
    void fitColumns(model, first, first + Math.min(count, COLUMNS_MAX) - 1);
  }
}

async function fitColumns(model: WorkbookModel, first: number, last: number): Promise<void> {
  const sheet = model.sheetId();
  for (let column = first; column <= last; column += 1) {
    const texts = await model.session.query({ type: "longestTexts", sheet, column });
    const rules = rulesOfColumn(model, column);
    const chipPx = (rules.some(hasChips) ? CHIP_EXTRA_PX : 0) + (rules.some(isPeople) ? FACE_PX : 0);
    const textPx = (model.grid?.fitting.widthNeededPx(texts) ?? COLUMN_PX_MIN) + chipPx;
    const neededPx = rules.some(isRating) ? Math.max(STARS_PX, textPx) : textPx;
    const sizePx = Math.min(COLUMN_PX_MAX, Math.max(COLUMN_PX_MIN, neededPx));
    resize(model, "columns", column, 1, texts.length === 0 ? null : sizePx);
  }
}

/** Fits rows; adjacent rows of equal height share a command. */
function fitRows(model: WorkbookModel, first: number, last: number): void {
  const neededPx = (row: number): number | null => model.grid?.fitting.heightNeededPx(row) ?? null;
  let start = first;
  for (let row = first; row <= last; row += 1) {
    const sizePx = neededPx(row);
    if (row === last || neededPx(row + 1) !== sizePx) {
      resize(model, "rows", start, row - start + 1, sizePx);
      start = row + 1;
    }
  }
}

function resize(model: WorkbookModel, dimension: Dimension, first: number, count: number, size: number | null): void {
  model.command(resizeCommand(model.sheetId(), dimension, first, count, size));
}

/** What is on screen: how the sheet's pixels map to the canvas. */

import type { Axis } from "./axis.ts";
import { type Cell, type Range, ROWS_MAX } from "./address.ts";

export const COLUMN_HEADER_HEIGHT_PX = 24;
const ROW_HEADER_WIDTH_PX_MIN = 44;
const ROW_HEADER_DIGIT_PX = 8;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface View {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
  /** Widens with the row numbers in sight. */
  readonly rowHeaderWidthPx: number;
  /** Rows and columns of which at least a pixel shows. */
  readonly visible: Range;
}

export function makeView(
  rows: Axis,
  columns: Axis,
  widthPx: number,
  heightPx: number,
  scrollTopPx: number,
  scrollLeftPx: number,
): View {
  const top = rows.indexAt(scrollTopPx);
  const bottom = rows.indexAt(scrollTopPx + Math.max(heightPx - COLUMN_HEADER_HEIGHT_PX, 1) - 1);
  const digits = String(Math.min(bottom + 1, ROWS_MAX)).length;
  const rowHeaderWidthPx = Math.max(ROW_HEADER_WIDTH_PX_MIN, digits * ROW_HEADER_DIGIT_PX + 16);
  const left = columns.indexAt(scrollLeftPx);
  const right = columns.indexAt(scrollLeftPx + Math.max(widthPx - rowHeaderWidthPx, 1) - 1);
  return {
    rows,
    columns,
    widthPx,
    heightPx,
    scrollTopPx,
    scrollLeftPx,
    rowHeaderWidthPx,
    visible: { top, left, bottom, right },
  };
}

/** Where a range lies on the canvas; may reach far outside. */
export function boxOf(view: View, range: Range): Box {
  const x = view.columns.offset(range.left);
  const y = view.rows.offset(range.top);
  return {
    x: x - view.scrollLeftPx + view.rowHeaderWidthPx,
    y: y - view.scrollTopPx + COLUMN_HEADER_HEIGHT_PX,
    width: view.columns.offset(range.right + 1) - x,
    height: view.rows.offset(range.bottom + 1) - y,
  };
}

/** The cell at a point of the canvas; points beyond the edges give the nearest cell. */
export function cellAt(view: View, x: number, y: number): Cell {
  return {
    row: view.rows.indexAt(y - COLUMN_HEADER_HEIGHT_PX + view.scrollTopPx),
    column: view.columns.indexAt(x - view.rowHeaderWidthPx + view.scrollLeftPx),
  };
}

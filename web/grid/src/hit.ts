/** What lies under a point of the grid. */

import type { Cell } from "./address.ts";
import type { Axis } from "./axis.ts";
import { FILL_HANDLE_PX, TOUCH_HANDLE_RADIUS_PX } from "./paint.ts";
import { currentRange, type Selection } from "./selection.ts";
import { boxOf, cellAt, COLUMN_HEADER_HEIGHT_PX, type View } from "./view.ts";

/** How near to a border or handle the pointer must be, in CSS pixels. */
const REACH_PX = 4;
const TOUCH_REACH_PX = 16;

export type Hit =
  | { readonly kind: "corner" }
  | { readonly kind: "columnHeader"; readonly column: number }
  | { readonly kind: "rowHeader"; readonly row: number }
  | { readonly kind: "columnBorder"; readonly column: number }
  | { readonly kind: "rowBorder"; readonly row: number }
  | { readonly kind: "fillHandle" }
  | { readonly kind: "startHandle" }
  | { readonly kind: "endHandle" }
  | { readonly kind: "cell"; readonly cell: Cell };

export function hit(view: View, selection: Selection, x: number, y: number, isTouch: boolean): Hit {
  const cell = cellAt(view, x, y);
  const isInHeaderRow = y < COLUMN_HEADER_HEIGHT_PX;
  const isInHeaderColumn = x < view.rowHeaderWidthPx;
  if (isInHeaderRow && isInHeaderColumn) {
    return { kind: "corner" };
  }
  if (isInHeaderRow) {
    const border = borderAt(view.columns, cell.column, x - view.rowHeaderWidthPx + view.scrollLeftPx);
    return border === undefined
      ? { kind: "columnHeader", column: cell.column }
      : { kind: "columnBorder", column: border };
  }
  if (isInHeaderColumn) {
    const border = borderAt(view.rows, cell.row, y - COLUMN_HEADER_HEIGHT_PX + view.scrollTopPx);
    return border === undefined ? { kind: "rowHeader", row: cell.row } : { kind: "rowBorder", row: border };
  }
  const box = boxOf(view, currentRange(selection));
  const reach = isTouch ? TOUCH_HANDLE_RADIUS_PX + TOUCH_REACH_PX : FILL_HANDLE_PX / 2 + 2;
  if (isNear(x, y, box.x + box.width, box.y + box.height, reach)) {
    return { kind: isTouch ? "endHandle" : "fillHandle" };
  }
  if (isTouch && isNear(x, y, box.x, box.y, reach)) {
    return { kind: "startHandle" };
  }
  return { kind: "cell", cell };
}

/** The row or column whose end is near `offsetPx`. */
function borderAt(axis: Axis, index: number, offsetPx: number): number | undefined {
  const start = axis.offset(index);
  if (index > 0 && offsetPx - start < REACH_PX) {
    return index - 1;
  }
  return start + axis.size(index) - offsetPx <= REACH_PX ? index : undefined;
}

function isNear(x: number, y: number, atX: number, atY: number, reach: number): boolean {
  return Math.abs(x - atX) <= reach && Math.abs(y - atY) <= reach;
}

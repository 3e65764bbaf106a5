/** Hit testing: the cell, header, border, handle or frame at a point of the grid. */

import type { Cell, Range } from "./address.ts";
import type { Axis } from "./axis.ts";
import { corners, FILL_HANDLE_PX, TOUCH_HANDLE_RADIUS_PX } from "./paint-selection.ts";
import type { ReferenceBox } from "./render-state.ts";
import { type Box, boxOf, cellAt, columnOffsetAt, rowOffsetAt, startX, type View } from "./view.ts";

/** Distance from a border or handle within which it is hit, in CSS pixels. */
const HIT_RADIUS_PX = 4;
const TOUCH_HIT_RADIUS_PX = 16;

/** The part of the grid at a point. */
export type Hit =
  | { readonly kind: "corner" }
  | { readonly kind: "columnHeader"; readonly column: number }
  | { readonly kind: "rowHeader"; readonly row: number }
  | { readonly kind: "columnBorder"; readonly column: number }
  | { readonly kind: "rowBorder"; readonly row: number }
  | { readonly kind: "fillHandle" }
  | { readonly kind: "startHandle" }
  | { readonly kind: "endHandle" }
  /** Frame of the selection; dragging it moves the cells. */
  | { readonly kind: "selectionEdge"; readonly cell: Cell }
  | { readonly kind: "referenceEdge"; readonly reference: ReferenceBox; readonly cell: Cell }
  /** `fixed` is the opposite corner. */
  | { readonly kind: "referenceCorner"; readonly reference: ReferenceBox; readonly fixed: Cell }
  | { readonly kind: "cell"; readonly cell: Cell };

/** The parts of the selection and of references that can be dragged. */
export interface HitTargets {
  /** Range at whose corners the handles are. */
  readonly handleRange: Range;
  readonly canFill: boolean;
  readonly canMove: boolean;
  readonly references: readonly ReferenceBox[];
}

/** The part of the grid at `x`, `y`, in CSS pixels of the grid's element. */
export function hitTest(view: View, hitTargets: HitTargets, x: number, y: number, isTouch: boolean): Hit {
  const cell = cellAt(view, x, y);
  const isInHeaderRow = y < view.columnHeaderHeightPx;
  const isInHeaderColumn = startX(view, x) < view.rowHeaderWidthPx;
  if (isInHeaderRow && isInHeaderColumn) {
    return { kind: "corner" };
  }
  if (isInHeaderRow) {
    const border = borderAt(view.columns, cell.column, columnOffsetAt(view, x));
    return border === undefined
      ? { kind: "columnHeader", column: cell.column }
      : { kind: "columnBorder", column: border };
  }
  if (isInHeaderColumn) {
    const border = borderAt(view.rows, cell.row, rowOffsetAt(view, y));
    return border === undefined ? { kind: "rowHeader", row: cell.row } : { kind: "rowBorder", row: border };
  }
  for (const reference of hitTargets.references) {
    const target = referenceHit(view, reference, x, y, cell, isTouch);
    if (target) {
      return target;
    }
  }
  const box = boxOf(view, hitTargets.handleRange);
  const reach = isTouch ? TOUCH_HANDLE_RADIUS_PX + TOUCH_HIT_RADIUS_PX : FILL_HANDLE_PX / 2 + 2;
  const [start, end] = view.isRightToLeft ? [box.x + box.width, box.x] : [box.x, box.x + box.width];
  if ((isTouch || hitTargets.canFill) && isNear(x, y, end, box.y + box.height, reach)) {
    return { kind: isTouch ? "endHandle" : "fillHandle" };
  }
  if (isTouch && isNear(x, y, start, box.y, reach)) {
    return { kind: "startHandle" };
  }
  if (!isTouch && hitTargets.canMove && isOnEdge(box, x, y)) {
    return { kind: "selectionEdge", cell };
  }
  return { kind: "cell", cell };
}

function referenceHit(
  view: View,
  reference: ReferenceBox,
  x: number,
  y: number,
  cell: Cell,
  isTouch: boolean,
): Hit | undefined {
  const { range } = reference;
  const box = boxOf(view, range);
  const reach = isTouch ? TOUCH_HIT_RADIUS_PX : HIT_RADIUS_PX + 1;
  const at = corners(box).findIndex(([cornerX, cornerY]) => isNear(x, y, cornerX, cornerY, reach));
  if (at >= 0) {
    const isAtLeft = at % 2 === 0;
    const isAtFirstColumn = isAtLeft !== view.isRightToLeft;
    return {
      kind: "referenceCorner",
      reference,
      fixed: { row: at < 2 ? range.bottom : range.top, column: isAtFirstColumn ? range.right : range.left },
    };
  }
  return isOnEdge(box, x, y) ? { kind: "referenceEdge", reference, cell } : undefined;
}

/** Whether the point is within `EDGE_PX` of the box's border. */
function isOnEdge(box: Box, x: number, y: number): boolean {
  const isInside = (inset: number): boolean =>
    x >= box.x + inset && x <= box.x + box.width - inset && y >= box.y + inset && y <= box.y + box.height - inset;
  return isInside(-EDGE_PX) && !isInside(EDGE_PX);
}

/** Half the width of the frame's hit area. */
const EDGE_PX = 3;

/** The row or column whose end border is near `offsetPx`. */
function borderAt(axis: Axis, index: number, offsetPx: number): number | undefined {
  const start = axis.offset(index);
  if (index > 0 && offsetPx - start < HIT_RADIUS_PX) {
    return index - 1;
  }
  return start + axis.size(index) - offsetPx <= HIT_RADIUS_PX ? index : undefined;
}

function isNear(x: number, y: number, atX: number, atY: number, reach: number): boolean {
  return Math.abs(x - atX) <= reach && Math.abs(y - atY) <= reach;
}

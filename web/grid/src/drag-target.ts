/** The range to which a drag of the fill handle or of the frame of the selection leads. */

import { type Cell, clampCell, COLUMNS_MAX, type Range, ROWS_MAX } from "./address.ts";

/**
 * `source` extended to `cell` in the direction with the larger distance; `undefined` inside the
 * source.
 */
export function fillTarget(source: Range, cell: Cell): Range | undefined {
  const down = Math.max(0, cell.row - source.bottom);
  const up = Math.max(0, source.top - cell.row);
  const right = Math.max(0, cell.column - source.right);
  const left = Math.max(0, source.left - cell.column);
  const furthest = Math.max(down, up, right, left);
  if (furthest === 0) {
    return undefined;
  }
  if (furthest === down) {
    return { ...source, bottom: cell.row };
  }
  if (furthest === up) {
    return { ...source, top: cell.row };
  }
  return furthest === right ? { ...source, right: cell.column } : { ...source, left: cell.column };
}

/** `source` moved by the distance from `grip` to `to`, kept inside the sheet. */
export function moved(source: Range, grip: Cell, to: Cell): Range {
  const height = source.bottom - source.top;
  const width = source.right - source.left;
  const corner = clampCell(source.top + to.row - grip.row, source.left + to.column - grip.column);
  const top = Math.min(corner.row, ROWS_MAX - 1 - height);
  const left = Math.min(corner.column, COLUMNS_MAX - 1 - width);
  return { top, left, bottom: top + height, right: left + width };
}

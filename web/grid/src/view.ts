/**
 * The view: maps cells to pixels of the canvas and back.
 *
 * Frozen rows and columns divide the cells into up to four panes. Each pane has its own origin, so
 * that painting and hit testing work pane by pane. In right-to-left sheets, horizontal positions
 * are mirrored as the last step.
 */

import type { Axis } from "./axis.ts";
import { type Cell, COLUMNS_MAX, type Range, ROWS_MAX } from "./address.ts";

export const COLUMN_HEADER_HEIGHT_PX = 24;
const ROW_HEADER_WIDTH_PX_MIN = 44;
const ROW_HEADER_DIGIT_PX = 8;
/** Minimum size of the scrolling pane; frozen rows or columns that leave less of it scroll. */
const SCROLLED_PX_MIN = 60;

/** A rectangle in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the canvas with contiguous cells. */
export interface Pane {
  /** Position on the canvas. */
  readonly box: Box;
  /** Rows and columns of which at least one pixel is visible. */
  readonly visible: Range;
  readonly rows: Axis;
  readonly columns: Axis;
  /** Canvas position of the sheet's top left corner in this pane. */
  readonly originX: number;
  readonly originY: number;
  /** Width of the canvas in a right-to-left sheet; otherwise `undefined`. */
  readonly mirrorPx: number | undefined;
}

/** Input of `makeView`. */
export interface Frame {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
  /** Number of frozen rows. */
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly isRightToLeft: boolean;
  readonly zoom: number;
  /** Whether rows and columns have headers. */
  readonly hasHeaders: boolean;
}

/** Layout of the visible part of a sheet. */
export interface View extends Frame {
  /** 0 without headers. */
  readonly columnHeaderHeightPx: number;
  /** Depends on the number of digits of the visible row numbers; 0 without headers. */
  readonly rowHeaderWidthPx: number;
  readonly frozenWidthPx: number;
  readonly frozenHeightPx: number;
  /** Visible range of the scrolling pane. */
  readonly visible: Range;
  /** All panes; the scrolling pane is the last. */
  readonly panes: readonly Pane[];
}

/** Computes panes and visible ranges. */
export function makeView(frame: Frame): View {
  const { rows, columns, widthPx, heightPx, scrollTopPx, scrollLeftPx, isRightToLeft } = frame;
  const columnHeaderHeightPx = frame.hasHeaders ? COLUMN_HEADER_HEIGHT_PX : 0;
  const insideHeightPx = Math.max(heightPx - columnHeaderHeightPx, 1);
  const bottom = rows.indexAt(scrollTopPx + insideHeightPx - 1);
  const digits = String(Math.min(bottom + 1, ROWS_MAX)).length;
  const rowHeaderWidthPx = frame.hasHeaders ? Math.max(ROW_HEADER_WIDTH_PX_MIN, digits * ROW_HEADER_DIGIT_PX + 16) : 0;
  const insideWidthPx = Math.max(widthPx - rowHeaderWidthPx, 1);
  // Frozen rows and columns that do not fit scroll like the others.
  const frozenRows = rows.offset(frame.frozenRows) + SCROLLED_PX_MIN > insideHeightPx ? 0 : frame.frozenRows;
  const frozenColumns =
    columns.offset(frame.frozenColumns) + SCROLLED_PX_MIN > insideWidthPx ? 0 : frame.frozenColumns;
  const frozenHeightPx = rows.offset(frozenRows);
  const frozenWidthPx = columns.offset(frozenColumns);

  const rowSpans = [
    { first: 0, last: frozenRows - 1, startPx: 0, endPx: frozenHeightPx, scrollPx: 0 },
    {
      first: Math.max(frozenRows, rows.indexAt(scrollTopPx + frozenHeightPx)),
      last: bottom,
      startPx: frozenHeightPx,
      endPx: insideHeightPx,
      scrollPx: scrollTopPx,
    },
  ].filter(({ first, last }) => last >= first);
  const columnSpans = [
    { first: 0, last: frozenColumns - 1, startPx: 0, endPx: frozenWidthPx, scrollPx: 0 },
    {
      first: Math.max(frozenColumns, columns.indexAt(scrollLeftPx + frozenWidthPx)),
      last: columns.indexAt(scrollLeftPx + insideWidthPx - 1),
      startPx: frozenWidthPx,
      endPx: insideWidthPx,
      scrollPx: scrollLeftPx,
    },
  ].filter(({ first, last }) => last >= first);

  const mirrorPx = isRightToLeft ? widthPx : undefined;
  const panes = rowSpans.flatMap((down) =>
    columnSpans.map((across): Pane => {
      const x = rowHeaderWidthPx + across.startPx;
      const width = across.endPx - across.startPx;
      return {
        box: {
          x: mirrorPx === undefined ? x : mirrorPx - x - width,
          y: columnHeaderHeightPx + down.startPx,
          width,
          height: down.endPx - down.startPx,
        },
        visible: { top: down.first, bottom: down.last, left: across.first, right: across.last },
        rows,
        columns,
        originX: rowHeaderWidthPx - across.scrollPx,
        originY: columnHeaderHeightPx - down.scrollPx,
        mirrorPx,
      };
    }),
  );
  const visible = panes.at(-1)?.visible ?? { top: 0, left: 0, bottom: 0, right: 0 };
  return { ...frame, columnHeaderHeightPx, rowHeaderWidthPx, frozenRows, frozenColumns, frozenWidthPx, frozenHeightPx, visible, panes };
}

/** Left edge of a column on the canvas. */
export function columnX(pane: Pane, column: number): number {
  const x = pane.originX + pane.columns.offset(column);
  return pane.mirrorPx === undefined ? x : pane.mirrorPx - x - pane.columns.size(column);
}

/** Top edge of a row on the canvas. */
export function rowY(pane: Pane, row: number): number {
  return pane.originY + pane.rows.offset(row);
}

/** Position of a range on the canvas in the coordinates of `pane`; may be outside the pane. */
export function boxInPane(pane: Pane, range: Range): Box {
  const x = pane.originX + pane.columns.offset(range.left);
  const y = pane.originY + pane.rows.offset(range.top);
  const width = pane.originX + pane.columns.offset(range.right + 1) - x;
  return {
    x: pane.mirrorPx === undefined ? x : pane.mirrorPx - x - width,
    y,
    width,
    height: pane.originY + pane.rows.offset(range.bottom + 1) - y,
  };
}

/** The pane that a cell belongs to, whether or not it is visible. */
export function paneOf(view: View, cell: Cell): Pane {
  const isFrozenRow = cell.row < view.frozenRows;
  const isFrozenColumn = cell.column < view.frozenColumns;
  const pane = view.panes.find(
    ({ visible }) =>
      visible.bottom < view.frozenRows === isFrozenRow && visible.right < view.frozenColumns === isFrozenColumn,
  );
  const last = pane ?? view.panes.at(-1);
  if (!last) {
    throw new Error("a view has at least one pane");
  }
  return last;
}

/** Position of a range on the canvas, from its first cell's pane to its last cell's pane. */
export function boxOf(view: View, range: Range): Box {
  const first = boxInPane(paneOf(view, { row: range.top, column: range.left }), range);
  const last = boxInPane(paneOf(view, { row: range.bottom, column: range.right }), range);
  // Rows between the frozen and the visible ones may be scrolled out of view.
  const bottom = Math.max(first.y, last.y + last.height);
  const start = view.isRightToLeft ? Math.min(last.x, first.x + first.width) : first.x;
  const end = view.isRightToLeft ? first.x + first.width : Math.max(first.x, last.x + last.width);
  return { x: start, y: first.y, width: end - start, height: bottom - first.y };
}

/** The cell at a point of the canvas, or the nearest one for points outside the cells. */
export function cellAt(view: View, x: number, y: number): Cell {
  return { row: rowAt(view, y), column: columnAt(view, x) };
}

/** The row at a vertical position of the canvas. */
export function rowAt(view: View, y: number): number {
  return Math.min(view.rows.indexAt(rowOffsetAt(view, y)), ROWS_MAX - 1);
}

/** The column at a horizontal position of the canvas. */
export function columnAt(view: View, x: number): number {
  return Math.min(view.columns.indexAt(columnOffsetAt(view, x)), COLUMNS_MAX - 1);
}

/** Distance of a point of the canvas from the top of the sheet, in sheet pixels. */
export function rowOffsetAt(view: View, y: number): number {
  const inside = y - view.columnHeaderHeightPx;
  return inside >= 0 && inside < view.frozenHeightPx ? inside : inside + view.scrollTopPx;
}

/**
 * Distance of a point of the canvas from the start of the sheet's first column, in sheet pixels.
 */
export function columnOffsetAt(view: View, x: number): number {
  const inside = startX(view, x) - view.rowHeaderWidthPx;
  return inside >= 0 && inside < view.frozenWidthPx ? inside : inside + view.scrollLeftPx;
}

/** Distance of a point from the edge with the row headers. */
export function startX(view: View, x: number): number {
  return view.isRightToLeft ? view.widthPx - x : x;
}

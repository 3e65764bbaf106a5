/** Selections and their changes by keys and clicks, as pure functions. */

import {
  type Cell,
  clampCell,
  columnCount,
  COLUMNS_MAX,
  isWholeColumns,
  isWholeRows,
  type Range,
  rangeOf,
  rowCount,
  ROWS_MAX,
  span,
} from "./address.ts";

/** One or more selected ranges with the active cell. */
export interface Selection {
  /** The active cell, which receives typed text; inside the last range. */
  readonly active: Cell;
  /**
   * The fixed corner of the last range; `head` is the corner that moves when the range is extended.
   */
  readonly anchor: Cell;
  readonly head: Cell;
  /** At least one range; the last one is extended. */
  readonly ranges: readonly Range[];
  /** The column in which the first Tab was pressed: Enter moves to it in the next row. */
  readonly tabStartColumn?: number;
}

/** Selects one cell. */
export function selectCell(cell: Cell): Selection {
  return { active: cell, anchor: cell, head: cell, ranges: [rangeOf(cell)] };
}

/** Selects `range`; the active cell is its first cell by default. */
export function selectRange(range: Range, active?: Cell): Selection {
  const anchor = { row: range.top, column: range.left };
  return {
    active: active ?? anchor,
    anchor,
    head: { row: range.bottom, column: range.right },
    ranges: [range],
  };
}

/** Selects the whole sheet. */
export function selectAll(): Selection {
  return selectRange({ top: 0, left: 0, bottom: ROWS_MAX - 1, right: COLUMNS_MAX - 1 });
}

/** Extends the last range from its anchor to `head`. Whole rows and columns stay whole. */
export function extendTo(selection: Selection, head: Cell): Selection {
  const last = currentRange(selection);
  const range = span(selection.anchor, head);
  const whole = {
    top: isWholeColumns(last) ? 0 : range.top,
    bottom: isWholeColumns(last) ? ROWS_MAX - 1 : range.bottom,
    left: isWholeRows(last) ? 0 : range.left,
    right: isWholeRows(last) ? COLUMNS_MAX - 1 : range.right,
  };
  return { ...selection, head, ranges: [...selection.ranges.slice(0, -1), whole] };
}

/** Adds ranges, as Ctrl with a click does. */
export function addSelection(selection: Selection, added: Selection): Selection {
  return { ...added, ranges: [...selection.ranges, ...added.ranges] };
}

/** The last range, which is the one that keys extend. */
export function currentRange(selection: Selection): Range {
  return selection.ranges.at(-1) ?? rangeOf(selection.active);
}

/** Whether exactly one cell is selected. */
export function isSingleCell(selection: Selection): boolean {
  const range = currentRange(selection);
  return selection.ranges.length === 1 && rowCount(range) === 1 && columnCount(range) === 1;
}

/** Selects the rows from `first` to `last`, in either order. */
export function selectRows(first: number, last: number): Selection {
  return {
    active: { row: first, column: 0 },
    anchor: { row: first, column: 0 },
    head: { row: last, column: COLUMNS_MAX - 1 },
    ranges: [{ top: Math.min(first, last), bottom: Math.max(first, last), left: 0, right: COLUMNS_MAX - 1 }],
  };
}

/** Selects the columns from `first` to `last`, in either order. */
export function selectColumns(first: number, last: number): Selection {
  return {
    active: { row: 0, column: first },
    anchor: { row: 0, column: first },
    head: { row: ROWS_MAX - 1, column: last },
    ranges: [{ left: Math.min(first, last), right: Math.max(first, last), top: 0, bottom: ROWS_MAX - 1 }],
  };
}

/** Selects the cell at a distance from the active cell. */
export function step(selection: Selection, rows: number, columns: number): Selection {
  return selectCell(clampCell(selection.active.row + rows, selection.active.column + columns));
}

/** Moves the head of the last range. */
export function extendBy(selection: Selection, rows: number, columns: number): Selection {
  const { head } = selection;
  return extendTo(selection, clampCell(head.row + rows, head.column + columns));
}

/**
 * Moves the active cell as Enter (`down`) and Tab do, backwards with Shift (`back`). Inside a range
 * of several cells it cycles through the range, by columns for Enter and by rows for Tab. Enter
 * after Tab moves to the next row of the column in which the first Tab was pressed.
 */
export function nextCell(selection: Selection, down: boolean, back: boolean): Selection {
  const move = back ? -1 : 1;
  if (isSingleCell(selection)) {
    const tabStartColumn = selection.tabStartColumn ?? selection.active.column;
    if (down) {
      return back ? step(selection, -1, 0) : selectCell(clampCell(selection.active.row + 1, tabStartColumn));
    }
    const next = step(selection, 0, move);
    return next.active.column > tabStartColumn ? { ...next, tabStartColumn } : next;
  }
  const range = currentRange(selection);
  const rows = rowCount(range);
  const columns = columnCount(range);
  const row = selection.active.row - range.top;
  const column = selection.active.column - range.left;
  const position = (down ? column * rows + row : row * columns + column) + move;
  const cells = rows * columns;
  const next = (position + cells) % cells;
  const active = down
    ? { row: range.top + (next % rows), column: range.left + Math.floor(next / rows) }
    : { row: range.top + Math.floor(next / columns), column: range.left + (next % columns) };
  return { ...selection, active };
}

/**
 * Rows or columns that were inserted, deleted or moved; ranges and selections are adjusted by it.
 */
export interface DimensionShift {
  readonly lines: "rows" | "columns";
  readonly first: number;
  readonly count: number;
  readonly isInsert: boolean;
  /** For a move, the index before which the rows or columns go; otherwise `null`. */
  readonly to: number | null;
}

/** The range after `moved`; `undefined` if all of it was deleted. */
export function shiftRange(range: Range, moved: DimensionShift): Range | undefined {
  if (moved.lines === "rows") {
    const isWhole = isWholeColumns(range);
    const ends = isWhole ? ([range.top, range.bottom] as const) : moveSpan(range.top, range.bottom, ROWS_MAX, moved);
    return ends && { ...range, top: ends[0], bottom: ends[1] };
  }
  const isWhole = isWholeRows(range);
  const ends = isWhole ? ([range.left, range.right] as const) : moveSpan(range.left, range.right, COLUMNS_MAX, moved);
  return ends && { ...range, left: ends[0], right: ends[1] };
}

function moveSpan(
  first: number,
  last: number,
  max: number,
  moved: DimensionShift,
): readonly [first: number, last: number] | undefined {
  const { count, to } = moved;
  if (to !== null) {
    return shiftByMove(first, last, moved.first, count, to);
  }
  if (moved.isInsert) {
    const shift = (index: number): number => Math.min(index >= moved.first ? index + count : index, max - 1);
    return [shift(first), shift(last)];
  }
  const end = moved.first + count;
  if (first >= moved.first && last < end) {
    return undefined;
  }
  return [
    first < moved.first ? first : Math.max(moved.first, first - count),
    last < moved.first ? last : Math.max(moved.first - 1, last - count),
  ];
}

/**
 * A range that covers source and target keeps its ends; any other range follows its first row or
 * column.
 */
function shiftByMove(
  first: number,
  last: number,
  from: number,
  count: number,
  to: number,
): readonly [first: number, last: number] {
  const end = from + count;
  const shift = (index: number): number => {
    if (index >= from && index < end) {
      return index - from + (to > end ? to - count : Math.min(to, from));
    }
    return index >= end && index < to ? index - count : index >= to && index < from ? index + count : index;
  };
  const covers = first <= Math.min(from, to) && last >= Math.max(end, to) - 1;
  return covers ? [first, last] : [shift(first), shift(first) + (last - first)];
}

/**
 * The selection after `moved`. If all of it was deleted, the cell at its old position is selected.
 */
export function shiftSelection(selection: Selection, moved: DimensionShift): Selection {
  const ranges = selection.ranges.flatMap((range) => shiftRange(range, moved) ?? []);
  const cell = (old: Cell): Cell => {
    const range = shiftRange(rangeOf(old), moved);
    return range ? { row: range.top, column: range.left } : old;
  };
  if (ranges.length === 0) {
    return selectCell(selection.active);
  }
  return { active: cell(selection.active), anchor: cell(selection.anchor), head: cell(selection.head), ranges };
}

/** What is selected, and how keys and clicks change it. Pure: a selection in, a selection out. */

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

export interface Selection {
  /** Where typing goes; inside the last range. */
  readonly active: Cell;
  /** The corner that stays and the corner that moves when the last range is extended. */
  readonly anchor: Cell;
  readonly head: Cell;
  /** At least one; the last is the one being extended. */
  readonly ranges: readonly Range[];
  /** The column in which a row that is being filled in with Tab was begun: Enter leads below it. */
  readonly begunAt?: number;
}

export function selectCell(cell: Cell): Selection {
  return { active: cell, anchor: cell, head: cell, ranges: [rangeOf(cell)] };
}

export function selectRange(range: Range, active?: Cell): Selection {
  const anchor = { row: range.top, column: range.left };
  return {
    active: active ?? anchor,
    anchor,
    head: { row: range.bottom, column: range.right },
    ranges: [range],
  };
}

export function selectAll(): Selection {
  return selectRange({ top: 0, left: 0, bottom: ROWS_MAX - 1, right: COLUMNS_MAX - 1 });
}

/** The last range now reaches from its anchor to `head`. */
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

/** One more range, as with Ctrl and a click. */
export function addSelection(selection: Selection, added: Selection): Selection {
  return { ...added, ranges: [...selection.ranges, ...added.ranges] };
}

export function currentRange(selection: Selection): Range {
  return selection.ranges.at(-1) ?? rangeOf(selection.active);
}

export function isSingleCell(selection: Selection): boolean {
  const range = currentRange(selection);
  return selection.ranges.length === 1 && rowCount(range) === 1 && columnCount(range) === 1;
}

export function selectRows(first: number, last: number): Selection {
  return {
    active: { row: first, column: 0 },
    anchor: { row: first, column: 0 },
    head: { row: last, column: COLUMNS_MAX - 1 },
    ranges: [{ top: Math.min(first, last), bottom: Math.max(first, last), left: 0, right: COLUMNS_MAX - 1 }],
  };
}

export function selectColumns(first: number, last: number): Selection {
  return {
    active: { row: 0, column: first },
    anchor: { row: 0, column: first },
    head: { row: ROWS_MAX - 1, column: last },
    ranges: [{ left: Math.min(first, last), right: Math.max(first, last), top: 0, bottom: ROWS_MAX - 1 }],
  };
}

/** The selection moved as a whole by one step; a range collapses to its active cell first. */
export function step(selection: Selection, rows: number, columns: number): Selection {
  return selectCell(clampCell(selection.active.row + rows, selection.active.column + columns));
}

export function extendBy(selection: Selection, rows: number, columns: number): Selection {
  const { head } = selection;
  return extendTo(selection, clampCell(head.row + rows, head.column + columns));
}

/**
 * Enter and Tab: inside a range of several cells the active cell walks round it, otherwise it moves on.
 * `down` walks columns first (Enter), otherwise rows first (Tab); `back` with Shift. Enter after Tabs begins the next row
 * where the first Tab was pressed, as tables are typed.
 */
export function walk(selection: Selection, down: boolean, back: boolean): Selection {
  const move = back ? -1 : 1;
  if (isSingleCell(selection)) {
    const begunAt = selection.begunAt ?? selection.active.column;
    if (down) {
      return back ? step(selection, -1, 0) : selectCell(clampCell(selection.active.row + 1, begunAt));
    }
    const next = step(selection, 0, move);
    return next.active.column > begunAt ? { ...next, begunAt } : next;
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

/** Rows or columns that came, went or were moved; what is remembered by position moves with them. */
export interface MovedLines {
  readonly lines: "rows" | "columns";
  readonly first: number;
  readonly count: number;
  readonly isInsert: boolean;
  /** Lines that were moved: before which one. */
  readonly to: number | null;
}

/** Where a range is after `moved`; `undefined` when all of it was deleted. */
export function moveRange(range: Range, moved: MovedLines): Range | undefined {
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
  moved: MovedLines,
): readonly [first: number, last: number] | undefined {
  const { count, to } = moved;
  if (to !== null) {
    return placesAfterMove(first, last, moved.first, count, to);
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

/** What was selected with the moved lines goes with them; otherwise the first line tells where the others are. */
function placesAfterMove(
  first: number,
  last: number,
  from: number,
  count: number,
  to: number,
): readonly [first: number, last: number] {
  const end = from + count;
  const place = (line: number): number => {
    if (line >= from && line < end) {
      return line - from + (to > end ? to - count : Math.min(to, from));
    }
    return line >= end && line < to ? line - count : line >= to && line < from ? line + count : line;
  };
  const covers = first <= Math.min(from, to) && last >= Math.max(end, to) - 1;
  return covers ? [first, last] : [place(first), place(first) + (last - first)];
}

/** The selection after `moved`. What was deleted under it leaves the cell that is there now. */
export function moveSelection(selection: Selection, moved: MovedLines): Selection {
  const ranges = selection.ranges.flatMap((range) => moveRange(range, moved) ?? []);
  const cell = (old: Cell): Cell => {
    const range = moveRange(rangeOf(old), moved);
    return range ? { row: range.top, column: range.left } : old;
  };
  if (ranges.length === 0) {
    return selectCell(selection.active);
  }
  return { active: cell(selection.active), anchor: cell(selection.anchor), head: cell(selection.head), ranges };
}

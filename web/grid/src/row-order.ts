/**
 * The order in which a user sees the rows of a sheet, which a sorted filter view changes.
 *
 * The grid works with *positions*: the row at position 0 is the topmost one on the screen. Everybody
 * else works with the rows of the sheet, which are the same for all users.
 */

import { isWholeColumns, type Range, ROWS_MAX } from "./address.ts";
import type { HiddenRun, SizeRun } from "./axis.ts";
import type { DimensionShift } from "./selection.ts";

/** A run of rows or of positions. */
interface Run {
  readonly first: number;
  readonly count: number;
}

/** Consecutive rows in another order; the rows above and below are at their own positions. */
export class RowOrder {
  /** The first of the reordered rows, which is their first position as well. */
  readonly first: number;
  /** The rows from position `first` on: each row from `first` on once. */
  private readonly rows: Uint32Array;
  /** The position of each row from `first` on. */
  private readonly positions: Uint32Array;

  /** `rows` holds each number from `first` to `first + rows.length - 1` once. */
  constructor(first: number, rows: ArrayLike<number>) {
    this.first = first;
    this.rows = Uint32Array.from(rows);
    this.positions = new Uint32Array(this.rows.length);
    this.rows.forEach((row, index) => {
      this.positions[row - first] = first + index;
    });
  }

  /** The row below the reordered ones. */
  get end(): number {
    return this.first + this.rows.length;
  }

  rowAt(position: number): number {
    return this.rows[position - this.first] ?? position;
  }

  positionOf(row: number): number {
    return this.positions[row - this.first] ?? row;
  }

  /** The rows at the positions from `first` to `last`, without hidden ones. */
  visibleRows(first: number, last: number, isHidden: (position: number) => boolean): number[] {
    const rows: number[] = [];
    for (let position = first; position <= last; position += 1) {
      if (!isHidden(position)) {
        rows.push(this.rowAt(position));
      }
    }
    return rows;
  }

  /** Whether the range has reordered rows, in rows or in positions. */
  touches({ top, bottom }: Range): boolean {
    return top < this.end && bottom >= this.first;
  }

  /** The rows of a range of positions, as ranges from the top of the sheet. */
  rangesOf(positions: Range): readonly Range[] {
    return this.mapped(positions, (position) => this.rowAt(position));
  }

  /** The positions of a range of rows, as ranges from the top of the screen. */
  positionsOf(range: Range): readonly Range[] {
    return this.mapped(range, (row) => this.positionOf(row));
  }

  private mapped(range: Range, map: (index: number) => number): readonly Range[] {
    const { top, bottom } = range;
    const isCovered = top <= this.first && bottom >= this.end - 1;
    if (isCovered || !this.touches(range) || isWholeColumns(range)) {
      return [range];
    }
    const indexes = Array.from({ length: bottom - top + 1 }, (_, offset) => map(top + offset));
    return toRuns(indexes).map(({ first, count }) => ({ ...range, top: first, bottom: first + count - 1 }));
  }

  /** Row heights by position. */
  sizesByPosition(runs: readonly SizeRun[]): readonly SizeRun[] {
    return runs
      .flatMap((run) => this.runByPosition(run).map((part) => ({ ...run, ...part })))
      .sort((a, b) => a.first - b.first);
  }

  /** Hidden rows by position. */
  hiddenByPosition(runs: readonly HiddenRun[]): readonly HiddenRun[] {
    return runs.flatMap((run) => this.runByPosition(run)).sort((a, b) => a.first - b.first);
  }

  private runByPosition({ first, count }: Run): readonly Run[] {
    const ranges = this.positionsOf({ top: first, bottom: first + count - 1, left: 0, right: 0 });
    return ranges.map(({ top, bottom }) => ({ first: top, count: bottom - top + 1 }));
  }

  /**
   * The order after rows were inserted, deleted or moved; `undefined` if no reordered row is left.
   * New rows between reordered ones come after them.
   */
  shifted(moved: DimensionShift): RowOrder | undefined {
    const { first: from, count, isInsert, to } = moved;
    if (moved.lines !== "rows" || (to === null && from >= this.end)) {
      return this;
    }
    const rows = [...this.rows];
    if (to !== null) {
      // A move keeps the rows of the range that covers it; what enters or leaves it ends the order.
      const isInside = from >= this.first && from + count <= this.end && to >= this.first && to <= this.end;
      const isOutside = (from + count <= this.first || from >= this.end) && (to <= this.first || to >= this.end);
      if (!isInside && !(isOutside && from < this.first === to <= this.first)) {
        return undefined;
      }
      return isInside ? new RowOrder(this.first, rows.map((row) => movedRow(row, from, count, to))) : this;
    }
    if (isInsert) {
      const shifted = rows.map((row) => (row >= from ? row + count : row));
      const added = from > this.first ? Array.from({ length: count }, (_, index) => from + index) : [];
      return shifted.some((row) => row >= ROWS_MAX)
        ? undefined
        : new RowOrder(from > this.first ? this.first : this.first + count, [...shifted, ...added]);
    }
    const end = from + count;
    const left = rows.filter((row) => row < from || row >= end).map((row) => (row >= end ? row - count : row));
    const above = Math.max(0, Math.min(end, this.first) - from);
    return left.length > 0 ? new RowOrder(this.first - above, left) : undefined;
  }
}

/** The row after `count` rows from `from` on were moved before the row `to`. */
function movedRow(row: number, from: number, count: number, to: number): number {
  const end = from + count;
  if (row >= from && row < end) {
    return row - from + (to > end ? to - count : Math.min(to, from));
  }
  return row >= end && row < to ? row - count : row >= to && row < from ? row + count : row;
}

/** Indexes in any order as ascending runs. */
function toRuns(indexes: readonly number[]): readonly Run[] {
  const runs: { first: number; count: number }[] = [];
  for (const index of Uint32Array.from(indexes).sort()) {
    const last = runs.at(-1);
    if (last && index === last.first + last.count) {
      last.count += 1;
    } else {
      runs.push({ first: index, count: 1 });
    }
  }
  return runs;
}

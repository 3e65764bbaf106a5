/** Several selected ranges as one copy. */

import type { Range } from "@quadrille/grid";
import type { CellTable, ReadCell } from "@quadrille/protocol";

/** How ranges are joined: below or beside each other, in the order of the sheet. */
export interface JoinedRanges {
  readonly ranges: readonly Range[];
  readonly areStacked: boolean;
}

/**
 * The ranges in their order, if they have the same columns or the same rows and do not overlap, so
 * that they can be copied as one. Otherwise `undefined`, as in Excel.
 */
export function joinedRanges(ranges: readonly Range[]): JoinedRanges | undefined {
  const [first] = ranges;
  if (!first) {
    return undefined;
  }
  if (ranges.every(({ left, right }) => left === first.left && right === first.right)) {
    const sorted = ranges.toSorted((a, b) => a.top - b.top);
    return areApart(sorted, (before, after) => before.bottom < after.top) ? { ranges: sorted, areStacked: true } : undefined;
  }
  if (ranges.every(({ top, bottom }) => top === first.top && bottom === first.bottom)) {
    const sorted = ranges.toSorted((a, b) => a.left - b.left);
    return areApart(sorted, (before, after) => before.right < after.left) ? { ranges: sorted, areStacked: false } : undefined;
  }
  return undefined;
}

function areApart(ranges: readonly Range[], isBefore: (before: Range, after: Range) => boolean): boolean {
  return ranges.every((range, index) => {
    const before = ranges[index - 1];
    return !before || isBefore(before, range);
  });
}

/** The rows of tables that are below or beside each other, with blank cells where a table ends early. */
export function joinedRows(tables: readonly CellTable[], areStacked: boolean): readonly (readonly ReadCell[])[] {
  if (areStacked) {
    return tables.flatMap(({ rows }) => rows.map(({ cells }) => cells));
  }
  const height = Math.max(...tables.map(({ rows }) => rows.length));
  return Array.from({ length: height }, (_, index) =>
    tables.flatMap(({ rows }) => rows[index]?.cells ?? (rows[0]?.cells ?? []).map((): ReadCell => ({ text: "" }))),
  );
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Range } from "./address.ts";
import { RowOrder } from "./row-order.ts";

/** Rows 2 to 6 in the order 4, 2, 6, 3, 5. */
const order = new RowOrder(2, [4, 2, 6, 3, 5]);

const rows = (top: number, bottom: number): Range => ({ top, bottom, left: 1, right: 3 });
const spans = (ranges: readonly Range[]): string => ranges.map(({ top, bottom }) => `${top}-${bottom}`).join(" ");
const listed = (from: number, to: number, by: RowOrder | undefined): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => by?.rowAt(from + index) ?? -1);

test("rows and positions translate into each other", () => {
  assert.deepEqual(listed(0, 8, order), [0, 1, 4, 2, 6, 3, 5, 7, 8]);
  for (let row = 0; row < 10; row += 1) {
    assert.equal(order.rowAt(order.positionOf(row)), row);
    assert.equal(order.positionOf(order.rowAt(row)), row);
  }
});

test("ranges become runs of rows", () => {
  // Positions 2 to 4 are the rows 4, 2 and 6.
  assert.equal(spans(order.rangesOf(rows(2, 4))), "2-2 4-4 6-6");
  assert.equal(spans(order.rangesOf(rows(3, 5))), "2-3 6-6");
  // Rows 2 and 3 are at the positions 3 and 5.
  assert.equal(spans(order.positionsOf(rows(2, 3))), "3-3 5-5");
  // Beside the reordered rows, and around all of them, nothing changes.
  assert.equal(spans(order.rangesOf(rows(0, 1))), "0-1");
  assert.equal(spans(order.rangesOf(rows(7, 9))), "7-9");
  assert.equal(spans(order.rangesOf(rows(0, 6))), "0-6");
  assert.equal(spans(order.rangesOf(rows(0, 2))), "0-1 4-4");
});

test("heights and hidden rows are at the positions of their rows", () => {
  const sizes = order.sizesByPosition([{ first: 1, count: 3, sizePx: 40 }, { first: 6, count: 1, sizePx: 50 }]);
  assert.deepEqual(sizes, [
    { first: 1, count: 1, sizePx: 40 },
    { first: 3, count: 1, sizePx: 40 },
    { first: 4, count: 1, sizePx: 50 },
    { first: 5, count: 1, sizePx: 40 },
  ]);
  assert.deepEqual(order.hiddenByPosition([{ first: 4, count: 2 }, { first: 8, count: 1 }]), [
    { first: 2, count: 1 },
    { first: 6, count: 1 },
    { first: 8, count: 1 },
  ]);
});

test("an order follows inserted, deleted and moved rows", () => {
  const shifted = (first: number, count: number, isInsert: boolean, to: number | null = null): RowOrder | undefined =>
    order.shifted({ lines: "rows", first, count, isInsert, to });
  // Above: all rows are one further down.
  assert.deepEqual(listed(2, 8, shifted(0, 1, true)), [2, 5, 3, 7, 4, 6, 8]);
  assert.deepEqual(listed(2, 7, shifted(2, 1, true)), [2, 5, 3, 7, 4, 6]);
  // Between: the new rows come last.
  assert.deepEqual(listed(2, 8, shifted(4, 2, true)), [6, 2, 8, 3, 7, 4, 5]);
  // Below: nothing changes.
  assert.equal(shifted(7, 3, true), order);
  assert.deepEqual(listed(1, 4, shifted(0, 1, false)), [3, 1, 5, 2]);
  assert.deepEqual(listed(2, 5, shifted(4, 1, false)), [2, 5, 3, 4]);
  // From above the order into it.
  assert.deepEqual(listed(1, 4, shifted(1, 2, false)), [2, 4, 1, 3]);
  assert.equal(shifted(2, 5, false), undefined);
  assert.equal(shifted(0, 20, false), undefined);
  // Row 2 moves below row 4; each cell keeps its place on the screen.
  assert.deepEqual(listed(2, 6, shifted(2, 1, false, 5)), [3, 4, 6, 2, 5]);
  // What enters or leaves the reordered rows ends the order.
  assert.equal(shifted(0, 1, false, 4), undefined);
  assert.equal(shifted(4, 1, false, 9), undefined);
  assert.equal(shifted(0, 1, false, 9), undefined);
  // Moves beside it, and changes of columns, do not matter.
  assert.equal(shifted(0, 1, false, 2), order);
  assert.equal(order.shifted({ lines: "columns", first: 0, count: 3, isInsert: true, to: null }), order);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Axis, type SizeRun } from "./axis.ts";

const axis = (runs: SizeRun[]): Axis => new Axis(1_000, 20, runs);

test("offsets add up sizes", () => {
  const plain = axis([]);
  assert.equal(plain.offset(10), 200);
  assert.equal(plain.totalPx, 20_000);
  const sized = axis([
    { first: 2, count: 2, sizePx: 50 },
    { first: 10, count: 1, sizePx: 0 },
  ]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 10, 11, 12].map((index) => sized.offset(index)),
    [0, 20, 40, 90, 140, 160, 260, 260, 280],
  );
  assert.deepEqual([1, 2, 3, 4, 10].map((index) => sized.size(index)), [20, 50, 50, 20, 0]);
  assert.equal(sized.totalPx, 20_000 + 60 - 20);
});

test("every pixel maps to the row that covers it", () => {
  const sized = axis([
    { first: 0, count: 3, sizePx: 7 },
    { first: 5, count: 2, sizePx: 0 },
    { first: 7, count: 1, sizePx: 100 },
  ]);
  for (let index = 0; index < 40; index += 1) {
    for (let px = sized.offset(index); px < sized.offset(index + 1); px += 1) {
      assert.equal(sized.indexAt(px), index, `pixel ${px}`);
    }
  }
  assert.equal(sized.indexAt(-5), 0);
  assert.equal(sized.indexAt(1e9), 999);
});

test("hidden rows have size 0 and are skipped", () => {
  const hidden = Axis.of(100, 20, [{ first: 3, count: 4, sizePx: 50 }], [{ first: 0, count: 1 }, { first: 4, count: 2 }], 1);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((index) => hidden.size(index)),
    [0, 20, 20, 50, 0, 0, 50, 20],
  );
  assert.equal(hidden.indexAt(0), 1);
  assert.equal(hidden.indexAt(hidden.offset(6)), 6);
  assert.equal(hidden.nextVisible(4, 1), 6);
  assert.equal(hidden.nextVisible(5, -1), 3);
  assert.equal(hidden.nextVisible(0, -1), 0);
});

test("zoom scales every size to whole pixels", () => {
  const zoomed = Axis.of(100, 22, [{ first: 1, count: 1, sizePx: 33 }], [], 1.5);
  assert.deepEqual([0, 1].map((index) => zoomed.size(index)), [33, 50]);
});

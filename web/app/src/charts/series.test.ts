import assert from "node:assert/strict";
import { test } from "node:test";
import { pairedSeriesOf, seriesOf } from "./series.ts";

const block = { range: { top: 0, left: 0, bottom: 12, right: 2 }, direction: "columns", hasHeader: true, hasLabels: true } as const;

test("a block with header and labels makes one series per column", () => {
  assert.deepEqual(seriesOf(block), [
    { name: "=$B$1", categories: "=$A$2:$A$13", values: "=$B$2:$B$13" },
    { name: "=$C$1", categories: "=$A$2:$A$13", values: "=$C$2:$C$13" },
  ]);
});

test("rows of numbers without headers make series without names", () => {
  const bare = { range: { top: 4, left: 1, bottom: 5, right: 9 }, direction: "rows", hasHeader: false, hasLabels: false } as const;
  assert.deepEqual(seriesOf(bare), [{ values: "=$B$5:$J$5" }, { values: "=$B$6:$J$6" }]);
});

test("a bubble chart takes every second column as sizes", () => {
  assert.deepEqual(pairedSeriesOf(block, true), [
    { name: "=$B$1", categories: "=$A$2:$A$13", values: "=$B$2:$B$13", sizes: "=$C$2:$C$13" },
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DataBlock } from "./data-block.ts";
import { boundsOf, pairedSeries, seriesReference } from "./series.ts";

const block: DataBlock = { range: { top: 0, left: 0, bottom: 12, right: 2 }, direction: "columns", hasHeader: true, fields: [] };

test("headers and points are absolute references", () => {
  assert.equal(seriesReference(block, 1, "header"), "=$B$1");
  assert.equal(seriesReference(block, 1, "points"), "=$B$2:$B$13");
  const rows: DataBlock = { range: { top: 4, left: 1, bottom: 5, right: 9 }, direction: "rows", hasHeader: false, fields: [] };
  assert.equal(seriesReference(rows, 5, "points"), "=$B$6:$J$6");
});

test("a bubble chart takes every second column as sizes", () => {
  const series = [
    { name: "=$B$1", categories: "=$A$2:$A$13", values: "=$B$2:$B$13" },
    { name: "=$C$1", categories: "=$A$2:$A$13", values: "=$C$2:$C$13" },
  ];
  assert.deepEqual(pairedSeries(series), [{ ...series[0], sizes: "=$C$2:$C$13" }]);
});

test("the bounds of a chart contain the cells of all its series", () => {
  const series = [{ name: "=$D$1", categories: "=$A$2:$A$13", values: "=$D$2:$D$13" }, { name: '="Plan"', values: "=$B$2:$B$13" }];
  assert.deepEqual(boundsOf(series), { top: 0, left: 0, bottom: 12, right: 3 });
  assert.equal(boundsOf([{ values: "=Other!$A$1:$A$3" }]), undefined);
  assert.equal(boundsOf([]), undefined);
});

import assert from "node:assert/strict";
import test from "node:test";
import { changedCells } from "./update.ts";

test("an update names the cells that differ", () => {
  const cells = [{ address: "B2", classes: "n", style: "text-align:right;", html: "3" }];
  assert.deepEqual(changedCells('{"version":"a1","cells":[["B2","n","text-align:right;","3"]]}'), { version: "a1", cells, charts: [] });
});

test("anything else is no update", () => {
  for (const text of ["", "null", "[]", '{"version":1,"cells":[]}', '{"version":"a","cells":[["B2","n"]]}', '{"version":"a"}']) {
    assert.equal(changedCells(text), undefined, text);
  }
});

test("an update names the charts that differ or are gone", () => {
  const charts = [["7", { row: 2 }], ["8", null]];
  assert.deepEqual(changedCells(JSON.stringify({ version: "a1", cells: [], charts })), { version: "a1", cells: [], charts });
  for (const charts of [null, {}, [["7"]], [[7, {}]]]) {
    assert.equal(changedCells(JSON.stringify({ version: "a1", cells: [], charts })), undefined);
  }
});

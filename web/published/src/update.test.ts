import assert from "node:assert/strict";
import test from "node:test";
import { changedCells } from "./update.ts";

test("an update names the cells that differ", () => {
  const cells = [{ address: "B2", classes: "n", style: "text-align:right;", html: "3" }];
  assert.deepEqual(changedCells('{"version":"a1","cells":[["B2","n","text-align:right;","3"]]}'), { version: "a1", cells });
});

test("anything else is no update", () => {
  for (const text of ["", "null", "[]", '{"version":1,"cells":[]}', '{"version":"a","cells":[["B2","n"]]}', '{"version":"a"}']) {
    assert.equal(changedCells(text), undefined, text);
  }
});

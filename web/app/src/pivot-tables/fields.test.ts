import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails, PivotColumn } from "@quadrille/protocol";
import { changed, fieldsOf, moved, newField } from "./fields.ts";

const REGION: PivotColumn = { name: "Region", reference: "=$A:$A", isNumber: false, isDate: false };
const AMOUNT: PivotColumn = { name: "Amount", reference: "=$B:$B", isNumber: true, isDate: false };
const item = {
  id: 7,
  kind: "pivotTable",
  anchors: ["D1"],
  fields: {
    rows: [{ column: "=$A:$A", order: "descending" }, { column: "=$C:$C" }],
    values: [{ column: "=$B:$B", function: "median" }],
  },
} as unknown as ItemDetails;

test("numbers are added up, everything else is counted", () => {
  assert.deepEqual(newField(AMOUNT, "values"), { column: "=$B:$B", function: "sum" });
  assert.deepEqual(newField(REGION, "values"), { column: "=$A:$A", function: "count" });
  assert.deepEqual(newField({ ...AMOUNT, isDate: true }, "rows"), { column: "=$B:$B" });
});

test("a field moves within its list and to others", () => {
  assert.deepEqual(moved(item, { part: "rows", index: 1 }, { part: "rows", index: 0 }, undefined), {
    rows: [{ column: "=$C:$C" }, { column: "=$A:$A", order: "descending" }],
  });
  assert.deepEqual(moved(item, { part: "rows", index: 0 }, { part: "columns", index: 0 }, REGION), {
    rows: [{ column: "=$C:$C" }],
    columns: [{ column: "=$A:$A", order: "descending" }],
  });
  assert.deepEqual(moved(item, { part: "values", index: 0 }, { part: "rows", index: 2 }, AMOUNT), {
    values: [],
    rows: [...fieldsOf(item, "rows"), { column: "=$B:$B" }],
  });
});

test("null removes an entry of a field", () => {
  assert.deepEqual(changed({ column: "=$A:$A", rank: 3 }, { rank: null, order: "ascending" }), { column: "=$A:$A", order: "ascending" });
});

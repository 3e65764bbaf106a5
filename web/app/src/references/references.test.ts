import assert from "node:assert/strict";
import { test } from "node:test";
import { absoluteName, parseReference } from "./references.ts";

const SHEETS = [
  { id: 1, name: "Sheet1" },
  { id: 7, name: "It's mine" },
];

test("references are parsed in all written forms", () => {
  const b2 = { top: 1, left: 1, bottom: 1, right: 1 };
  assert.deepEqual(parseReference("b2", SHEETS), { sheet: undefined, range: b2 });
  assert.deepEqual(parseReference("=Sheet1!$B$2", SHEETS), { sheet: 1, range: b2 });
  assert.deepEqual(parseReference("'It''s mine'!B2:C3", SHEETS), { sheet: 7, range: { ...b2, bottom: 2, right: 2 } });
  assert.equal(parseReference("Sheet9!A1", SHEETS), undefined);
  assert.equal(parseReference("SUM(A1:A2)", SHEETS), undefined);
});

test("the definition of a name has the sheet and absolute references", () => {
  assert.equal(absoluteName("Sheet1", "A1:B2"), "Sheet1!$A$1:$B$2");
  assert.equal(absoluteName("It's mine", "C:C"), "'It''s mine'!$C:$C");
  assert.equal(absoluteName("Q1", "3:4"), "'Q1'!$3:$4");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PivotColumn } from "@quadrille/protocol";
import { displayedCalculation, storedCalculation } from "./calculated-fields.ts";

function column(name: string, letters: string): PivotColumn {
  return { name, reference: `=Sheet1!$${letters}:$${letters}`, isNumber: true, isDate: false };
}

const COLUMNS = [column("Revenue", "A"), column("Unit price", "AB"), column("Q1", "C"), column("Owner's share", "D")];

test("names of columns become references and names again", () => {
  for (const [typed, stored] of [
    ["=Revenue/'Unit price'", "=Sheet1!$A:$A/Sheet1!$AB:$AB"],
    ["=IF(Q1>1,Revenue,\"Revenue\")", "=IF(Sheet1!$C:$C>1,Sheet1!$A:$A,\"Revenue\")"],
    ["='Owner''s share'*2", "=Sheet1!$D:$D*2"],
    ["=TRUE", "=TRUE"],
  ] as const) {
    assert.deepEqual(storedCalculation(typed, COLUMNS), { stored });
    assert.equal(displayedCalculation(stored, COLUMNS), typed);
  }
  assert.deepEqual(storedCalculation("revenue / [unit price]", COLUMNS), { stored: "=Sheet1!$A:$A / Sheet1!$AB:$AB" });
});

test("the first name that no column has is reported", () => {
  assert.deepEqual(storedCalculation("=Revenue+Costs+Tax", COLUMNS), { unknown: "Costs" });
  assert.deepEqual(storedCalculation("=SUM(Revenue,'No such')", COLUMNS), { unknown: "No such" });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { closedFormula } from "./closed-formula.ts";

test("what a formula opens is closed", () => {
  for (const [formula, closed] of [
    ["=SUM(A1:A3", "=SUM(A1:A3)"],
    ["=IF(A1>1,ROUND(A2,1", "=IF(A1>1,ROUND(A2,1))"],
    ["=IF(A1>1,ROUND(A2,1)", "=IF(A1>1,ROUND(A2,1))"],
    ["=SUM({1,2;3,4", "=SUM({1,2;3,4})"],
    ["=SUM(Sales[Units", "=SUM(Sales[Units])"],
    ['="a (b', '="a (b"'],
    ['=UPPER("say ""yes""', '=UPPER("say ""yes""")'],
    ["=SUM('Q1 (north)'!A1", "=SUM('Q1 (north)'!A1)"],
    ["=SUM(A1 ", "=SUM(A1)"],
  ] as const) {
    assert.equal(closedFormula(formula), closed);
  }
});

test("a formula that is closed, or closes something else, stays", () => {
  for (const formula of ["=SUM(A1)", "=1+", "=A1)", "=SUM(A1}", '="("']) {
    assert.equal(closedFormula(formula), undefined);
  }
});

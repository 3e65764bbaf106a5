import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange } from "@quadrille/grid";
import { type DataTable, dataTableCommand, dataTableFormula, dataTableProblem } from "./data-table.ts";

function cell(name: string | undefined) {
  const range = name === undefined ? undefined : parseRange(name);
  return range && { row: range.top, column: range.left };
}

function table(range: string, rowInput?: string, columnInput?: string): DataTable {
  const parsed = parseRange(range);
  assert.ok(parsed);
  return { range: parsed, rowInput: cell(rowInput), columnInput: cell(columnInput) };
}

// The formulas are those that LibreOffice writes for such tables (`soffice --convert-to ods`).
test("one column of values, one row of values, or both", () => {
  assert.equal(dataTableFormula(table("D1:F4", undefined, "B1")), "=MULTIPLE.OPERATIONS(E$1,$B$1,$D2)");
  assert.equal(dataTableFormula(table("A10:D11", "B2")), "=MULTIPLE.OPERATIONS($A11,$B$2,B$10)");
  assert.equal(dataTableFormula(table("A20:D23", "B2", "B1")), "=MULTIPLE.OPERATIONS($A$20,$B$1,$A21,$B$2,B$20)");
});

test("the formula is entered into all results", () => {
  assert.deepEqual(dataTableCommand(3, table("D1:F4", undefined, "B1")), {
    type: "typeEverywhere",
    sheet: 3,
    range: "E2:F4",
    text: "=MULTIPLE.OPERATIONS(E$1,$B$1,$D2)",
  });
});

test("tables that cannot be made", () => {
  const problem = (...[range, rowInput, columnInput]: Parameters<typeof table>) => dataTableProblem(table(range, rowInput, columnInput));
  assert.equal(problem("D1:F4", "B1"), undefined);
  assert.equal(problem("D1:D4", "B1"), "noResults");
  assert.equal(problem("D1:F1", "B1"), "noResults");
  assert.equal(problem("A5:CW106", "B1"), "tooManyResults");
  assert.equal(problem("A5:CW105", "B1"), undefined);
  assert.equal(problem("D1:F4"), "noInput");
  assert.equal(problem("D1:F4", "B1", "B1"), "sameInputs");
  assert.equal(problem("D1:F4", "E2", "B1"), "rowInputInTable");
  assert.equal(problem("D1:F4", "B1", "D1"), "columnInputInTable");
});

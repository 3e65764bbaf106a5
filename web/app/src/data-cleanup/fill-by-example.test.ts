import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellTable, ReadCell } from "@quadrille/protocol";
import { fillColumn } from "./fill-by-example.ts";

/** A table at A1; cells of digits are numbers, others texts, and `""` is blank. */
function table(...rows: readonly (readonly string[])[]): CellTable {
  const cell = (text: string): ReadCell => ({ text, ...(text !== "" && { value: /^\d+$/.test(text) ? Number(text) : text }) });
  return { left: 0, isCutShort: false, leftOut: [], rows: rows.map((texts, row) => ({ row, cells: texts.map(cell) })) };
}

test("blank cells of the column are filled, and entered ones stay", () => {
  const people = table(["first", "last", "user"], ["Ann", "Lee", "alee"], ["Bo", "Marsh", ""], ["Cy", "Ng", "cng"], ["", "", ""], ["Di", "Ode", ""]);
  assert.deepEqual(fillColumn(people, 2), [
    { row: 2, content: { text: "bmarsh" } },
    { row: 5, content: { text: "dode" } },
  ]);
  assert.deepEqual(fillColumn(people, 2, { top: 4, bottom: 9, left: 2, right: 2 }), [{ row: 5, content: { text: "dode" } }]);
});

test("a column before its sources is filled, without a header", () => {
  assert.deepEqual(fillColumn(table(["Lee", "Ann Lee"], ["", "Bo Marsh"]), 0), [{ row: 1, content: { text: "Marsh" } }]);
});

test("numbers are entered as they would be typed, texts of digits stay texts", () => {
  assert.deepEqual(fillColumn(table(["a 7", "7"], ["b 12", ""]), 1), [{ row: 1, content: { typed: "12" } }]);
  const codes = table(["7-a", "007"], ["8-b", ""]);
  const asTexts = { ...codes, rows: codes.rows.map(({ row, cells }) => ({ row, cells: cells.map((cell) => ({ ...cell, value: cell.text })) })) };
  assert.deepEqual(fillColumn(asTexts, 1), [{ row: 1, content: { text: "008" } }]);
});

test("without examples, sources or a pattern nothing is filled", () => {
  assert.equal(fillColumn(table(["Ann", ""], ["Bo", ""]), 1), undefined);
  assert.equal(fillColumn(table(["Ann"], [""]), 0), undefined);
  assert.equal(fillColumn(table(["Ann", "x"], ["Bo", "y"], ["Cy", ""]), 1), undefined);
});

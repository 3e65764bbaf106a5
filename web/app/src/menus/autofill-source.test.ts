import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange, type Range } from "@quadrille/grid";
import type { ReadCell, RowOfCells } from "@quadrille/protocol";
import { autofillSource } from "./autofill-source.ts";

/** Rows of cells from B2, `""` for blank ones. */
function rows(...texts: readonly (readonly string[])[]): RowOfCells[] {
  return texts.map((row, down) => ({ row: 1 + down, cells: row.map((text): ReadCell => (text === "" ? { text } : { text, value: text })) }));
}

function range(name: string): Range {
  return parseRange(name) ?? assert.fail(name);
}

test("rows with contents are continued into the blank rows below them", () => {
  assert.deepEqual(autofillSource(range("B2:C5"), rows(["1", ""], ["2", "x"], ["", ""], ["", ""])), range("B2:C3"));
  // Blank rows at the end can be missing in the answer, and a gap is part of the pattern.
  assert.deepEqual(autofillSource(range("B2:B9"), rows(["1"], [""], ["3"])), range("B2:B4"));
});

test("without blank rows, columns are continued", () => {
  assert.deepEqual(autofillSource(range("B2:E3"), rows(["1", "2", "", ""], ["5", "", "", ""])), range("B2:C3"));
});

test("nothing is continued where all cells or none have contents", () => {
  assert.equal(autofillSource(range("B2:B3"), rows(["1"], ["2"])), undefined);
  assert.equal(autofillSource(range("B2:B3"), rows([""], [""])), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName, parseRange, type Range, rangeName } from "./address.ts";
import {
  addSelection,
  extendBy,
  extendTo,
  shiftRange,
  shiftSelection,
  selectCell,
  selectColumns,
  type Selection,
  selectRange,
  selectRows,
  step,
  nextCell,
} from "./selection.ts";

const range = (name: string): Range => {
  const parsed = parseRange(name);
  assert.ok(parsed, name);
  return parsed;
};
const cell = (name: string) => ({ row: range(name).top, column: range(name).left });
const show = (selection: Selection): string =>
  `${selection.ranges.map(rangeName).join(" ")} @${cellName(selection.active)}`;

test("extending keeps the anchor and the active cell", () => {
  const start = selectCell(cell("C3"));
  assert.equal(show(extendTo(start, cell("E5"))), "C3:E5 @C3");
  assert.equal(show(extendTo(extendTo(start, cell("E5")), cell("A1"))), "A1:C3 @C3");
  assert.equal(show(extendBy(start, -1, 2)), "C2:E3 @C3");
  assert.equal(show(extendBy(selectCell(cell("A1")), -1, -1)), "A1 @A1");
});

test("whole rows and columns stay whole", () => {
  assert.equal(show(extendBy(selectRows(2, 2), 1, 5)), "3:4 @A3");
  assert.equal(show(extendBy(selectColumns(2, 3), 1, 1)), "C:E @C1");
});

test("adding a range keeps the others", () => {
  const both = addSelection(selectRange(range("A1:B2")), selectCell(cell("D4")));
  assert.equal(show(both), "A1:B2 D4 @D4");
  assert.equal(show(extendTo(both, cell("E5"))), "A1:B2 D4:E5 @D4");
});

test("Enter and Tab cycle through a range and move a single cell", () => {
  let selection = selectRange(range("A1:B2"));
  const active = [0, 1, 2, 3].map(() => {
    selection = nextCell(selection, true, false);
    return cellName(selection.active);
  });
  assert.deepEqual(active, ["A2", "B1", "B2", "A1"]);
  assert.equal(show(nextCell(selection, false, true)), "A1:B2 @B2");
  assert.equal(show(nextCell(selectCell(cell("A1")), true, true)), "A1 @A1");
  assert.equal(show(nextCell(selectCell(cell("A1")), false, false)), "B1 @B1");
});

test("Enter after Tab moves below the cell of the first Tab", () => {
  const keys = (from: string, typed: string): string => {
    let selection = selectCell(cell(from));
    for (const key of typed) {
      selection = key === "^" ? step(selection, -1, 0) : nextCell(selection, key === "E", key === "<");
    }
    return show(selection);
  };
  for (const [typed, ends] of [
    ["TTE", "B3 @B3"],
    ["TTETE", "B4 @B4"],
    ["TE", "B3 @B3"],
    ["T<E", "B3 @B3"],
    ["TT<E", "B3 @B3"],
    ["<E", "A3 @A3"],
    ["T^TE", "C2 @C2"],
    ["EE", "B4 @B4"],
  ] as const) {
    assert.equal(keys("B2", typed), ends, typed);
  }
});

test("a selection shifts with inserted and deleted rows and columns", () => {
  const cases: [string, "rows" | "columns", number, number, boolean, string | undefined][] = [
    ["C3", "rows", 0, 2, true, "C5"],
    ["C3", "rows", 3, 2, true, "C3"],
    ["C3:C6", "rows", 4, 1, true, "C3:C7"],
    ["C3:C6", "rows", 0, 1, false, "C2:C5"],
    ["C3:C6", "rows", 3, 10, false, "C3"],
    ["C3:C6", "rows", 2, 10, false, undefined],
    ["C3", "columns", 0, 1, false, "B3"],
    ["A:C", "rows", 0, 5, true, "A:C"],
  ];
  for (const [before, lines, first, count, isInsert, after] of cases) {
    const moved = shiftRange(range(before), { lines, first, count, isInsert, to: null });
    assert.equal(moved && rangeName(moved), after, `${before} ${lines} ${first} ${count} ${isInsert}`);
  }
  const deleted = shiftSelection(selectCell(cell("C3")), { lines: "rows", first: 2, count: 1, isInsert: false, to: null });
  assert.equal(show(deleted), "C3 @C3");
});

test("a selection follows moved rows", () => {
  // Rows 3 and 4 are moved before row 7 or before row 2.
  const cases: [before: string, to: number, after: string][] = [
    ["B3", 6, "B5"],
    ["B3:C4", 6, "B5:C6"],
    ["B6", 6, "B4"],
    ["B7", 6, "B7"],
    ["A1:C9", 6, "A1:C9"],
    ["B3", 1, "B2"],
    ["B2", 1, "B4"],
    ["A:B", 1, "A:B"],
  ];
  for (const [before, to, after] of cases) {
    const moved = shiftRange(range(before), { lines: "rows", first: 2, count: 2, isInsert: false, to });
    assert.equal(moved && rangeName(moved), after, `${before} ${to}`);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellTable, ReadCell } from "@quadrille/protocol";
import { cleanUpSuggestions, isOneEditApart } from "./suggestions.ts";

/** A column at C1 below a header: numbers, texts, formulas with `=`, and blanks. */
function column(...values: readonly (string | number)[]): CellTable {
  const cell = (value: string | number): ReadCell =>
    typeof value === "string" && value.startsWith("=")
      ? { text: " x ", value: " x ", formula: value }
      : { text: String(value), ...(value !== "" && { value }) };
  return { left: 2, isCutShort: false, leftOut: [], rows: ["header", ...values].map((value, row) => ({ row, cells: [cell(value)] })) };
}

/** Suggestions as `kind C2: from → to`. */
function found(table: CellTable): readonly string[] {
  return cleanUpSuggestions(table, true).flatMap(({ kind, corrections }) =>
    corrections.map(({ row, column: at, from, to }) => `${kind} ${String.fromCharCode(65 + at)}${row + 1}: ${from} → ${to}`),
  );
}

test("whitespace around and within texts is found, not that of formulas and line breaks", () => {
  assert.deepEqual(found(column(" a", "b", "c  d", "e\u00a0", "=A1", "f\ng")), [
    "whitespace C2:  a → a",
    "whitespace C4: c  d → c d",
    "whitespace C5: e\u00a0 → e",
  ]);
});

test("numbers stored as text are found in columns of numbers", () => {
  assert.deepEqual(found(column(1, 2.5, "30", "-4,5", 7)), ["numbers C4: 30 → 30", "numbers C5: -4,5 → -4,5"]);
  // Codes: in a column of texts, with leading zeros, or longer than a number keeps.
  assert.deepEqual(found(column("12", "A7", "15", "B2")), []);
  assert.deepEqual(found(column(1, 2, "007")), []);
  assert.deepEqual(found(column(1, 2, "1234567890123456")), []);
  assert.deepEqual(found(column("1", "2")), []);
});

test("other spellings of a frequent text are found", () => {
  assert.deepEqual(found(column("New York", "New York", "new-york", "Oslo", "NEW YORK")), [
    "spelling C4: new-york → New York",
    "spelling C6: NEW YORK → New York",
  ]);
  assert.deepEqual(found(column("Bergen", "Bergen", "Bergen", "Bregen", "Bergem", "Berlin")), [
    "spelling C5: Bregen → Bergen",
    "spelling C6: Bergem → Bergen",
  ]);
  // As frequent, too short, or different by a digit.
  assert.deepEqual(found(column("Bergen", "Bergem")), []);
  assert.deepEqual(found(column("Rome", "Rome", "Rome", "Roma")), []);
  assert.deepEqual(found(column("Room 12", "Room 12", "Room 12", "Room 13")), []);
  assert.deepEqual(found(column("a", "A")), []);
});

test("the first row is data without a header", () => {
  assert.equal(cleanUpSuggestions({ ...column(), rows: [{ row: 0, cells: [{ text: " a", value: " a" }] }] }, false).length, 1);
  assert.deepEqual(cleanUpSuggestions({ left: 0, isCutShort: false, leftOut: [], rows: [] }, true), []);
});

test("one edit is an insertion, a deletion, a replacement or an exchange", () => {
  for (const [a, b, expected] of [
    ["bergen", "bergan", true],
    ["bergen", "brgen", true],
    ["bergen", "bergenn", true],
    ["bergen", "bregen", true],
    ["bergen", "bergen", false],
    ["bergen", "bragen", false],
    ["bergen", "berge nn", false],
    ["", "a", true],
    ["ab", "ba", true],
    ["abc", "cba", false],
  ] as const) {
    assert.equal(isOneEditApart(a, b), expected, `${a} ${b}`);
    assert.equal(isOneEditApart(b, a), expected, `${b} ${a}`);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { columnName, COLUMNS_MAX, parseRange, rangeName, ROWS_MAX } from "./address.ts";

test("columns are named A to XFD", () => {
  const cases: [number, string][] = [[0, "A"], [25, "Z"], [26, "AA"], [701, "ZZ"], [702, "AAA"], [16_383, "XFD"]];
  for (const [column, name] of cases) {
    assert.equal(columnName(column), name);
  }
});

test("formatting a parsed range gives its text again", () => {
  for (const name of ["A1", "B2:C3", "A:C", "2:5", "XFD1048576", "A:XFD"]) {
    const range = parseRange(name);
    assert.ok(range, name);
    assert.equal(rangeName(range), name === "A:XFD" ? `1:${ROWS_MAX}` : name);
  }
  assert.deepEqual(parseRange("$c$3:a1"), { top: 0, left: 0, bottom: 2, right: 2 });
});

test("addresses outside the sheet do not parse", () => {
  for (const name of ["", "A0", "XFE1", "A1048577", "A1:", "hello", "1", "A", "A1:B"]) {
    assert.equal(parseRange(name), undefined, name);
  }
  assert.equal(parseRange("XFD:XFD")?.left, COLUMNS_MAX - 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange, type Range, rangeName } from "@quadrille/grid";
import type { CellTable } from "@quadrille/protocol";
import { joinedRanges, joinedRows } from "./joined-ranges.ts";

function joined(...names: readonly string[]): string | undefined {
  const ranges = names.map((name) => parseRange(name)).filter((range): range is Range => range !== undefined);
  const found = joinedRanges(ranges);
  return found && `${found.areStacked ? "below" : "beside"} ${found.ranges.map(rangeName).join(" ")}`;
}

test("ranges with the same rows or columns are joined in the order of the sheet", () => {
  assert.equal(joined("C1:C3", "A1:A3"), "beside A1:A3 C1:C3");
  assert.equal(joined("A5:B6", "A1:B1", "A3:B3"), "below A1:B1 A3:B3 A5:B6");
  assert.equal(joined("A1", "C2"), undefined);
  assert.equal(joined("A1:A3", "C1:C2"), undefined);
  assert.equal(joined("A1:B3", "B1:C3"), undefined);
});

test("a table that ends early has blank cells beside a longer one", () => {
  const table = (left: number, ...texts: readonly string[]): CellTable => ({
    rows: texts.map((text, row) => ({ row, cells: [{ text }] })),
    left,
    isCutShort: false,
    leftOut: [],
  });
  const texts = (areStacked: boolean) => joinedRows([table(0, "a", "b"), table(2, "c")], areStacked).map((cells) => cells.map(({ text }) => text).join("|"));
  assert.deepEqual(texts(false), ["a|c", "b|"]);
  assert.deepEqual(texts(true), ["a", "b", "c"]);
});

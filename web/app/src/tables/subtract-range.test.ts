import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange, rangeName } from "@quadrille/grid";
import { subtract } from "./subtract-range.ts";

test("a column is taken out of the ranges of a rule", () => {
  const parts = (range: string, hole: string): string => {
    const [from, cut] = [parseRange(range), parseRange(hole)];
    return from && cut ? subtract(from, cut).map(rangeName).join(" ") : "";
  };
  assert.equal(parts("A1:C9", "B2:B9"), "A1:C1 A2:A9 C2:C9");
  assert.equal(parts("B2:B9", "B2:B9"), "");
  assert.equal(parts("B2:B12", "B2:B9"), "B10:B12");
  assert.equal(parts("D2:D9", "B2:B9"), "D2:D9");
});

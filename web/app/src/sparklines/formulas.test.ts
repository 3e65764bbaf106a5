import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOfEach, sparklineFormula, DEFAULT_COLOR, defaultTarget } from "./formulas.ts";

const DEFAULTS = { kind: "line", color: DEFAULT_COLOR, negativeColor: undefined, axis: false } as const;
const range = (top: number, left: number, bottom: number, right: number) => ({ top, left, bottom, right });

test("a formula contains only options that differ from the defaults", () => {
  assert.equal(sparklineFormula("A1:A5", DEFAULTS), "=SPARKLINE(A1:A5)");
  assert.equal(
    sparklineFormula("A1:A5", { kind: "column", color: "#ff0000", negativeColor: "#0000ff", axis: true }),
    '=SPARKLINE(A1:A5,{"charttype","column";"color","#ff0000";"negcolor","#0000ff";"axis",TRUE})',
  );
  assert.equal(
    sparklineFormula("A1:A5", { kind: "bar", color: "#ff0000", negativeColor: "#0000ff", axis: true }),
    '=SPARKLINE(A1:A5,{"charttype","bar";"color1","#ff0000"})',
  );
});

test("each target cell gets one row or column of the data", () => {
  assert.deepEqual(dataOfEach(range(1, 0, 2, 5), range(1, 6, 2, 6)), [[range(1, 0, 1, 5)], [range(2, 0, 2, 5)]]);
  assert.deepEqual(dataOfEach(range(1, 0, 4, 1), range(5, 0, 5, 1)), [[range(1, 0, 4, 0), range(1, 1, 4, 1)]]);
  assert.deepEqual(dataOfEach(range(1, 0, 4, 1), range(9, 9, 9, 9)), [[range(1, 0, 4, 1)]]);
  assert.equal(dataOfEach(range(1, 0, 4, 1), range(5, 0, 7, 1)), undefined);
});

test("the default target is beside rows and below a column", () => {
  assert.deepEqual(defaultTarget(range(1, 0, 2, 5)), range(1, 6, 2, 6));
  assert.deepEqual(defaultTarget(range(1, 2, 4, 2)), range(5, 2, 5, 2));
});

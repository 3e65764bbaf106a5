import assert from "node:assert/strict";
import { test } from "node:test";
import { proposedText } from "./suggestions.ts";

test("a proposed value reads as it does in a cell with its number format", () => {
  for (const [formula, value, format, text] of [
    ["=A1*2", "", "", "=A1*2"],
    ["", "", "", ""],
    ["", "'12", "", "12"],
    ["", "TRUE", "", "TRUE"],
    ["", "0.12", "0%", "12%"],
    // Serial numbers of dates, ECMA-376 part 1, 18.17.4.1: 1 is the first of January of 1900.
    ["", "45657", "yyyy-mm-dd", "2024-12-31"],
    ["", "45657.5", "d/m/yyyy h:mm", "2024-12-31 12:00"],
    ["", "0.25", "[h]:mm", "06:00"],
    ["", "3", '"day" 0', "3"],
  ] as const) {
    assert.equal(proposedText(formula, value, format), text, `${value} ${format}`);
  }
});

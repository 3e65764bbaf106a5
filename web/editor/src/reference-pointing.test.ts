import assert from "node:assert/strict";
import { test } from "node:test";
import { canPoint, insertReference } from "./reference-pointing.ts";

/** `|` is the caret. */
const can = (text: string): boolean => canPoint(text.replace("|", ""), text.indexOf("|"), undefined);

test("point mode follows an operator, a bracket or a comma, in formulas only", () => {
  for (const text of ["=|", "=SUM(|", "=A1+|", "=SUM(A1, |", "=A1:|", '="a"&|', "+|", "+A1-|", "-A1+|", "-SUM(|"]) {
    assert.ok(can(text), text);
  }
  for (const text of ["|", "a+|", "=A1|", "=SUM(A1)|", '="a+|', "=2|", "-|", "x+|", "+A1|"]) {
    assert.ok(!can(text), text);
  }
});

test("a second reference replaces the first", () => {
  const first = insertReference("=SUM()", 5, undefined, "A1");
  assert.deepEqual(first, { text: "=SUM(A1)", pointed: { start: 5, end: 7 } });
  assert.ok(canPoint(first.text, 7, first.pointed));
  assert.equal(insertReference(first.text, 7, first.pointed, "A1:B9").text, "=SUM(A1:B9)");
});

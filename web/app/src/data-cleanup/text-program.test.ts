import assert from "node:assert/strict";
import { test } from "node:test";
import { learnTextProgram } from "./text-program.ts";

/** Rows of inputs with the expected output; the first `shown` rows are the examples. */
function check(shown: number, rows: readonly (readonly [inputs: readonly string[], output: string | undefined])[]): void {
  const examples = rows.slice(0, shown).map(([inputs, output]) => ({ inputs, output: output ?? "" }));
  const program = learnTextProgram(examples);
  assert.ok(program, "no program agrees with the examples");
  for (const [inputs, output] of rows) {
    assert.equal(program(inputs), output, inputs.join(" | "));
  }
}

test("columns are joined", () => {
  check(1, [
    [["Ann", "Lee"], "Ann Lee"],
    [["Bo", "Marsh"], "Bo Marsh"],
    [["Mary Jane", "de la Cruz"], "Mary Jane de la Cruz"],
  ]);
  check(1, [
    [["Ann", "Lee"], "Lee, Ann"],
    [["Bo", "Marsh"], "Marsh, Bo"],
  ]);
});

test("parts of a text are taken", () => {
  check(1, [
    [["Ann Lee"], "Lee"],
    [["Bo Henry Marsh"], "Marsh"],
    [["Zoë O’Neill"], "O’Neill"],
  ]);
  check(1, [
    [["Ann Lee"], "Ann"],
    [["Bo Marsh"], "Bo"],
  ]);
  check(1, [
    [["Oslo (NO)"], "NO"],
    [["Rome (IT)"], "IT"],
    [["New York (US)"], "US"],
  ]);
  check(2, [
    [["ann.lee@example.org"], "example.org"],
    [["bo@mail.example.com"], "mail.example.com"],
    [["cy-d@host.net"], "host.net"],
  ]);
});

test("initials, prefixes and letter cases are recognized", () => {
  check(1, [
    [["Ann", "Lee"], "A. Lee"],
    [["Bo", "Marsh"], "B. Marsh"],
  ]);
  check(1, [
    [["Ann", "Lee"], "AL"],
    [["Bo", "Marsh"], "BM"],
  ]);
  check(1, [
    [["ann lee"], "Ann Lee"],
    [["bo van dyk"], "Bo Van Dyk"],
  ]);
  check(1, [
    [["Ann", "Lee"], "ann.lee@example.org"],
    [["Bo", "Marsh"], "bo.marsh@example.org"],
  ]);
  check(2, [
    [["Laptop", "2026"], "LAP-26"],
    [["Monitor", "2025"], "MON-25"],
    [["Keyboard", "1999"], "KEY-99"],
  ]);
});

test("digits are put into another form", () => {
  check(1, [
    [["5551234567"], "(555) 123-4567"],
    [["2065550100"], "(206) 555-0100"],
  ]);
  check(1, [
    [["2026-11-28"], "28.11.2026"],
    [["1999-01-05"], "05.01.1999"],
  ]);
  check(1, [
    [["+49 30 1234-56"], "030 1234-56"],
    [["+49 89 777-8"], "089 777-8"],
  ]);
});

test("a second example decides among programs", () => {
  const rows = [
    [["Ann Marie Lee"], "Marie"],
    [["Bo Henry Marsh"], "Henry"],
  ] as const;
  check(2, [...rows, [["Cy Otto van Dyk"], "Otto"]]);
  // Only several equal texts are a pattern.
  check(2, [
    [["red"], "x"],
    [["green"], "x"],
    [["blue"], "x"],
  ]);
});

test("rows without the needed parts have no result", () => {
  check(1, [
    [["Oslo (NO)"], "NO"],
    [["Rome"], undefined],
    [[""], undefined],
  ]);
});

test("contradicting and too long examples are refused", () => {
  const learn = (...rows: readonly (readonly [string, string])[]) =>
    learnTextProgram(rows.map(([input, output]) => ({ inputs: [input], output })));
  assert.equal(learn(["a", "b"], ["a", "c"]), undefined);
  assert.equal(learn(["Ann", ""]), undefined);
  assert.equal(learn(["red", "x"]), undefined);
  assert.equal(learn(["x".repeat(301), "x"]), undefined);
  assert.equal(learnTextProgram([]), undefined);
  // Finishes soon for repetitive texts.
  assert.ok(learn(["ab ".repeat(90), "ab ".repeat(90)]));
});

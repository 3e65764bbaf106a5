import assert from "node:assert/strict";
import { test } from "node:test";
import { bracketsAt, cycleAbsolute, moveReference, references, sheetPrefix, tokens } from "./tokens.ts";

const kinds = (formula: string): string =>
  tokens(formula)
    .filter(({ kind }) => kind !== "space")
    .map(({ kind, start, end }) => `${kind}:${formula.slice(start, end)}`)
    .join(" ");

test("a formula is split into tokens", () => {
  assert.equal(
    kinds('=SUM(A1:B2, $C$3)*1.5e3&"A1" '),
    'operator:= function:SUM bracket:( reference:A1:B2 operator:, reference:$C$3 bracket:) operator:* number:1.5e3 operator:& text:"A1"',
  );
  assert.equal(
    kinds("=LOG10(Rate)+'My sheet'!A:A-Data!3:4"),
    "operator:= function:LOG10 bracket:( name:Rate bracket:) operator:+ reference:'My sheet'!A:A operator:- reference:Data!3:4",
  );
  assert.equal(kinds("=A1_total+#REF!"), "operator:= name:A1_total operator:+ error:#REF!");
  assert.equal(kinds('=IF(A1="half'), 'operator:= function:IF bracket:( reference:A1 operator:= text:"half');
  assert.equal(kinds("plain A1"), "");
});

test("references have a sheet and a range", () => {
  assert.deepEqual(
    references("='It''s'!B2+C:C").map(({ sheet, range }) => [sheet, range.top, range.left, range.right]),
    [
      ["It's", 1, 1, 1],
      [undefined, 0, 2, 2],
    ],
  );
});

test("F4 cycles through the dollar signs", () => {
  const formulas = ["=A1"];
  for (let turn = 0; turn < 4; turn += 1) {
    formulas.push(cycleAbsolute(formulas.at(-1) ?? "", 3)?.text ?? "");
  }
  assert.deepEqual(formulas, ["=A1", "=$A$1", "=A$1", "=$A1", "=A1"]);
  assert.equal(cycleAbsolute("=SUM(A1:B2)", 7)?.text, "=SUM($A$1:$B$2)");
  assert.equal(cycleAbsolute("=Data!A:A", 9)?.text, "=Data!$A:$A");
  assert.equal(cycleAbsolute("=1+2", 4), undefined);
});

test("moving a reference keeps its sheet and dollar signs", () => {
  const formula = "=Data!$A1:B$2*2";
  const [reference] = references(formula);
  assert.ok(reference);
  assert.equal(moveReference(formula, reference, { top: 4, left: 2, bottom: 6, right: 3 }).text, "=Data!$C5:D$7*2");
  assert.equal(moveReference(formula, reference, { top: 4, left: 2, bottom: 4, right: 2 }).text, "=Data!$C5*2");
});

test("brackets are matched", () => {
  assert.deepEqual(bracketsAt("=SUM((1+2)*3)", 13), [12, 4]);
  assert.deepEqual(bracketsAt("=SUM((1+2)*3)", 5), [4, 12]);
  assert.deepEqual(bracketsAt("=SUM(", 5), [4]);
  assert.deepEqual(bracketsAt('="("', 3), []);
});

test("sheet names are quoted if necessary", () => {
  assert.deepEqual(["Data", "My sheet", "It's", "A1", "Ü_1"].map(sheetPrefix), ["Data!", "'My sheet'!", "'It''s'!", "'A1'!", "Ü_1!"]);
});

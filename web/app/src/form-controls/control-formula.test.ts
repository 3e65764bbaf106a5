import assert from "node:assert/strict";
import { test } from "node:test";
import { A1 } from "@quadrille/editor";
import { controlFormula, textArgument, withValue } from "./control-formula.ts";

const CHANGES: readonly (readonly [formula: string, value: string, changed: string])[] = [
  ['=TEXTBOX("")', "Ada", '=TEXTBOX("Ada")'],
  ['=textbox( A1 )', 'say "hi"', '=textbox("say ""hi""")'],
  ['=SELECT("red","red,blue",2)', "blue", '=SELECT("blue","red,blue",2)'],
  ['=SELECT(IF(A1,"x","y"),B1:B3)', "z", '=SELECT("z",B1:B3)'],
  ['=CHECKBOX("FALSE")+STYLE("margin: 8px")', "TRUE", '=CHECKBOX("TRUE")+STYLE("margin: 8px")'],
  ['=RADIOBUTTON("a";"size")', "TRUE", '=RADIOBUTTON("TRUE";"size")'],
  ["=CHECKBOX(0,5)", "TRUE", '=CHECKBOX("TRUE",5)'],
];

test("the first argument of a control is its value", () => {
  for (const [formula, value, changed] of CHANGES) {
    const control = controlFormula(formula, A1);
    assert.ok(control, formula);
    assert.equal(withValue(control, value), changed);
  }
});

test("other formulas and texts are no controls", () => {
  for (const text of ["TEXTBOX", "=A1", '="a"&TEXTBOX("b")', "=TEXTBOX", "=TEXTBOX(", '=BUTTON("Send")', "=SUM(A1)", ""]) {
    assert.equal(controlFormula(text, A1), undefined, text);
  }
});

test("arguments are texts or references", () => {
  const control = controlFormula('=SELECT("a" , "a,b;""c""", Sheet2!B1:B3 )', A1);
  assert.deepEqual(control?.arguments, ['"a"', '"a,b;""c"""', "Sheet2!B1:B3"]);
  assert.equal(textArgument(control?.arguments[1]), 'a,b;"c"');
  assert.equal(textArgument("B1:B3"), undefined);
});

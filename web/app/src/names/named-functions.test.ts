import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentList, helpOf, lambdaParts, namedFunctions } from "./named-functions.ts";

test("a LAMBDA is split into its parameters and its body", () => {
  for (const [definition, parameters, body] of [
    ["LAMBDA(x,x+1)", ["x"], "x+1"],
    ["LAMBDA(5)", [], "5"],
    ["LAMBDA(x,[y],IF(ISOMITTED(y),x,x*y))", ["x", "[y]"], "IF(ISOMITTED(y),x,x*y)"],
    ['LAMBDA(text,text&",)")', ["text"], 'text&",)"'],
    ["LAMBDA(x,SUM('a,b'!A1,x,{1,2}))", ["x"], "SUM('a,b'!A1,x,{1,2})"],
    ["LAMBDA(a,LAMBDA(b,a+b))", ["a"], "LAMBDA(b,a+b)"],
  ] as const) {
    assert.deepEqual(lambdaParts(definition), { parameters, body });
  }
  for (const other of ["Sheet1!$A$1", "LAMBDA(x,x+1)(2)", "SUM(LAMBDA(x,x)(1))", "LAMBDA(x,)"]) {
    assert.equal(lambdaParts(other), undefined, other);
  }
});

test("names and items make functions with descriptions", () => {
  const functions = namedFunctions(
    [
      { name: "Twice", definition: "LAMBDA(x,[y],2*x)", sheet: null },
      { name: "rate", definition: "Sheet1!$A$1", sheet: null },
      { name: "Plain", definition: "LAMBDA(1)", sheet: null },
    ],
    [{ id: 7, kind: "namedFunction", anchors: [], fields: { formula: "=TWICE", description: "Doubles.", arguments: ["a number"] } }],
  );
  assert.deepEqual(functions.map(({ name }) => name), ["Plain", "Twice"]);
  const [plain, twice] = functions;
  assert.ok(plain && twice);
  assert.equal(plain.item, undefined);
  assert.deepEqual(twice.parameters, [
    { name: "x", isOptional: false, description: "a number" },
    { name: "y", isOptional: true, description: "" },
  ]);
  assert.equal(argumentList(twice), "x, [y]");
  assert.equal(helpOf(twice, "Named functions").searchText, "twice doubles. named functions");
});

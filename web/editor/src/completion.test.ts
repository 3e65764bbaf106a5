import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentParts, callAt, completions, namePart } from "./completion.ts";

/** `|` is the caret. */
const at = (text: string): [string, number] => [text.replace("|", ""), text.indexOf("|")];

test("the prefix at the caret is found in formulas only", () => {
  const cases: [string, string | undefined][] = [
    ["=su|", "su"],
    ["=A1+av|", "av"],
    ["=SUM(IF|", "IF"],
    ["=T.TE|", "T.TE"],
    ["=1+zäh|", "zäh"],
    ["=LIEN_HY|", "LIEN_HY"],
    ["sum|", undefined],
    ['="su|', undefined],
    ["=A1|", "A1"],
    ["=1|", undefined],
    ["=Sheet1!A|", undefined],
  ];
  for (const [text, name] of cases) {
    assert.equal(namePart(...at(text))?.text, name, text);
  }
});

test("the innermost call and the argument index at the caret are found", () => {
  const cases: [string, string | undefined][] = [
    ["=SUM(|", "SUM 0"],
    ["=if(A1>2,|", "IF 1"],
    ["=IF(SUM(A1,A2),(1+|", "IF 1"],
    ["=IF(SUM(A1,|", "SUM 1"],
    ['=IF(",(",|', "IF 1"],
    ["=zählenwenn(A1,|", "ZÄHLENWENN 1"],
    ["=SUM(1)|", undefined],
    ["SUM(|", undefined],
  ];
  for (const [text, expected] of cases) {
    const call = callAt(...at(text));
    assert.equal(call && `${call.name} ${call.argument}`, expected, text);
  }
});

test("with semicolons as separators, commas do not separate arguments", () => {
  const [text, caret] = at("=ROUND(1,5;|");
  assert.equal(callAt(text, caret, ";")?.argument, 1);
  assert.equal(callAt(text, caret, ",")?.argument, 2);
});

test("shorter names come first", () => {
  const functions = ["SUMIFS", "SUM", "SUMIF", "AVERAGE"].map((name) => ({ name, englishName: name, arguments: "", summary: "" }));
  assert.deepEqual(completions(functions, "su", 2).map((known) => known.name), ["SUM", "SUMIF"]);
});

test("functions are found by their names in the language, then by their English names", () => {
  const functions = ([["SUMME", "SUM"], ["SUMMEWENN", "SUMIF"], ["SUMQUADABW", "DEVSQ"], ["ZÄHLENWENN", "COUNTIF"]] as const).map(
    ([name, englishName]) => ({ name, englishName, arguments: "", summary: "" }),
  );
  const found = (typed: string): string[] => completions(functions, typed, 8).map(({ name }) => name);
  assert.deepEqual(found("sum"), ["SUMME", "SUMMEWENN", "SUMQUADABW"]);
  assert.deepEqual(found("sumi"), ["SUMMEWENN"]);
  assert.deepEqual(found("zä"), ["ZÄHLENWENN"]);
});

test("the current argument is marked, and a repeated one stays current", () => {
  const show = (list: string, argument: number): string =>
    argumentParts(list, argument)
      .map((part) => (part.isCurrent ? `*${part.text}*` : part.text))
      .join(" ");
  assert.equal(show("number, [digits]", 1), "number *[digits]*");
  assert.equal(show("value1, [value2], …", 5), "value1 [value2] *…*");
  assert.equal(show("number", 3), "number");
});

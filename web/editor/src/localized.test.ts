import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formulaLanguage, type FormulaLanguage, type FunctionTable } from "./localized.ts";

const ROOT = join(import.meta.dirname, "../../..");
const tableOf = (tag: string): FunctionTable =>
  JSON.parse(readFileSync(join(ROOT, `web/app/src/language/function-names/${tag}.json`), "utf8")) as FunctionTable;
const GERMAN = formulaLanguage({ decimal: ",", list: ";", column: "." }, tableOf("de"));
const LANGUAGES: Readonly<Record<string, FormulaLanguage>> = {
  de: GERMAN,
  fr: formulaLanguage({ decimal: ",", list: ";", column: "." }, tableOf("fr")),
  es: formulaLanguage({ decimal: ",", list: ";", column: "\\" }, tableOf("es")),
};

test("formulas are shown and read as the engine does", () => {
  const lines = readFileSync(join(ROOT, "fixtures/formulas/localized.tsv"), "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.ok(lines.length > 20);
  for (const line of lines) {
    const [tag = "", direction = "", stored = "", shown = ""] = line.split("\t");
    const language = LANGUAGES[tag];
    assert.ok(language, line);
    if (direction === "both") {
      assert.equal(language.displayed(stored), shown, tag);
    }
    assert.equal(language.stored(shown), stored, `${tag}: ${shown}`);
  }
});

test("every function is shown and read again", () => {
  for (const [tag, language] of Object.entries(LANGUAGES)) {
    for (const [english, local] of Object.entries(tableOf(tag).functions)) {
      assert.equal(language.displayed(`${english}(A1,1.5)`), `${local}(A1;1,5)`, tag);
      for (const stored of [`${english}(A1,1.5)`, `MAP(A1:A3,${english})`, `MAP(A1:A3,${local})`, `${local}(1)`]) {
        assert.equal(language.stored(language.displayed(stored)), stored, tag);
      }
    }
  }
});

test("without a table, only separators are converted", () => {
  const german = formulaLanguage(GERMAN.separators, { functions: {}, errors: {} });
  assert.equal(german.displayed("SUM(1.5,A1,SUMME)"), "SUM(1,5;A1;SUMME)");
  assert.equal(german.stored("SUM(1,5;A1;#NV)"), "SUM(1.5,A1,#NV)");
  assert.deepEqual(german.entries, []);
});

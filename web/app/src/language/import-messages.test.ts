import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importDetails, importFailure, importWarnings } from "./import-messages.ts";

const SOURCES = import.meta.dirname;
const RUST = join(SOURCES, "../../../../crates/files/src");

test("every code of a file that could not be read has a sentence of its own", () => {
  const codes = [...readFileSync(join(RUST, "error.rs"), "utf8").matchAll(/=> "([a-z_]+)"/g)].map(([, code]) => code ?? "");
  assert.ok(codes.length > 15);
  const notShown = ["cancelled", "cannot_write"];
  const untold = codes.filter((code) => importFailure({ code, message: "as it is" }) === "As it is" && !notShown.includes(code));
  assert.deepEqual(untold, []);
});

test("the place is told once", () => {
  const quote = { code: "unterminated_quote", message: "row 3, column 2: a quote opens here and never closes", row: 3, column: 2 };
  assert.equal(importFailure(quote), "Row 3, column 2: Unclosed quotation mark.");
  const json = { code: "bad_json", message: "row 7: expected a comma", row: 7 };
  assert.equal(importFailure(json), "Row 7: The file is damaged, or not what its name says.");
  assert.equal(importDetails(json), "expected a comma");
});

test("of a damaged file the part is named, and its English only where details are asked for", () => {
  const broken = { code: "bad_xml", message: "sheet Crates: xl/worksheets/sheet1.xml: the part ends in the middle" };
  assert.equal(importFailure(broken), "The file is damaged: its part xl/worksheets/sheet1.xml cannot be read.");
  assert.equal(importDetails(broken), broken.message);
  assert.equal(importDetails({ code: "encrypted", message: "the workbook is encrypted" }), undefined);
});

test("what was left out is one sentence, also when we have no word for it", () => {
  const told = (...warnings: readonly string[]) => importWarnings(warnings);
  assert.deepEqual(told("left out: charts and drawings"), ["Left out: charts and drawings"]);
  assert.deepEqual(told("left out: Chart1, which is no sheet with cells"), ["Left out: Chart1, which is no sheet with cells"]);
  assert.deepEqual(told("left out: items beyond 20000 of one sheet"), ["Left out: charts, rules, comments and the like beyond 20,000 of one sheet"]);
  assert.deepEqual(told("left out: borders", "the second sheet is hidden", "left out: news"), ["Left out: borders and news", "The second sheet is hidden"]);
  assert.deepEqual(told("charts with depth are drawn flat"), ["Charts with depth are drawn flat"]);
  assert.deepEqual(told(), []);
});

test("of a long list the rest is a number", () => {
  const things = ["a", "b", "c", "d", "e", "f", "g", "h"].map((thing) => `left out: ${thing}`);
  assert.deepEqual(importWarnings(things), ["Left out: a, b, c, d, e, and f (+2)"]);
});

test("everything that the core says is left out has words in the catalogues", () => {
  const german = JSON.parse(readFileSync(join(SOURCES, "catalogues/de.json"), "utf8")) as Record<string, string>;
  const sources = readdirSync(RUST, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".rs"))
    .map((path) => readFileSync(join(RUST, path), "utf8"));
  // Directly, or by the two places that put `left out: ` before it.
  const said = sources.flatMap((source) => [...source.matchAll(/"left out: ([^"{]+)"|self\.warn\("([^"]+)"\)|lost\.insert\("([^"]+)"\)/g)]);
  const words = said.map(([, direct, sheet, save]) => direct ?? sheet ?? save ?? "");
  assert.ok(words.length > 15);
  assert.deepEqual(words.filter((message) => !(message in german)), []);
});

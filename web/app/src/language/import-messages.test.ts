import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importDetails, importFailure, importWarnings } from "./import-messages.ts";

const SOURCES = import.meta.dirname;
const RUST = join(SOURCES, "../../../../crates/files/src");

test("every error code of an import has its own text", () => {
  const codes = [...readFileSync(join(RUST, "error.rs"), "utf8").matchAll(/=> "([a-z_]+)"/g)].map(([, code]) => code ?? "");
  assert.ok(codes.length > 15);
  const notDisplayed = ["cancelled", "cannot_write"];
  const untranslated = codes.filter((code) => importFailure({ code, message: "untranslated" }) === "Untranslated" && !notDisplayed.includes(code));
  assert.deepEqual(untranslated, []);
});

test("the row and column of an error are named once", () => {
  const quote = { code: "unterminated_quote", message: "row 3, column 2: a quote opens here and never closes", row: 3, column: 2 };
  assert.equal(importFailure(quote), "Row 3, column 2: Unclosed quotation mark.");
  const json = { code: "bad_json", message: "row 7: expected a comma", row: 7 };
  assert.equal(importFailure(json), "Row 7: The file is damaged or does not match its file type.");
  assert.equal(importDetails(json), "expected a comma");
});

test("the error of a damaged file names the part, and the English message is only in the details", () => {
  const broken = { code: "bad_xml", message: "sheet Crates: xl/worksheets/sheet1.xml: the part ends in the middle" };
  assert.equal(importFailure(broken), "The file is damaged: its part xl/worksheets/sheet1.xml cannot be read.");
  assert.equal(importDetails(broken), broken.message);
  assert.equal(importDetails({ code: "encrypted", message: "the workbook is encrypted" }), undefined);
});

test("omitted contents are one sentence, including unknown ones", () => {
  const texts = (...warnings: readonly string[]) => importWarnings(warnings);
  assert.deepEqual(texts("left out: embedded objects"), ["Not imported: embedded objects"]);
  assert.deepEqual(texts("left out: Chart1, which is not a worksheet"), ["Not imported: Chart1, which is not a worksheet"]);
  assert.deepEqual(texts("left out: items beyond 20000 of one sheet"), ["Not imported: charts, rules, comments and other items beyond 20,000 per sheet"]);
  assert.deepEqual(texts("left out: borders", "the second sheet is hidden", "left out: news"), ["Not imported: borders and news", "The second sheet is hidden"]);
  assert.deepEqual(texts("3-D charts are drawn in 2-D"), ["3-D charts are drawn in 2-D"]);
  assert.deepEqual(texts(), []);
});

test("the end of a long list is a number", () => {
  const things = ["a", "b", "c", "d", "e", "f", "g", "h"].map((thing) => `left out: ${thing}`);
  assert.deepEqual(importWarnings(things), ["Not imported: a, b, c, d, e, and f (+2)"]);
});

test("every omission that the server reports is in the catalogues", () => {
  const german = JSON.parse(readFileSync(join(SOURCES, "catalogues/de.json"), "utf8")) as Record<string, string>;
  const sources = readdirSync(RUST, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".rs"))
    .map((path) => readFileSync(join(RUST, path), "utf8"));
  // Directly, or by the functions that add the prefix `left out: `.
  const added = /"left out: (?<text>[^"{]+)"|self\.warn\("(?<sheet>[^"]+)"\)|left_out\.(?:insert|push|extend)\((?:.*then_some\()?"(?<save>[^"]+)"\)/g;
  const groups = sources.flatMap((source) => [...source.matchAll(added)].map((match) => match.groups));
  const words = groups.map((group) => group?.["text"] ?? group?.["sheet"] ?? group?.["save"] ?? "");
  assert.ok(words.length > 15);
  assert.deepEqual(words.filter((message) => !(message in german)), []);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importFailure, importWarning } from "./importing.ts";

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
  assert.equal(importFailure(quote), "Row 3, column 2: A quotation mark opens here and never closes.");
  const json = { code: "bad_json", message: "row 7: expected a comma", row: 7 };
  assert.equal(importFailure(json), "Row 7: The file is damaged, or not what its name says: \u2068expected a comma\u2069");
});

test("what was left out is named, also when we have no word for it", () => {
  assert.equal(importWarning("left out: charts and drawings"), "Left out: charts and drawings");
  assert.equal(importWarning("left out: Chart1, which is no sheet with cells"), "Left out: Chart1, which is no sheet with cells");
  assert.equal(importWarning("the second sheet is hidden"), "The second sheet is hidden");
  assert.equal(importWarning("charts with depth are drawn flat"), "Charts with depth are drawn flat");
});

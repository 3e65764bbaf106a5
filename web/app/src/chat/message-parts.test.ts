import assert from "node:assert/strict";
import { test } from "node:test";
import { messageParts } from "./message-parts.ts";

const SHEETS = [
  { id: 1, name: "Sheet1" },
  { id: 2, name: "My sheet" },
  { id: 3, name: "売上" },
];

const linked = (text: string): readonly string[] =>
  messageParts(text, SHEETS).flatMap((part) => (part.reference ? [`${part.reference.sheet}:${part.text}`] : []));

test("references with a sheet name are links, whatever surrounds them", () => {
  assert.deepEqual(linked("See Sheet1!A1:B3, please, and (sheet1!$C$4)."), ["1:Sheet1!A1:B3", "1:sheet1!$C$4"]);
  assert.deepEqual(linked("'My sheet'!C:C or 売上!2:5"), ["2:'My sheet'!C:C", "3:売上!2:5"]);
});

test("references without an existing sheet are plain text", () => {
  assert.deepEqual(linked("Q1 was good, Sheet9!A1 is gone, A4 paper, Sheet1!A1B, well!Done"), []);
});

test("the parts of a message joined are the message", () => {
  for (const text of ["", "Sheet1!A1", "a Sheet1!A1 b\nSheet1!A1:B2", "it's 'My sheet'!A1's value"]) {
    assert.equal(messageParts(text, SHEETS).map((part) => part.text).join(""), text);
  }
});

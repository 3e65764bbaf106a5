import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanTitle, TITLE_MAX } from "./title.ts";

test("a title is one line that is not too long", () => {
  assert.equal(cleanTitle("  Budget 2027 "), "Budget 2027");
  assert.equal(cleanTitle("a\tb\r\nc\u0000"), "a b c");
  assert.equal(cleanTitle(" \n "), undefined);
  assert.equal(Array.from(cleanTitle("𠮷".repeat(300)) ?? "").length, TITLE_MAX);
});

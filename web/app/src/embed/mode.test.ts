import assert from "node:assert/strict";
import { test } from "node:test";
import { embeddingOf } from "./mode.ts";

test("only embed=edit permits editing", () => {
  assert.equal(embeddingOf(""), undefined);
  assert.equal(embeddingOf("?view"), undefined);
  assert.equal(embeddingOf("?embed")?.mode, "view");
  assert.equal(embeddingOf("?embed=EDIT")?.mode, "view");
  assert.deepEqual(embeddingOf("?embed=edit&sheet=Q1&range=B2:C3&lang=de&theme=dark"), {
    mode: "edit",
    sheet: "Q1",
    range: "B2:C3",
    language: "de",
    scheme: "dark",
  });
  assert.equal(embeddingOf("?embed&theme=pink")?.scheme, undefined);
});

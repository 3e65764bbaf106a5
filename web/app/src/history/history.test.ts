import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { alignment, difference, type Revision, sessions, disabledReason } from "./history.ts";

function revision(number: number, name: string, minute: number): Revision {
  return { revision: number, timeMs: minute * 60_000, author: { id: "", name }, operations: [], operationCount: 1 };
}

test("a sitting is one person's edits without a long pause", () => {
  const revisions = [revision(5, "Ann", 40), revision(4, "Ann", 38), revision(3, "Bob", 37), revision(2, "Ann", 36), revision(1, "Ann", 5)];
  assert.deepEqual(
    sessions(revisions).map((sitting) => sitting.revisions.map((one) => one.revision)),
    [[5, 4], [3], [2], [1]],
  );
});

test("a cell differs by what it holds, or only by its look", () => {
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: 1 }), undefined);
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: 1, formula: "=2-1" }), "content");
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: "1" }), "content");
  assert.equal(difference({ text: "#N/A", value: { error: "#N/A" } }, { text: "#N/A", value: { error: "#N/A" } }), undefined);
  assert.equal(difference(undefined, { text: "", value: null }), undefined);
  assert.equal(difference({ text: "x", value: "x" }, undefined), "content");
  assert.equal(difference({ text: "14.5", value: 14.5 }, { text: "14.50", value: 14.5, format: { numberFormat: "0.00" } }), "look");
  assert.equal(difference({ text: "Price", value: "Price" }, { text: "Price", value: "Price", format: { bold: true } }), "look");
  assert.equal(difference({ text: "", value: null, format: { fillColor: "#ff0000" } }, undefined), "look");
});

test("a cell of the past stands where the sheet puts it", () => {
  const ofValue = [1, true, { error: "#DIV/0!" }, "x", null].map((value) => alignment({ text: "", value }));
  assert.deepEqual(ofValue, ["right", "center", "center", "left", "left"]);
  assert.equal(alignment({ text: "x", value: "x", format: { horizontal: "right" } }), "right");
});

test("what the server refuses is told by its code", () => {
  const rust = readFileSync(join(import.meta.dirname, "../../../../crates/server/src/error.rs"), "utf8");
  const codes = [...rust.matchAll(/=> \("([a-z_]+)", StatusCode/g)].map(([, code]) => code ?? "");
  const told = codes.filter((code) => !disabledReason(code).includes(code));
  assert.deepEqual(told, ["forbidden", "no_such_room", "request_timeout", "too_many_requests", "overloaded", "draining"]);
  assert.equal(disabledReason("HTTP 502"), "The history cannot be read (HTTP 502).");
});

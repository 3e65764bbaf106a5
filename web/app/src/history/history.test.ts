import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { alignment, difference, type Revision, sessions, errorText } from "./history.ts";

function revision(number: number, name: string, minute: number): Revision {
  return { revision: number, timeMs: minute * 60_000, author: { id: "", name }, operations: [], operationCount: 1 };
}

test("edits of one person without a long pause are one session", () => {
  const revisions = [revision(5, "Ann", 40), revision(4, "Ann", 38), revision(3, "Bob", 37), revision(2, "Ann", 36), revision(1, "Ann", 5)];
  assert.deepEqual(
    sessions(revisions).map((session) => session.revisions.map((one) => one.revision)),
    [[5, 4], [3], [2], [1]],
  );
});

test("a named revision is the newest of its session", () => {
  const revisions = [revision(4, "Ann", 4), revision(3, "Ann", 3), revision(2, "Ann", 2), revision(1, "Ann", 1)];
  assert.deepEqual(
    sessions(revisions, new Set([2])).map((session) => session.revisions.map((one) => one.revision)),
    [[4, 3], [2, 1]],
  );
});

test("a cell differs in content or only in format", () => {
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: 1 }), undefined);
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: 1, formula: "=2-1" }), "content");
  assert.equal(difference({ text: "1", value: 1 }, { text: "1", value: "1" }), "content");
  assert.equal(difference({ text: "#N/A", value: { error: "#N/A" } }, { text: "#N/A", value: { error: "#N/A" } }), undefined);
  assert.equal(difference(undefined, { text: "", value: null }), undefined);
  assert.equal(difference({ text: "x", value: "x" }, undefined), "content");
  assert.equal(difference({ text: "14.5", value: 14.5 }, { text: "14.50", value: 14.5, format: { numberFormat: "0.00" } }), "format");
  assert.equal(difference({ text: "Price", value: "Price" }, { text: "Price", value: "Price", format: { bold: true } }), "format");
  assert.equal(difference({ text: "", value: null, format: { fillColor: "#ff0000" } }, undefined), "format");
});

test("cells of a version are aligned by format or value type", () => {
  const ofValue = [1, true, { error: "#DIV/0!" }, "x", null].map((value) => alignment({ text: "", value }));
  assert.deepEqual(ofValue, ["right", "center", "center", "left", "left"]);
  assert.equal(alignment({ text: "x", value: "x", format: { horizontal: "right" } }), "right");
});

test("error codes of the server have texts", () => {
  const rust = readFileSync(join(import.meta.dirname, "../../../../crates/server/src/error.rs"), "utf8");
  const codes = [...rust.matchAll(/=> \("([a-z_]+)", StatusCode/g)].map(([, code]) => code ?? "");
  const translated = codes.filter((code) => !errorText(code).includes(code));
  assert.deepEqual(translated, ["forbidden", "mail_disabled", "no_such_room", "request_timeout", "too_many_requests", "overloaded", "draining"]);
  assert.equal(errorText("HTTP 502"), "The history could not be loaded (HTTP 502).");
});

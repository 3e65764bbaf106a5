import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { differs, type Revision, sittings, unavailableBecause } from "./history.ts";

function revision(number: number, name: string, minute: number): Revision {
  return { revision: number, timeMs: minute * 60_000, author: { id: "", name }, operations: [], operationCount: 1 };
}

test("a sitting is one person's edits without a long pause", () => {
  const revisions = [revision(5, "Ann", 40), revision(4, "Ann", 38), revision(3, "Bob", 37), revision(2, "Ann", 36), revision(1, "Ann", 5)];
  assert.deepEqual(
    sittings(revisions).map((sitting) => sitting.revisions.map((one) => one.revision)),
    [[5, 4], [3], [2], [1]],
  );
});

test("a cell differs by what it shows or by its formula", () => {
  assert.equal(differs({ text: "1" }, { text: "1" }), false);
  assert.equal(differs({ text: "1" }, { text: "1", formula: "=2-1" }), true);
  assert.equal(differs(undefined, { text: "" }), false);
  assert.equal(differs({ text: "x" }, undefined), true);
});

test("what the server refuses is told by its code", () => {
  const rust = readFileSync(join(import.meta.dirname, "../../../../crates/server/src/error.rs"), "utf8");
  const codes = [...rust.matchAll(/=> \("([a-z_]+)", StatusCode/g)].map(([, code]) => code ?? "");
  const told = codes.filter((code) => !unavailableBecause(code).includes(code));
  assert.deepEqual(told, ["forbidden", "no_such_room", "request_timeout", "too_many_requests", "overloaded", "draining"]);
  assert.equal(unavailableBecause("HTTP 502"), "The history cannot be read (HTTP 502).");
});

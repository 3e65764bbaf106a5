import assert from "node:assert/strict";
import { test } from "node:test";
import type { SheetTab } from "@quadrille/protocol";
import { addressOf, fileOfLink, linkTarget } from "./addresses.ts";

const SHEETS = [
  { id: 1, name: "Sheet1" },
  { id: 7, name: "Next year" },
] as unknown as readonly SheetTab[];

test("typed addresses are completed to web, mail, telephone or cell links, or rejected", () => {
  for (const [typed, stored] of [
    ["https://example.org/a?b=1#c", "https://example.org/a?b=1#c"],
    [" http://localhost:8000 ", "http://localhost:8000"],
    ["example.org", "https://example.org"],
    ["example.org:8080/x", "https://example.org:8080/x"],
    ["ann@example.org", "mailto:ann@example.org"],
    ["mailto:ann@example.org", "mailto:ann@example.org"],
    ["tel:+49301234", "tel:+49301234"],
    ["B7", "#Sheet1!B7"],
    ["#B7:C9", "#Sheet1!B7:C9"],
    ["'Next year'!A1", "#'Next year'!A1"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["file:///etc/passwd", undefined],
    ["no address", undefined],
    ["word", undefined],
    ["Nowhere!A1", undefined],
    ["", undefined],
    [`https://example.org/${"x".repeat(2_100)}`, undefined],
  ] as const) {
    assert.equal(addressOf(typed, SHEETS, 1), stored, typed);
  }
});

test("links to cells are parsed as references", () => {
  assert.deepEqual(linkTarget("#'Next year'!B2", SHEETS), { sheet: 7, range: { top: 1, left: 1, bottom: 1, right: 1 } });
  assert.equal(linkTarget("#Gone!B2", SHEETS), undefined);
  assert.equal(linkTarget("https://example.org/#Sheet1!B2", SHEETS), undefined);
});

test("links to files of forms name the file of whatever workbook", () => {
  const digits = "0f".repeat(32);
  assert.equal(fileOfLink(`/api/v1/rooms/plan/files/${digits}`), digits);
  const others = [`https://example.org/api/v1/rooms/plan/files/${digits}`, `/api/v1/rooms/plan/files/${digits}/x`, `/api/v1/rooms/plan/images/${digits}`, "/api/v1/rooms/plan/files/../x"];
  assert.deepEqual(others.map(fileOfLink), [undefined, undefined, undefined, undefined]);
});

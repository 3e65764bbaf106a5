import assert from "node:assert/strict";
import { test } from "node:test";
import type { SheetTab } from "@quadrille/protocol";
import { linkedRange } from "./linked-range.ts";

const SHEETS = [
  { id: 1, name: "Sheet1" },
  { id: 7, name: "Profit & loss" },
] as unknown as readonly SheetTab[];

const B7 = { top: 6, left: 1, bottom: 6, right: 1 };

test("the fragment of an address names cells", () => {
  for (const [fragment, expected] of [
    ["#sheet=Sheet1&range=B7", { sheet: 1, range: B7 }],
    // As the server writes it, and as browsers write forms.
    ["#sheet=Profit%20%26%20loss&range=B7", { sheet: 7, range: B7 }],
    ["#sheet=profit+%26+loss&range=B7", { sheet: 7, range: B7 }],
    ["#range=B7:C9", { sheet: undefined, range: { top: 6, left: 1, bottom: 8, right: 2 } }],
    ["#sheet=Gone&range=B7", undefined],
    ["#sheet=Sheet1", undefined],
    ["#sheet=Sheet1&range=B0", undefined],
    ["#link=ql_abc", undefined],
    ["#%", undefined],
    ["", undefined],
  ] as const) {
    assert.deepEqual(linkedRange(fragment, SHEETS), expected, fragment);
  }
});

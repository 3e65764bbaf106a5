import assert from "node:assert/strict";
import { test } from "node:test";
import { readHostMessage } from "./host-messages.ts";

test("valid requests of a host are parsed", () => {
  assert.deepEqual(readHostMessage({ do: "get", id: 1, range: "A1" }), { do: "get", id: 1, range: "A1" });
  assert.deepEqual(readHostMessage({ do: "set", id: 2, at: "B2", sheet: "S", cells: [["=A1", 2, true, null]] }), {
    do: "set",
    id: 2,
    at: "B2",
    sheet: "S",
    cells: [["=A1", 2, true, null]],
  });
  assert.deepEqual(readHostMessage({ do: "theme", theme: 7 }), { do: "theme", theme: null });
});

test("invalid requests are rejected with a reason", () => {
  const invalid = [
    null,
    "get",
    { do: "get", range: "A1" },
    { do: "get", id: 1 },
    { do: "erase", id: 1 },
    { do: "set", id: 1, at: "A1", cells: [] },
    { do: "set", id: 1, at: "A1", cells: [[]] },
    { do: "set", id: 1, at: "A1", cells: [["a", "b"], ["c"]] },
    { do: "set", id: 1, at: "A1", cells: [[{}]] },
    { do: "set", id: 1, at: "A1", cells: [[Number.NaN]] },
    { do: "set", id: 1, at: "A1", cells: Array.from({ length: 10_001 }, () => [1]) },
    { do: "select", id: 1, range: 3 },
    { do: "sheets", id: 1, sheet: 3 },
  ];
  for (const message of invalid) {
    assert.ok("problem" in readHostMessage(message), JSON.stringify(message)?.slice(0, 60));
  }
});

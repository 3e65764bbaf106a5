import assert from "node:assert/strict";
import { test } from "node:test";
import { readHostMessage } from "./host-messages.ts";

test("what a host asks is taken as it is meant", () => {
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

test("nonsense is refused with words", () => {
  const refused = [
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
  for (const said of refused) {
    assert.ok("problem" in readHostMessage(said), JSON.stringify(said)?.slice(0, 60));
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { alignedLines, byAddress } from "./comparison.ts";

test("inserted and deleted rows leave a gap on the other side", () => {
  const runs = [
    { before: 1, after: 1, count: 1 },
    { before: null, after: 2, count: 1 },
    { before: 2, after: null, count: 1 },
    { before: 3, after: 3, count: 2 },
  ];
  assert.deepEqual(
    alignedLines(runs, 100).map(({ before, after }) => [before, after]),
    [[0, 0], [undefined, 1], [1, undefined], [2, 2], [3, 3]],
  );
  assert.equal(alignedLines(runs, 3).length, 3);
});

test("a difference is found by the address of either side", () => {
  const moved = { kind: "content", before: { cell: "B2", text: "3" }, after: { cell: "B3", text: "4" } } as const;
  const added = { kind: "added", before: null, after: { cell: "A2", text: "x" } } as const;
  const sheet = { before: "Sheet1", after: "Sheet1", cells: [added, moved], isComplete: true };
  assert.deepEqual([...byAddress(sheet, "before").keys()], ["B2"]);
  assert.deepEqual([...byAddress(sheet, "after").keys()], ["A2", "B3"]);
});

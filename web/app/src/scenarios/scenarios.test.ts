import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOfText, contentOf, scenariosOf, showCommand, storedValue, typedText } from "./scenarios.ts";

const cell = (row: number, column: number) => ({ row, column });

test("items of a sheet are scenarios, without deleted cells and hidden ones", () => {
  const cells = [
    { formula: "=$B$1", value: "50000" },
    { formula: "=#REF!", value: "7" },
    { formula: "=Budget!$B$2", value: "yes" },
  ];
  const found = scenariosOf([
    { id: 4, kind: "scenario", anchors: [], fields: { name: "Worst", text: "Prices fall", cells } },
    { id: 5, kind: "scenario", anchors: [], fields: { name: "Hidden", hidden: true, cells: [] } },
    { id: 6, kind: "chart", anchors: [], fields: {} },
  ]);
  const expected = [
    { cell: cell(0, 1), value: "50000" },
    { cell: cell(1, 1), value: "yes" },
  ];
  assert.deepEqual(found, [{ id: 4, name: "Worst", comment: "Prices fall", cells: expected }]);
  const [worst] = found;
  assert.ok(worst);
  assert.deepEqual(showCommand(worst, 3), {
    type: "many",
    commands: [
      { type: "setCells", sheet: 3, at: "B1", cells: [[{ number: 50000 }]] },
      { type: "setCells", sheet: 3, at: "B2", cells: [[{ text: "yes" }]] },
    ],
  });
});

test("values are stored as files have them", () => {
  for (const [stored, content] of [
    ["50000", 50000],
    ["-0.05", -0.05],
    ["1E-7", 1e-7],
    ["TRUE", true],
    ["1,5", "1,5"],
    ["", ""],
  ] as const) {
    assert.equal(contentOf(stored), content);
  }
  assert.equal(storedValue(0.1), "0.1");
  assert.equal(storedValue(false), "FALSE");
  assert.equal(typedText("0.05", ","), "0,05");
  assert.equal(typedText("a.b", ","), "a.b");
});

test("changing cells are ranges", () => {
  assert.deepEqual(cellsOfText("B1:B2, D4; B2", cell(0, 0)), [cell(0, 1), cell(1, 1), cell(3, 3)]);
  assert.equal(cellsOfText("B1, what?", cell(0, 0)), undefined);
  assert.ok((cellsOfText("A1:Z99", cell(0, 0))?.length ?? 0) > 32);
});

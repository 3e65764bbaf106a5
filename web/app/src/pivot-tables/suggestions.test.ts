import assert from "node:assert/strict";
import { test } from "node:test";
import type { PivotColumn } from "@quadrille/protocol";
import { suggestions } from "./suggestions.ts";

const column = (name: string, letter: string, type: "text" | "number" | "date"): PivotColumn => ({
  name,
  reference: `=$${letter}:$${letter}`,
  isNumber: type !== "text",
  isDate: type === "date",
});

test("amounts are added up by category and month, and rows counted", () => {
  const found = suggestions([column("Order ID", "A", "number"), column("Day", "B", "date"), column("Region", "C", "text"), column("Fruit", "D", "text"), column("Crates", "E", "number")]);
  const values = [{ column: "=$E:$E", function: "sum" }];
  assert.deepEqual(
    found.map(({ fields }) => fields),
    [
      { rows: [{ column: "=$C:$C" }], values },
      { rows: [{ column: "=$B:$B", grouping: "yearMonth" }], values },
      { rows: [{ column: "=$C:$C" }], columns: [{ column: "=$D:$D" }], values },
      { rows: [{ column: "=$C:$C" }], values: [{ column: "=$C:$C", function: "count" }] },
      { rows: [{ column: "=$D:$D" }], values: [{ column: "=$D:$D", function: "count" }] },
    ],
  );
});

test("numbers alone suggest nothing", () => {
  assert.deepEqual(suggestions([column("Crates", "A", "number")]), []);
});

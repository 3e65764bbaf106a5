import assert from "node:assert/strict";
import { test } from "node:test";
import { borderCommands } from "./borders.ts";

const RANGE = { top: 1, left: 1, bottom: 3, right: 2 };
const ranges = (position: Parameters<typeof borderCommands>[2], range = RANGE) =>
  borderCommands(7, range, position, { style: "thin" }).map((command) =>
    command.type === "format" ? `${command.range} ${Object.keys(command.format).join("+")}` : "",
  );

test("borders are set on the cells at the chosen edges", () => {
  assert.deepEqual(ranges("all"), ["B2:C4 borderTop+borderRight+borderBottom+borderLeft"]);
  assert.deepEqual(ranges("outer"), ["B2:C2 borderTop", "C2:C4 borderRight", "B4:C4 borderBottom", "B2:B4 borderLeft"]);
  assert.deepEqual(ranges("inner"), ["B2:C3 borderBottom", "B3:C4 borderTop", "B2:B4 borderRight", "C2:C4 borderLeft"]);
  assert.deepEqual(ranges("inner", { top: 0, left: 0, bottom: 0, right: 0 }), []);
  assert.deepEqual(ranges("bottom"), ["B4:C4 borderBottom"]);
});

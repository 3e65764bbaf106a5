import assert from "node:assert/strict";
import { test } from "node:test";
import { A1 } from "@quadrille/editor";
import { R1C1 } from "@quadrille/editor/r1c1";
import { parseRange } from "@quadrille/grid";
import type { ReadCell } from "@quadrille/protocol";
import { type Block, linkCommand, packedSource, pasteTarget, type SpecialChoice, specialCommands, widthCommands } from "./paste-special.ts";

const range = (name: string) => {
  const found = parseRange(name);
  assert.ok(found);
  return found;
};
const paste = (source: string, target: string, leavingOut: [number, number][] = []) => ({
  fromSheet: 1,
  source: range(source),
  leavingOut,
  sheet: 2,
  target: range(target),
});
const cell = (value?: number | string | boolean, more: Partial<ReadCell> = {}): ReadCell => ({ text: String(value ?? ""), ...(value !== undefined && { value }), ...more });
const choice = (more: Partial<SpecialChoice>): SpecialChoice => ({ what: "all", operation: "none", skipsBlanks: false, transposes: false, ...more });
const blanks = (height: number, width: number): Block => Array.from({ length: height }, () => Array.from({ length: width }, () => cell()));

test("options that the engine supports become one copyPaste command", () => {
  for (const [what, how] of [["all", "all"], ["formulas", "contents"], ["values", "values"], ["formats", "formats"]] as const) {
    assert.deepEqual(specialCommands(paste("A1:B2", "D4"), choice({ what }), [], []), [
      { type: "copyPaste", fromSheet: 1, source: "A1:B2", sheet: 2, target: "D4", what: how },
    ]);
  }
  const [turned] = specialCommands(paste("A1:B2", "D4"), choice({ transposes: true }), [], []);
  assert.equal(turned?.type === "copyPaste" && turned.what, "transposed");
});

test("a selection that is a multiple of the source is filled with it", () => {
  const place = (source: string, target: string, transposes = false) => pasteTarget(range(source), range(target), transposes);
  assert.deepEqual(place("A1:B2", "D4:G7"), range("D4:G7"));
  assert.deepEqual(place("A1:B2", "D4:F6"), range("D4:E5"));
  assert.deepEqual(place("A1:C1", "D4:E9", true), range("D4:E9"));
  assert.deepEqual(place("A1:C1", "D4", true), range("D4:D6"));
});

test("an operation combines numbers, extends formulas and leaves texts unchanged", () => {
  const before: Block = [[cell(10), cell(7, { formula: "=A1-3" }), cell("word"), cell()]];
  const calculate = (operation: "add" | "subtract" | "multiply" | "divide", cells: Block) =>
    specialCommands(paste("A1:D1", "A9"), choice({ what: "values", operation }), cells, before).flatMap((command) =>
      command.type === "setCells" ? command.cells : [],
    )[0];
  assert.deepEqual(calculate("add", [[cell(5), cell(5), cell(5), cell(5)]]), [{ number: 15 }, { formula: "=(A1-3)+5" }, "keep", { number: 5 }]);
  assert.deepEqual(calculate("subtract", [[cell(-5), cell(-5), cell("x"), cell()]]), [{ number: 15 }, { formula: "=(A1-3)-(-5)" }, "keep", "keep"]);
  assert.deepEqual(calculate("multiply", [[cell(), cell(2), cell(2), cell(2)]]), [{ number: 0 }, { formula: "=(A1-3)*2" }, "keep", { number: 0 }]);
  assert.deepEqual(calculate("divide", [[cell(0), cell(4), cell(4), cell(4)]]), [{ formula: "=10/0" }, { formula: "=(A1-3)/4" }, "keep", { number: 0 }]);
});

test("skipped blank cells leave the target unchanged", () => {
  const cells: Block = [[cell(1), cell(), cell(3)], [cell(), cell(), cell("x")]];
  const commands = (what: "values" | "formulas") => specialCommands(paste("A1:C2", "E5"), choice({ what, skipsBlanks: true }), cells, blanks(2, 3));
  assert.deepEqual(commands("values"), [
    { type: "setCells", sheet: 2, at: "E5", cells: [[{ number: 1 }, "keep", { number: 3 }], ["keep", "keep", { text: "x" }]] },
  ]);
  assert.deepEqual(
    commands("formulas").map((command) => command.type === "copyPaste" && `${command.source} ${command.target} ${command.what}`),
    ["A1 E5 contents", "C1 G5 contents", "C2 G6 contents"],
  );
});

test("transposed values keep their number formats if these are pasted", () => {
  const cells: Block = [[cell(0.5, { numberFormat: "0%" }), cell(2)], [cell(0.25, { numberFormat: "0%" }), cell(true)]];
  const [contents, ...formats] = specialCommands(paste("A1:B2", "A9"), choice({ what: "numbers", transposes: true }), cells, blanks(2, 2));
  assert.deepEqual(contents?.type === "setCells" && contents.cells, [[{ number: 0.5 }, { number: 0.25 }], [{ number: 2 }, { boolean: true }]]);
  assert.deepEqual(
    formats.map((command) => command.type === "format" && [command.range, command.format.numberFormat]),
    [["A9", "0%"], ["A10", null], ["B9", "0%"], ["B10", null]],
  );
});

test("pasted links are written in the reference style of the user", () => {
  const text = (source: string, target: string) => {
    const command = linkCommand(paste(source, target), "Sheet1", R1C1);
    return command.type === "typeEverywhere" && command.text;
  };
  assert.equal(text("B2:C3", "E5"), "=Sheet1!R[-3]C[-3]");
  assert.equal(text("B2", "E5:E9"), "=Sheet1!R2C2");
});

test("links to a range are relative, to one cell absolute, and equal widths share a command", () => {
  assert.deepEqual(linkCommand(paste("B2:C3", "E5"), "Sheet1", A1), { type: "typeEverywhere", sheet: 2, range: "E5:F6", text: "=Sheet1!B2" });
  assert.deepEqual(linkCommand(paste("B2", "E5:E9"), "Sheet1", A1), { type: "typeEverywhere", sheet: 2, range: "E5:E9", text: "=Sheet1!$B$2" });
  const widths = [0, 100, 100, 40];
  assert.deepEqual(
    widthCommands(paste("B1:D1", "F1"), (column) => widths[column] ?? 0).map((command) => command.type === "resize" && [command.first, command.count, command.size]),
    [[5, 2, 100], [7, 1, 40]],
  );
});

test("filtered rows are left out of a copy by the engine", () => {
  const filtered = paste("A2:B9", "D4", [[0, 3], [7, 4]]);
  assert.deepEqual(specialCommands(filtered, choice({ what: "values" }), [], []), [
    { type: "copyPaste", fromSheet: 1, source: "A2:B9", sheet: 2, target: "D4", what: "values", leavingOut: [[0, 3], [7, 4]] },
  ]);
  // Rows 2, 3, 8 and 9 are left out of rows 2 to 9.
  assert.deepEqual(packedSource(filtered, choice({ what: "values" })), range("A2:B5"));
  assert.deepEqual(packedSource(filtered, choice({ what: "values", operation: "add" })), range("A2:B9"));
});

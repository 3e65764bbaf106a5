import assert from "node:assert/strict";
import { test } from "node:test";
import { Align, BorderLine, NO_COLOR, SheetWindow, ValueKind } from "./cell-window.ts";

/** One row of cells with these texts; a window as `crates/viewport/src/cell_window.rs` writes it. */
function encode(texts: string[], kinds: number[], attributes: number, runs = [5, 1], merges: number[] = []): ArrayBuffer {
  const bytes = new TextEncoder().encode(texts.join(""));
  const rows = runs.filter((_, index) => index % 2 === 1).reduce((sum, count) => sum + count, 0);
  const header = [0x33_57_51_00, 1, 2, texts.length / rows, runs.length / 2, 2, bytes.length, merges.length / 4, 0, 0];
  const plain = [NO_COLOR, NO_COLOR, 0, 0, 0, 0, 0, 0, 0, NO_COLOR, 0, 0];
  const styled = [0x112233, 0xffffff, attributes, (2 << 24) | 105, (4 << 24) | 0xff0000, 0, 0, 0, 0, NO_COLOR, 0, 0];
  let end = 0;
  const ends = texts.map((text) => (end += text.length));
  const looks = texts.map((_, index) => index % 2);
  return new Uint8Array([
    ...new Uint8Array(new Uint32Array([...header, ...runs, ...plain, ...styled, ...merges, ...ends]).buffer),
    ...new Uint8Array(new Uint16Array(looks).buffer),
    ...kinds,
    ...bytes,
  ]).buffer;
}

test("a window is read back cell by cell", () => {
  const window = new SheetWindow(encode(["äöü", "", "😀 x"], [2, 0, 8 + 1], 0b101_0000_0011 | (2 << 8)));
  const at = (column: number): number => window.index(5, column);
  assert.deepEqual([2, 3, 4].map((column) => window.text(at(column))), ["äöü", "", "😀 x"]);
  assert.deepEqual([2, 3, 4].map((column) => window.hasText(at(column))), [true, false, true]);
  assert.equal(window.kind(at(2)), ValueKind.Text);
  assert.equal(window.kind(at(4)), ValueKind.Number);
  assert.deepEqual([2, 4].map((column) => window.hasFormula(at(column))), [false, true]);
  assert.equal(window.style(at(3)).textColor, 0x112233);
  assert.equal(window.style(at(3)).bold, true);
  assert.equal(window.style(at(2)).horizontal, Align.None);
  assert.equal(window.index(4, 2), -1);
  assert.equal(window.index(5, 5), -1);
});

test("a style has font, rotation, indent and borders", () => {
  const rotation = -45;
  const window = new SheetWindow(encode(["a", "b"], [2, 2], (rotation << 16) >>> 0));
  const style = window.style(window.index(5, 3));
  assert.equal(style.rotation, -45);
  assert.equal(style.fontSize, 10.5);
  assert.equal(style.indent, 2);
  assert.deepEqual(style.top, { line: BorderLine.Thin, color: 0xff0000 });
  assert.equal(style.left, undefined);
});

test("hidden rows are left out, merged cells know their range", () => {
  const merge = [5, 2, 9, 2];
  const window = new SheetWindow(encode(["a", "b", "c"], [2, 2, 2], 0, [5, 2, 9, 1], merge));
  assert.deepEqual([5, 6, 7, 8, 9, 10].map((row) => window.index(row, 2)), [0, 1, -1, -1, 2, -1]);
  assert.deepEqual([0, 1, 2].map((index) => window.cell(index).row), [5, 6, 9]);
  assert.equal(window.rowCount, 5);
  assert.deepEqual(window.merge(2), { top: 5, left: 2, bottom: 9, right: 2 });
});

test("bytes of another version are refused", () => {
  assert.throws(() => new SheetWindow(new ArrayBuffer(64)), /different versions/);
});

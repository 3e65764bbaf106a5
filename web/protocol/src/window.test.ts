import assert from "node:assert/strict";
import { test } from "node:test";
import { Align, NO_COLOR, SheetWindow, ValueKind } from "./window.ts";

/** One row of cells with these texts; a window as `crates/wasm/src/window.rs` writes it. */
function encode(texts: string[], kinds: number[], attributes: number): ArrayBuffer {
  const bytes = new TextEncoder().encode(texts.join(""));
  const header = [0x31_57_51_00, 1, 5, 1, 2, texts.length, 2, bytes.length];
  const styles = [NO_COLOR, NO_COLOR, 0, 0x112233, 0xffffff, attributes];
  let end = 0;
  const ends = texts.map((text) => (end += text.length));
  const looks = texts.map((_, index) => index % 2);
  return new Uint8Array([
    ...new Uint8Array(new Uint32Array([...header, ...styles, ...ends]).buffer),
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

test("bytes of another version are refused", () => {
  assert.throws(() => new SheetWindow(new ArrayBuffer(64)), /different versions/);
});

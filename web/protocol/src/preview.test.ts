import assert from "node:assert/strict";
import { test } from "node:test";
import { decodePreview } from "./preview.ts";

/** As `crates/viewport/src/preview.rs` writes it: an empty sheet of one row, and a window of one cell that shows "7". */
function encode(magic: number): ArrayBuffer {
  const json = '{"revision":3,"sheet":1,"sheets":[{"id":1,"name":"A"}],"isComplete":true}'.padEnd(76);
  const shape = [0x32_53_51_00, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
  const plain = [0xffff_ffff, 0xffff_ffff, 0, 0, 0, 0, 0, 0, 0, 0xffff_ffff, 0, 0];
  const window = [0x33_57_51_00, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, ...plain, 1];
  const look = [0, 0];
  const kind = [1];
  const windowBytes = [...new Uint8Array(new Uint32Array(window).buffer), ...look, ...kind, "7".charCodeAt(0)];
  const head = [magic, json.length, shape.length * 4, windowBytes.length];
  return new Uint8Array([
    ...new Uint8Array(new Uint32Array(head).buffer),
    ...new TextEncoder().encode(json),
    ...new Uint8Array(new Uint32Array(shape).buffer),
    ...windowBytes,
  ]).buffer;
}

test("a first look holds sheets, shape and window", () => {
  const { description, shape, window } = decodePreview(encode(0x31_57_51_00));
  assert.deepEqual(description, { revision: 3, sheet: 1, sheets: [{ id: 1, name: "A" }], isComplete: true });
  assert.equal(shape.usedRows, 1);
  assert.equal(window.text(window.index(0, 0)), "7");
});

test("bytes of another version are refused", () => {
  assert.throws(() => decodePreview(encode(1)), /different versions/);
});

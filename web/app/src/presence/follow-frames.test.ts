import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { followFrame, readFollowFrame, scrolledFrame } from "./follow-frames.ts";

/** A golden file that `crates/protocol/tests/protocol/golden.rs` compares with the server. */
const golden = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../../fixtures/protocol/v1/${name}`, import.meta.url)));

const SESSION = 0xfeedf00d00000001n.toString();
const LAST = { row: 1_048_575, column: 16_383 };

test("encoded follow frames equal the golden files", () => {
  assert.deepEqual(new Uint8Array(followFrame(SESSION)), golden("follow.bin"));
  assert.deepEqual(new Uint8Array(followFrame(undefined)), golden("follow-nobody.bin"));
  assert.deepEqual(new Uint8Array(scrolledFrame(300, LAST)), golden("scrolled.bin"));
});

test("golden files of follow frames are decoded", () => {
  assert.deepEqual(readFollowFrame(golden("followed.bin")), { type: "followed", isFollowed: true });
  assert.deepEqual(readFollowFrame(golden("scrolled-to.bin")), { type: "scrolled", session: SESSION, sheet: 300, cell: LAST });
});

test("a truncated follow frame is rejected", () => {
  const whole = golden("scrolled-to.bin");
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => readFollowFrame(whole.slice(0, length)), `${length} bytes`);
  }
});

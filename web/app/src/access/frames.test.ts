import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { askPictureFrame, identifyFrame, readAccessFrame } from "./frames.ts";

/** A golden file that `crates/protocol/tests/protocol/golden.rs` compares with the server. */
const golden = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../../fixtures/protocol/v1/${name}`, import.meta.url)));

test("access frames equal the golden files", () => {
  assert.deepEqual(new Uint8Array(identifyFrame()), golden("identify.bin"));
  const [account, email] = ["account:000000000000001f", "ada@example.org"];
  assert.deepEqual(readAccessFrame(golden("identified.bin")), { type: "identified", account, email });
  assert.deepEqual(readAccessFrame(golden("identified-nobody.bin")), { type: "identified", account: "", email: "" });
  assert.deepEqual(readAccessFrame(golden("access-requested.bin")), { type: "accessRequested" });
  assert.deepEqual(new Uint8Array(askPictureFrame("3")), golden("ask-picture.bin"));
  assert.deepEqual(new Uint8Array(askPictureFrame(undefined)), golden("ask-own-picture.bin"));
  assert.deepEqual(readAccessFrame(golden("picture.bin")), { type: "picture", of: "3", url: "https://wiki.example.org/ada.png" });
  assert.deepEqual(readAccessFrame(golden("no-picture.bin")), { type: "picture", of: undefined, url: "" });
});

test("a truncated access frame is rejected", () => {
  for (const name of ["identified.bin", "picture.bin"]) {
    const whole = golden(name);
    for (let length = 0; length < whole.length; length += 1) {
      assert.throws(() => readAccessFrame(whole.slice(0, length)), `${length} bytes of ${name}`);
    }
  }
});

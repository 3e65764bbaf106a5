import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listenFrame, readFrame, sendMessageFrame } from "./frames.ts";

/** A golden file that `crates/protocol/tests/protocol/golden.rs` compares with the server. */
const golden = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../../fixtures/protocol/v1/${name}`, import.meta.url)));

const TEXT = "Guten Morgen – 漢字\nSheet1!A1:B3";
const ADA = { timeMs: 1_767_225_600_123, name: "Ada Lovelace", color: 0x1f6f5c };

test("encoded chat frames equal the golden files", () => {
  assert.deepEqual(new Uint8Array(sendMessageFrame(0xfeedf00d00000001n, TEXT)), golden("chat-say.bin"));
  assert.deepEqual(new Uint8Array(listenFrame(300)), golden("chat-listen.bin"));
});

test("golden files of chat frames are decoded", () => {
  assert.deepEqual(readFrame(golden("chat-remarks.bin")), {
    type: "messages",
    chatMessages: [
      { ...ADA, number: 1, id: 0xfeedf00d00000001n, text: TEXT },
      { ...ADA, number: 300, id: 0xfeedf00d0000012cn, text: "🙂" },
    ],
  });
  assert.deepEqual(readFrame(golden("chat-unsaid.bin")), { type: "rejected", id: 0xfeedf00d00000001n, reason: "tooFast" });
});

test("a truncated chat frame is rejected", () => {
  const whole = golden("chat-remarks.bin");
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => readFrame(whole.slice(0, length)), `${length} bytes`);
  }
});

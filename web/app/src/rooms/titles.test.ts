import assert from "node:assert/strict";
import { test } from "node:test";
import { newRoomName } from "./room-names.ts";
import { cleanTitle, roomTitle, TITLE_MAX } from "./titles.ts";

test("a typed title becomes one line of at most 200 characters", () => {
  assert.equal(cleanTitle("  Budget 2027 "), "Budget 2027");
  assert.equal(cleanTitle("a\tb\r\nc\u0000"), "a b c");
  assert.equal(cleanTitle(" \n "), undefined);
  assert.equal(Array.from(cleanTitle("𠮷".repeat(300)) ?? "").length, TITLE_MAX);
});

test("a room without a title is named by the readable part of its name", () => {
  assert.equal(roomTitle(newRoomName()), "Untitled");
  assert.equal(roomTitle(newRoomName("Pets 2026.csv")), "pets-2026");
  assert.equal(roomTitle("team-plan"), "team-plan");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newRoomName, roomOfPath, roomPath, roomTitle } from "./rooms.ts";

test("a new room's name is long, URL-safe and never the same", () => {
  const names = new Set(Array.from({ length: 1_000 }, () => newRoomName()));
  assert.equal(names.size, 1_000);
  for (const name of names) {
    assert.match(name, /^[2-9a-z]{26}$/);
  }
});

test("a room made from a file carries the file's name", () => {
  assert.match(newRoomName("Büdget 2026 (final).xlsx"), /^büdget-2026-final-[2-9a-z]{26}$/);
  assert.match(newRoomName("売上 2026年.xlsx"), /^売上-2026年-[2-9a-z]{26}$/);
  assert.ok(new TextEncoder().encode(newRoomName("売".repeat(60))).length <= 128);
  assert.match(newRoomName("𠮷".repeat(60)), /^𠮷{16}-[2-9a-z]{26}$/u);
  assert.match(newRoomName("..."), /^[2-9a-z]{26}$/);
});

test("a room is called by the readable part of its name", () => {
  assert.equal(roomTitle(newRoomName()), "Untitled");
  assert.equal(roomTitle(newRoomName("Pets 2026.csv")), "pets-2026");
  assert.equal(roomTitle("team-plan"), "team-plan");
});

test("paths name rooms", () => {
  assert.equal(roomOfPath("/"), undefined);
  for (const room of ["abc", "Übung 1", "50%"]) {
    assert.equal(roomOfPath(roomPath(room)), room);
  }
  assert.equal(roomOfPath("/50%"), "50%");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newRoomName, roomOfPath, roomPath } from "./rooms.ts";

test("a new room's name is long, URL-safe and never the same", () => {
  const names = new Set(Array.from({ length: 1_000 }, () => newRoomName()));
  assert.equal(names.size, 1_000);
  for (const name of names) {
    assert.match(name, /^[2-9a-z]{16}$/);
  }
});

test("a room made from a file carries the file's name", () => {
  assert.match(newRoomName("Büdget 2026 (final).xlsx"), /^bu-dget-2026-final-[2-9a-z]{16}$/);
  assert.match(newRoomName("..."), /^[2-9a-z]{16}$/);
});

test("paths name rooms", () => {
  assert.equal(roomOfPath("/"), undefined);
  for (const room of ["abc", "Übung 1", "50%"]) {
    assert.equal(roomOfPath(roomPath(room)), room);
  }
  assert.equal(roomOfPath("/50%"), "50%");
});

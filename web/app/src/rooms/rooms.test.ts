import assert from "node:assert/strict";
import { test } from "node:test";
import { basePathOf, withoutBasePath } from "../base-path.ts";
import { newRoomName } from "./room-names.ts";
import { roomOfPath, roomPath } from "./room-urls.ts";

test("a new room name is long, URL-safe and unique", () => {
  const names = new Set(Array.from({ length: 1_000 }, () => newRoomName()));
  assert.equal(names.size, 1_000);
  for (const name of names) {
    assert.match(name, /^[2-9a-z]{26}$/);
  }
});

test("the name of a room made from a file starts with the file name", () => {
  assert.match(newRoomName("Büdget 2026 (final).xlsx"), /^büdget-2026-final-[2-9a-z]{26}$/);
  assert.match(newRoomName("売上 2026年.xlsx"), /^売上-2026年-[2-9a-z]{26}$/);
  assert.ok(new TextEncoder().encode(newRoomName("売".repeat(60))).length <= 128);
  assert.match(newRoomName("𠮷".repeat(60)), /^𠮷{16}-[2-9a-z]{26}$/u);
  assert.match(newRoomName("..."), /^[2-9a-z]{26}$/);
});

test("a room path is parsed back to its room", () => {
  assert.equal(roomOfPath("/"), undefined);
  for (const room of ["abc", "Übung 1", "50%"]) {
    assert.equal(roomOfPath(roomPath(room)), room);
  }
  assert.equal(roomOfPath("/50%"), "50%");
});

test("the address of a page tells the path of its tenant", () => {
  for (const [pathname, basePath, own] of [
    ["/", "", "/"],
    ["/budget", "", "/budget"],
    ["/acme/", "/acme", "/"],
    ["/acme/budget", "/acme", "/budget"],
    ["/acme/_sign-in", "/acme", "/_sign-in"],
  ] as const) {
    assert.equal(basePathOf(pathname), basePath, pathname);
    assert.equal(withoutBasePath(pathname, basePath), own, pathname);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Pictures } from "./pictures.ts";

const ADAS = "https://wiki.example.org/ada.png";

test("a picture is asked for once, when it is shown first", () => {
  const asked: (string | undefined)[] = [];
  const pictures = new Pictures((session) => asked.push(session));
  pictures.connected(true);
  assert.deepEqual(asked, []);
  assert.equal(pictures.of("3"), undefined);
  assert.equal(pictures.of("3"), undefined);
  assert.equal(pictures.of(undefined), undefined);
  assert.deepEqual(asked, ["3", undefined]);
  pictures.receive("3", ADAS);
  pictures.receive(undefined, "");
  // Nobody has asked for this one.
  pictures.receive("4", ADAS);
  assert.deepEqual([pictures.of("3"), pictures.of(undefined)], [ADAS, undefined]);
});

test("pictures are asked for again after a new connection, without people who have left", () => {
  const asked: (string | undefined)[] = [];
  const pictures = new Pictures((session) => asked.push(session));
  for (const session of ["4", undefined]) {
    pictures.of(session);
  }
  for (let session = 1_000; session < 1_200; session += 1) {
    pictures.of(String(session));
  }
  assert.deepEqual(asked, [], "not connected yet");
  pictures.keep(new Set(["4"]));
  pictures.connected(true);
  assert.deepEqual(asked, ["4", undefined]);
  pictures.connected(true);
  pictures.connected(false);
  assert.equal(asked.length, 2);
});

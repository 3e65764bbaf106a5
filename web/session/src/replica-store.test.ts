import assert from "node:assert/strict";
import { test } from "node:test";
import { join, split } from "./replica-store.ts";

test("splitting joined pieces gives the same pieces, including empty ones", () => {
  const pieces = [
    { kind: 2, key: 2 ** 40 + 1, bytes: new Uint8Array([1, 2, 3]).buffer },
    { kind: 4, key: 7, bytes: new ArrayBuffer(0) },
    { kind: 1, key: 0, bytes: new Uint8Array([9]).buffer },
  ];
  assert.deepEqual(split(join(pieces)), pieces);
  assert.deepEqual(split(new ArrayBuffer(0)), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { showBytes } from "./bytes.ts";

test("bytes are shown in the largest unit that fits", () => {
  assert.deepEqual([0, 999, 1_000, 48_211, 1_500_000, 2_000_000_000, 3e15].map(showBytes), ["0 bytes", "999 bytes", "1 kB", "48.2 kB", "1.5 MB", "2 GB", "3,000 TB"]);
});

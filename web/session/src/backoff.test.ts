import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs, retryDelayMs } from "./backoff.ts";

test("delays double, have 50 % jitter and are at most eight seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 20].map((attempt) => [retryDelayMs(attempt, 0), retryDelayMs(attempt, 1)]),
    [
      [125, 250],
      [250, 500],
      [500, 1_000],
      [1_000, 2_000],
      [4_000, 8_000],
    ],
  );
});

test("the delay of the close reason is used", () => {
  assert.deepEqual(
    ["too_fast retry-after=3", "too_fast", "", "retry-after=x", "too_fast retry-after=999999"].map(retryAfterMs),
    [3_000, 0, 0, 0, 300_000],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { EvaluationSlice } from "./evaluation-slice.ts";

/** Duration of the last of `slices` slices whose steps take `nsPerStep` nanoseconds. */
function lastDurationMs(slices: number, nsPerStep: number, slice = new EvaluationSlice()): number {
  let elapsedMs = 0;
  for (let at = 0; at < slices; at += 1) {
    elapsedMs = (slice.steps * nsPerStep) / 1e6;
    slice.recordDuration(elapsedMs);
  }
  return elapsedMs;
}

test("slices converge to 20 ms for any cost of a step", () => {
  for (const nsPerStep of [20, 400, 1_900]) {
    const elapsedMs = lastDurationMs(10, nsPerStep);
    assert.ok(Math.abs(elapsedMs - 20) < 1, `${nsPerStep} ns: ${elapsedMs} ms`);
  }
});

test("one delayed slice at most halves the next", () => {
  const slice = new EvaluationSlice();
  lastDurationMs(10, 400, slice);
  const { steps } = slice;
  slice.recordDuration(5_000);
  assert.equal(slice.steps, Math.round(steps / 2));
});

test("slices stay between their minimum and maximum", () => {
  const slow = new EvaluationSlice();
  lastDurationMs(50, 1e9, slow);
  assert.equal(slow.steps, 10_000);
  const fast = new EvaluationSlice();
  lastDurationMs(50, 0, fast);
  assert.equal(fast.steps, 5_000_000);
});

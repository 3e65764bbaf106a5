import assert from "node:assert/strict";
import { test } from "node:test";
import { Slice } from "./slice.ts";

/** Slices of a calculation whose steps take so many nanoseconds each: how long the last one took. */
function lastOf(slices: number, nsPerStep: number, slice = new Slice()): number {
  let elapsedMs = 0;
  for (let at = 0; at < slices; at += 1) {
    elapsedMs = (slice.steps * nsPerStep) / 1e6;
    slice.took(elapsedMs);
  }
  return elapsedMs;
}

test("a slice comes to take some twenty milliseconds, whatever a step costs", () => {
  for (const nsPerStep of [20, 400, 1_900]) {
    const elapsedMs = lastOf(10, nsPerStep);
    assert.ok(Math.abs(elapsedMs - 20) < 1, `${nsPerStep} ns: ${elapsedMs} ms`);
  }
});

test("a slice that was held up halves the next one, no more", () => {
  const slice = new Slice();
  lastOf(10, 400, slice);
  const { steps } = slice;
  slice.took(5_000);
  assert.equal(slice.steps, Math.round(steps / 2));
});

test("slices neither vanish nor grow without end", () => {
  const slow = new Slice();
  lastOf(50, 1e9, slow);
  assert.equal(slow.steps, 10_000);
  const fast = new Slice();
  lastOf(50, 0, fast);
  assert.equal(fast.steps, 5_000_000);
});

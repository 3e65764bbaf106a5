/** Number of evaluation steps between two checks for incoming messages. */

/** Scrolling during a calculation waits for the end of a slice: less than two frames. */
const SLICE_MS = 20;
const STEPS_AT_FIRST = 50_000;
/** Each slice has the overhead of one message. */
const STEPS_MIN = 10_000;
const STEPS_MAX = 5_000_000;

/**
 * Adapts the number of steps to the measured duration, because the cost of a step depends on
 * formulas and machine.
 */
export class EvaluationSlice {
  private count = STEPS_AT_FIRST;

  /** Steps of the next slice. */
  get steps(): number {
    return this.count;
  }

  /** Reports the duration of a slice that used all of its steps. */
  recordDuration(elapsedMs: number): void {
    // Limits the effect of one slice, which the machine may have delayed.
    const factor = Math.min(2, Math.max(0.5, SLICE_MS / Math.max(elapsedMs, 0.1)));
    this.count = Math.round(Math.min(STEPS_MAX, Math.max(STEPS_MIN, this.count * factor)));
  }
}

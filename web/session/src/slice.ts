/** How much is calculated between two looks at what has arrived. */

/** Whoever scrolls while a workbook calculates waits for the end of a slice: less than two frames. */
const SLICE_MS = 20;
const STEPS_AT_FIRST = 50_000;
/** Each slice costs a message and a look round. */
const STEPS_MIN = 10_000;
const STEPS_MAX = 5_000_000;

/** Steps cost what the formulas and the machine make them cost, so that each slice says how long the next one is. */
export class Slice {
  private count = STEPS_AT_FIRST;

  get steps(): number {
    return this.count;
  }

  /** The last slice ran out of its steps after so long. */
  took(elapsedMs: number): void {
    // One slice may have waited for the machine, or have had something to set out first.
    const factor = Math.min(2, Math.max(0.5, SLICE_MS / Math.max(elapsedMs, 0.1)));
    this.count = Math.round(Math.min(STEPS_MAX, Math.max(STEPS_MIN, this.count * factor)));
  }
}

/**
 * Repeats an expensive query after changes: one at a time, with pauses in which the engine handles
 * other work.
 */

import { createSignal, onCleanup } from "solid-js";

/**
 * Pause after an answer: this many times the duration of the query, and at least the given time.
 */
const PAUSE_FACTOR = 4;
const PAUSE_MS_MIN = 100;

/** A repeated query. */
export interface Poll<T> {
  /** The last result. */
  readonly result: () => T | undefined;
  /** Requests a new result after a change. */
  readonly refresh: () => void;
}

/** Creates a poll. `query` returns `undefined` when there is nothing to query. */
export function createPoll<T>(query: () => Promise<T> | undefined): Poll<T> {
  const [result, setResult] = createSignal<T>();
  let isQuerying = false;
  let isStale = false;
  let timer = 0;
  let pausedUntilMs = 0;
  let isDisposed = false;
  const run = async (): Promise<void> => {
    timer = 0;
    isStale = false;
    const pending = query();
    if (!pending) {
      return;
    }
    isQuerying = true;
    const startMs = performance.now();
    const answer = await pending;
    isQuerying = false;
    if (isDisposed) {
      return;
    }
    const nowMs = performance.now();
    pausedUntilMs = nowMs + Math.max(PAUSE_MS_MIN, PAUSE_FACTOR * (nowMs - startMs));
    setResult(() => answer);
    if (isStale) {
      refresh();
    }
  };
  const refresh = (): void => {
    if (isQuerying) {
      isStale = true;
    } else {
      timer ||= window.setTimeout(() => void run(), Math.max(0, pausedUntilMs - performance.now()));
    }
  };
  onCleanup(() => {
    isDisposed = true;
    window.clearTimeout(timer);
  });
  return { result, refresh };
}

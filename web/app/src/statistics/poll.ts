/** Asks the engine again and again for what takes it a while: one question at a time, with time left for everybody else's. */

import { createSignal, onCleanup } from "solid-js";

/** After an answer the engine is left alone for so many times as long as it took, and at least so long. */
const REST_TIMES = 4;
const REST_MS_MIN = 100;

export interface Poll<T> {
  readonly result: () => T | undefined;
  /** Something has changed: what is known may no longer be true. */
  readonly again: () => void;
}

/** `ask` is called without delay when the engine has rested; `undefined` when there is nothing to ask. */
export function createPoll<T>(ask: () => Promise<T> | undefined): Poll<T> {
  const [result, setResult] = createSignal<T>();
  let isAsking = false;
  let isStale = false;
  let timer = 0;
  let restsUntilMs = 0;
  let isOver = false;
  const put = async (): Promise<void> => {
    timer = 0;
    isStale = false;
    const asked = ask();
    if (!asked) {
      return;
    }
    isAsking = true;
    const beganMs = performance.now();
    const found = await asked;
    isAsking = false;
    if (isOver) {
      return;
    }
    const nowMs = performance.now();
    restsUntilMs = nowMs + Math.max(REST_MS_MIN, REST_TIMES * (nowMs - beganMs));
    setResult(() => found);
    if (isStale) {
      again();
    }
  };
  const again = (): void => {
    if (isAsking) {
      isStale = true;
    } else {
      timer ||= window.setTimeout(() => void put(), Math.max(0, restsUntilMs - performance.now()));
    }
  };
  onCleanup(() => {
    isOver = true;
    window.clearTimeout(timer);
  });
  return { result, again };
}

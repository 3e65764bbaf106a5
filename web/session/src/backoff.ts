/** Delays between connection attempts: exponential backoff with jitter. */

const FIRST_MS = 250;
/** Spares a server that is down, and reconnects before users reload the page. */
const LONGEST_MS = 8_000;

/**
 * Delay before attempt `attempt`, in milliseconds. It doubles with each attempt up to 8 s. The
 * random half keeps clients from reconnecting at the same instant after a restart. `random` is from
 * 0 to 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Upper limit of delays that the server requests. */
const ASKED_MS_MAX = 300_000;

/**
 * The delay in a close reason such as `too_fast retry-after=3`, in milliseconds; 0 if there is
 * none.
 */
export function retryAfterMs(reason: string): number {
  const seconds = /\bretry-after=(\d{1,6})\b/.exec(reason)?.[1];
  return seconds === undefined ? 0 : Math.min(ASKED_MS_MAX, Number(seconds) * 1_000);
}

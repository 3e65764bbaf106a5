/** How long to wait before connecting again. */

const FIRST_MS = 250;
/** Long enough to spare a server that is down, short enough that nobody reloads the page. */
const LONGEST_MS = 8_000;

/**
 * Doubles from attempt to attempt. The random half keeps a thousand pages from coming back in the same instant
 * after a restart. `random` is from 0 to 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Longer than this nobody is kept waiting, whatever the server says. */
const ASKED_MS_MAX = 300_000;

/** What a close's reason asks to wait (`too_fast retry-after=3`), or nothing. */
export function retryAfterMs(reason: string): number {
  const seconds = /\bretry-after=(\d{1,6})\b/.exec(reason)?.[1];
  return seconds === undefined ? 0 : Math.min(ASKED_MS_MAX, Number(seconds) * 1_000);
}

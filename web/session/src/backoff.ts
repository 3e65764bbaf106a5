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

/** Relative and absolute times in the language of the page. */

import { language, t } from "./language.ts";
import { nonBreaking } from "./nonbreaking.ts";

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** `5 minutes ago`, `yesterday`; after a week, the date. */
export function ago(atMs: number): string {
  const minutes = Math.round((Date.now() - atMs) / MINUTE_MS);
  const format = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  if (minutes < 1) {
    return t("just now");
  }
  if (minutes < HOUR_MINUTES) {
    return format.format(-minutes, "minute");
  }
  if (minutes < DAY_MINUTES) {
    return format.format(-Math.round(minutes / HOUR_MINUTES), "hour");
  }
  return minutes < WEEK_MINUTES
    ? format.format(-Math.round(minutes / DAY_MINUTES), "day")
    : nonBreaking(new Intl.DateTimeFormat(language(), { dateStyle: "medium" }).formatToParts(atMs));
}

/** Date and time. */
export function moment(atMs: number): string {
  return nonBreaking(new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).formatToParts(atMs));
}

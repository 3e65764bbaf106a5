/** What the form for an API token means. */

import { roomOfPath } from "../rooms/index.ts";

/** How long a token is valid. */
export type Validity = "7" | "30" | "90" | "365" | "date" | "unlimited";

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The moment at which a token expires; `null` for never, `undefined` for a date that is missing or
 * has passed. A date counts to its end, in the time zone of the browser.
 */
export function expiryMs(validity: Validity, date: string, nowMs: number): number | null | undefined {
  if (validity === "unlimited") {
    return null;
  }
  if (validity !== "date") {
    return nowMs + Number(validity) * DAY_MS;
  }
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = date.split("-").map(Number);
  const end = new Date(year, month - 1, day + 1).getTime();
  return Number.isFinite(end) && end > nowMs ? end : undefined;
}

/** The room names of a list of names or addresses, one a line. */
export function roomsOf(text: string): readonly string[] {
  const names = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(roomName);
  return [...new Set(names)];
}

function roomName(line: string): string {
  const path = URL.canParse(line) ? new URL(line).pathname : line.startsWith("/") ? line : `/${line}`;
  return roomOfPath(path) ?? line;
}

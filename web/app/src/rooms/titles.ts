/**
 * Titles of workbooks: the name that people give, and the name of the room that stands in for it.
 */

import { t } from "../language/index.ts";
import { recentRooms } from "./recent-rooms.ts";
import { RANDOM_PART } from "./room-names.ts";

/** Length limit in characters, equal to `WORKBOOK_TITLE_MAX` of `crates/workbook`. */
export const TITLE_MAX = 200;

/** A typed title as one line without control characters; `undefined` when nothing is left. */
export function cleanTitle(typed: string): string | undefined {
  const line = typed.replace(/\p{Cc}+/gu, " ").trim();
  const title = Array.from(line).slice(0, TITLE_MAX).join("").trim();
  return title === "" ? undefined : title;
}

/** The title of a room without a given title: its name without the random part. */
export function roomTitle(room: string): string {
  const title = room.replace(RANDOM_PART, "");
  return title === "" ? t("Untitled") : title;
}

/** The title that the workbook had at the last visit from this browser. */
export function lastKnownTitle(room: string): string | undefined {
  return recentRooms().find((recent) => recent.room === room)?.title;
}

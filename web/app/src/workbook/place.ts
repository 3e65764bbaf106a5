/** Where the person is, for the engine: how they write numbers and dates, and what day it is there. */

import type { PageEvent } from "@quadrille/protocol";

/** The browser's country if it goes with the page's language, otherwise the language alone. */
export function place(language: string, preferred: readonly string[], utcOffsetMinutes: number): PageEvent {
  const base = (tag: string): string => tag.split("-")[0] ?? tag;
  const tag = preferred.find((candidate) => base(candidate) === base(language)) ?? language;
  return { type: "place", language: tag, utcOffsetMinutes };
}

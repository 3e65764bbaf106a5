/** Where the person is, for the engine: how they write numbers, dates and references, and what day it is there. */

import type { PageEvent } from "@quadrille/protocol";

/** The browser's country if it goes with the page's language, otherwise the language alone. */
export function localeSettings(language: string, isR1c1: boolean, preferred: readonly string[], utcOffsetMinutes: number): PageEvent {
  return { type: "place", language: tagOf(language, preferred), utcOffsetMinutes, isR1c1 };
}

function tagOf(language: string, preferred: readonly string[]): string {
  const base = (tag: string): string => tag.split("-")[0] ?? tag;
  return preferred.find((candidate) => base(candidate) === base(language)) ?? language;
}

/** What stands between the arguments of a function there: the comma, unless it is the decimal sign. */
export function listSeparator(language: string, preferred: readonly string[]): "," | ";" {
  const parts = new Intl.NumberFormat(tagOf(language, preferred)).formatToParts(1.5);
  return parts.some(({ type, value }) => type === "decimal" && value === ",") ? ";" : ",";
}

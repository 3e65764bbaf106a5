/**
 * The locale of the user for the engine: language and country for numbers and dates, time zone and
 * reference style.
 */

import type { ClientEvent } from "@quadrille/protocol";

/**
 * The message for the engine. The country of the browser is included if its language equals that of
 * the page.
 */
export function localeSettings(language: string, isR1c1: boolean, preferred: readonly string[], utcOffsetMinutes: number): ClientEvent {
  return { type: "place", language: localeTag(language, preferred), utcOffsetMinutes, isR1c1 };
}

function localeTag(language: string, preferred: readonly string[]): string {
  const base = (tag: string): string => tag.split("-")[0] ?? tag;
  return preferred.find((candidate) => base(candidate) === base(language)) ?? language;
}

/** The separator of function arguments: the comma, unless it is the decimal separator. */
export function listSeparator(language: string, preferred: readonly string[]): "," | ";" {
  const parts = new Intl.NumberFormat(localeTag(language, preferred)).formatToParts(1.5);
  return parts.some(({ type, value }) => type === "decimal" && value === ",") ? ";" : ",";
}

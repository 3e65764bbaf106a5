/**
 * The locale of the user for the engine: language and country for numbers and dates, time zone,
 * reference style and function names.
 */

import type { ClientEvent } from "@quadrille/protocol";

/** How the user reads and writes formulas. */
export interface FormulaSettings {
  readonly language: string;
  readonly isR1c1: boolean;
  /** Function names of the language as `SUM=SUMME`; none for English. */
  readonly names: readonly string[];
}

/**
 * The message for the engine. The country of the browser is included if its language equals that of
 * the page.
 */
export function localeSettings(formulas: FormulaSettings, preferred: readonly string[], utcOffsetMinutes: number): ClientEvent {
  const { language, isR1c1, names } = formulas;
  return { type: "place", language: localeTag(language, preferred), utcOffsetMinutes, isR1c1, names: [...names] };
}

/** The language tag of the page, with the country of the browser if that has the same language. */
export function localeTag(language: string, preferred: readonly string[]): string {
  const base = (tag: string): string => tag.split("-")[0] ?? tag;
  return preferred.find((candidate) => base(candidate) === base(language)) ?? language;
}

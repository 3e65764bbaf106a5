/**
 * The periods of a timeline. Days are texts such as `2024-12-31`, as in commands, so that time zones
 * play no part.
 */

/** The lengths of periods, from the longest. */
export const LEVELS = ["year", "quarter", "month", "date"] as const;
export type Level = (typeof LEVELS)[number];

/** Periods that a timeline draws, at most. */
export const PERIODS_MAX = 1_000;

/** A period: its first and its last day. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const MONTHS: Readonly<Record<Exclude<Level, "date">, number>> = { year: 12, quarter: 3, month: 1 };

/** The periods of a level that contain the days from `first` to `last`; no more than fit. */
export function periodsOf(first: string, last: string, level: Level): readonly Period[] {
  const periods: Period[] = [];
  let start = startOf(dateOf(first), level);
  const end = dateOf(last);
  while (start <= end && periods.length < PERIODS_MAX) {
    const next = following(start, level);
    periods.push({ from: textOf(start), to: textOf(new Date(next.getTime() - DAY_MS)) });
    start = next;
  }
  return periods;
}

/** The level, or the longest shorter than it of which the days from `first` to `last` fit. */
export function fittingLevel(first: string, last: string, level: Level): Level {
  const fits = (candidate: Level): boolean => (periodsOf(first, last, candidate).at(-1)?.to ?? last) >= last;
  const allowed = LEVELS.slice(0, LEVELS.indexOf(level) + 1).reverse();
  return allowed.find(fits) ?? "year";
}

/** The label of a period within its year, and the label of a whole selection. */
export function labelOf({ from, to }: Period, level: Level, language: string): string {
  const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options });
  switch (level) {
    case "year":
      return format({ year: "numeric" }).format(dateOf(from));
    case "quarter":
      return format({ month: "short" }).formatRange(dateOf(from), dateOf(to));
    case "month":
      return format({ month: "short" }).format(dateOf(from));
    case "date":
      return format({ day: "numeric", month: "short" }).format(dateOf(from));
  }
}

/** A selection in words: its first and its last day. */
export function selectionText({ from, to }: Period, language: string): string {
  const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", dateStyle: "medium" });
  return format.formatRange(dateOf(from), dateOf(to));
}

/** The year of a period, which stands above the first of its periods. */
export function yearOf({ from }: Period, language: string): string {
  return labelOf({ from, to: from }, "year", language);
}

/** Whether a period is in the selection, as a whole or in part. */
export function intersects(period: Period, selection: Period | undefined): boolean {
  return selection === undefined || (period.from <= selection.to && period.to >= selection.from);
}

/** The period from the earlier to the later of two. */
export function joined(one: Period, other: Period): Period {
  return { from: one.from < other.from ? one.from : other.from, to: one.to > other.to ? one.to : other.to };
}

const DAY_MS = 86_400_000;

function dateOf(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

function textOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function startOf(date: Date, level: Level): Date {
  if (level === "date") {
    return date;
  }
  const months = MONTHS[level];
  return new Date(Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months, 1));
}

function following(date: Date, level: Level): Date {
  if (level === "date") {
    return new Date(date.getTime() + DAY_MS);
  }
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + MONTHS[level], 1));
}

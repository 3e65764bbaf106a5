/** Years, months and days by which a filter shows dates. */

import type { ColumnValue } from "@quadrille/protocol";

/** A year, a month or a day of the column, with the values that belong to it. */
export interface DateGroup {
  /** The beginning of an ISO 8601 date: `2026`, `2026-11` or `2026-11-28`. */
  readonly group: string;
  /** Filter keys of the values. */
  readonly keys: readonly string[];
  /** The months of a year or the days of a month, in order. */
  readonly parts: readonly DateGroup[];
}

/** Lengths of `2026`, `2026-11` and `2026-11-28`. */
const LENGTHS = [4, 7, 10] as const;

/** The years of the dates among the values, in order. */
export function dateGroups(values: readonly ColumnValue[]): readonly DateGroup[] {
  const dated = values.flatMap(({ known, date }) => (date === undefined ? [] : [{ key: known, date }]));
  const grouped = (of: typeof dated, level: number): readonly DateGroup[] => {
    const length = LENGTHS[level];
    if (length === undefined) {
      return [];
    }
    const groups = new Map<string, typeof dated>();
    for (const value of of) {
      const group = value.date.slice(0, length);
      const members = groups.get(group);
      if (members) {
        members.push(value);
      } else {
        groups.set(group, [value]);
      }
    }
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([group, members]) => ({
      group,
      keys: members.map(({ key }) => key),
      parts: grouped(members, level + 1),
    }));
  };
  return grouped(dated, 0);
}

/** The values that a filter keeps visible: whole groups of dates, and other values by their keys. */
export interface ShownValues {
  readonly keys: readonly string[];
  readonly dates: readonly string[];
}

/** The fewest groups that contain all visible dates, and the keys of the other visible values. */
export function shownValues(values: readonly ColumnValue[], isVisible: (key: string) => boolean): ShownValues {
  const keys = values.filter(({ known, date }) => date === undefined && isVisible(known)).map(({ known }) => known);
  const dates: string[] = [];
  const add = ({ group, keys: members, parts }: DateGroup): void => {
    if (members.every(isVisible)) {
      dates.push(group);
    } else if (parts.length > 0) {
      parts.forEach(add);
    } else {
      // Some of the times of a day.
      keys.push(...members.filter(isVisible));
    }
  };
  dateGroups(values).forEach(add);
  return { keys, dates };
}

/** Whether a date such as `2026-11-28` is within one of the groups. */
export function isWithin(groups: readonly string[], date: string): boolean {
  return LENGTHS.some((length) => groups.includes(date.slice(0, length)));
}

/** The name of a group within the group above it, and its full name. */
export function groupNames(group: string, language: string): { readonly short: string; readonly full: string } {
  const [year, month, day] = group.split("-").map(Number);
  const at = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1));
  const text = (options: Intl.DateTimeFormatOptions): string => new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }).format(at);
  if (month === undefined) {
    const name = text({ year: "numeric" });
    return { short: name, full: name };
  }
  return day === undefined
    ? { short: text({ month: "long" }), full: text({ year: "numeric", month: "long" }) }
    : { short: text({ day: "numeric" }), full: text({ dateStyle: "long" }) };
}

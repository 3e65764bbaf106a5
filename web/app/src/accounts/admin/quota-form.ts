/** What the fields of the quota dialog mean. */

import type { Quota, QuotaUsage } from "./admin-data.ts";

type Name = keyof Quota;

/** The quota with which the fields begin, so that saving one limit keeps the others. */
export function initialQuota(usage: QuotaUsage): Partial<Quota> {
  return (
    usage.stored ?? {
      workbooks: usage.workbooks?.limit ?? null,
      bytes: usage.bytes?.limit ?? null,
      sessions: usage.sessions?.limit ?? null,
      operationsPerSecond: usage.operationsPerSecond ?? null,
      exportsPerHour: usage.exportsPerHour ?? null,
    }
  );
}

/** The quota, or the fields that are not whole numbers; an empty field is `null`. */
export function quotaOf(texts: Readonly<Record<Name, string>>): { readonly quota?: Quota; readonly invalid: readonly Name[] } {
  const number = (name: Name): number | null | undefined => {
    const text = texts[name].trim();
    if (text === "") {
      return null;
    }
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return Number.isSafeInteger(value) ? value : undefined;
  };
  const workbooks = number("workbooks");
  const bytes = number("bytes");
  const sessions = number("sessions");
  const operationsPerSecond = number("operationsPerSecond");
  const exportsPerHour = number("exportsPerHour");
  if (workbooks === undefined || bytes === undefined || sessions === undefined || operationsPerSecond === undefined || exportsPerHour === undefined) {
    return { invalid: (Object.keys(texts) as Name[]).filter((name) => number(name) === undefined) };
  }
  return { quota: { workbooks, bytes, sessions, operationsPerSecond, exportsPerHour }, invalid: [] };
}

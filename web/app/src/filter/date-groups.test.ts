import assert from "node:assert/strict";
import { test } from "node:test";

import { dateGroups, groupNames, isWithin, shownValues } from "./date-groups.ts";

const value = (known: string, date?: string) => ({ text: known, known, rows: [], ...(date === undefined ? {} : { date }) });
const VALUES = [
  value("Nov 28 9:00", "2026-11-28"),
  value("Nov 28 17:00", "2026-11-28"),
  value("Jan 31", "2026-01-31"),
  value("Jan 5", "2025-01-05"),
  value("unknown"),
  value(""),
];
const DAYS = VALUES.flatMap(({ known, date }) => (date === undefined ? [] : [known]));

test("dates are grouped by year, month and day in order", () => {
  const outline = (groups: ReturnType<typeof dateGroups>): string =>
    groups.map(({ group, keys, parts }) => `${group} ${keys.length}${parts.length > 0 ? ` (${outline(parts)})` : ""}`).join(", ");
  assert.equal(outline(dateGroups(VALUES)), "2025 1 (2025-01 1 (2025-01-05 1)), 2026 3 (2026-01 1 (2026-01-31 1), 2026-11 2 (2026-11-28 2))");
  assert.deepEqual(dateGroups([value("x")]), []);
});

test("visible dates are stored as the fewest groups", () => {
  for (const [hidden, keys, dates] of [
    [["Jan 5"], ["unknown", ""], ["2026"]],
    [["Jan 31", "unknown"], [""], ["2025", "2026-11"]],
    [["Nov 28 9:00", "", "unknown"], ["Nov 28 17:00"], ["2025", "2026-01"]],
    [DAYS, ["unknown", ""], []],
  ] as const) {
    const isVisible = (key: string): boolean => !(hidden as readonly string[]).includes(key);
    assert.deepEqual(shownValues(VALUES, isVisible), { keys, dates }, hidden.join());
  }
});

test("a date is within its year, month and day", () => {
  assert.ok(isWithin(["2026"], "2026-11-28"));
  assert.ok(isWithin(["2025", "2026-11"], "2026-11-28"));
  assert.ok(isWithin(["2026-11-28"], "2026-11-28"));
  assert.ok(!isWithin(["2026-12", "2025"], "2026-11-28"));
});

test("groups are named in the reader's language", () => {
  assert.deepEqual(groupNames("2026", "en"), { short: "2026", full: "2026" });
  assert.deepEqual(groupNames("2026-11", "de"), { short: "November", full: "November 2026" });
  assert.deepEqual(groupNames("2026-11-28", "en"), { short: "28", full: "November 28, 2026" });
});

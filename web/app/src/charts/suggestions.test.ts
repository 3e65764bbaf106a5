import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange } from "@quadrille/grid";
import type { ReadCell } from "@quadrille/protocol";
import { analyzeBlock, type DataBlock } from "./data-block.ts";
import { previewSeries } from "./suggestion-preview.ts";
import { suggestCharts } from "./suggestions.ts";

/** A block that starts at A1; texts like `2026-01-31` are dates. */
function block(...rows: readonly (readonly (string | number)[])[]): DataBlock {
  const range = { top: 0, left: 0, bottom: rows.length - 1, right: (rows[0]?.length ?? 1) - 1 };
  const cell = (content: string | number | undefined): ReadCell | undefined => {
    if (content === undefined || content === "") {
      return { text: "" };
    }
    if (typeof content === "string" && /^\d{4}-\d\d-\d\d$/.test(content)) {
      return { text: content, value: Date.parse(content) / 86_400_000 + 25_569, numberFormat: "yyyy-mm-dd" };
    }
    return { text: String(content), value: content };
  };
  const length = rows.length >= (rows[0]?.length ?? 0) ? rows.length : (rows[0]?.length ?? 0);
  return analyzeBlock(range, length, (row, column) => cell(rows[row]?.[column]));
}

/** `type: values by categories`, with columns or rows by the first cell of their points. */
function described(data: DataBlock): string[] {
  const place = (reference: string | undefined): string => reference?.replaceAll("$", "").replace("=", "") ?? "";
  return suggestCharts(data).map(({ type, stacking, aggregate, series }) => {
    const values = series.map((one) => `${place(one.values)}${one.axis === "secondary" ? " (secondary)" : ""}`).join(", ");
    const categories = series[0]?.categories ? ` by ${place(series[0].categories)}` : "";
    return `${stacking ? "stacked " : ""}${type}: ${aggregate ? `${aggregate} of ` : ""}${values}${categories}`;
  });
}

const SALES = block(
  ["Region", "Month", "Units", "Revenue"],
  ["North", "2026-01-31", 12, 4_100],
  ["South", "2026-01-31", 8, 2_950],
  ["North", "2026-02-28", 15, 5_200],
  ["South", "2026-02-28", 9, 3_300],
);

test("dates become the axis, and repeated categories are summed", () => {
  assert.deepEqual(described(SALES), [
    "combo: sum of C2:C5, D2:D5 (secondary) by B2:B5",
    "combo: sum of C2:C5, D2:D5 (secondary) by A2:A5",
    "column: sum of C2:C5 by B2:B5",
    "bar: sum of C2:C5 by A2:A5",
  ]);
});

test("a preview shows the sums that the chart will show", () => {
  const [best] = suggestCharts(SALES);
  assert.ok(best?.values[1]);
  const preview = previewSeries(best.values[1], best);
  assert.deepEqual([preview.categories, preview.values], [["2026-01-31", "2026-02-28"], [7_050, 8_500]]);
});

test("texts are categories, and numbers of one size share the axis", () => {
  const harvest = block(["Fruit", "North", "South"], ["Apple", 30, 20], ["Pear", 45, 25], ["Plum", 50, 40]);
  assert.deepEqual(described(harvest), ["column: B2:B4, C2:C4 by A2:A4", "stacked column: B2:B4, C2:C4 by A2:A4", "bar: B2:B4, C2:C4 by A2:A4"]);
  const shares = block(["Fruit", "Crates"], ["Apple", 30], ["Pear", 45], ["Plum", 50]);
  assert.deepEqual(described(shares), ["column: B2:B4 by A2:A4", "pie: B2:B4 by A2:A4", "bar: B2:B4 by A2:A4"]);
});

test("a field of a third size is left out", () => {
  const mixed = block(["Plant", "Share", "Units", "Revenue"], ["A", 0.2, 40, 90_000], ["B", 0.7, 55, 80_000], ["C", 0.1, 48, 85_000]);
  assert.equal(described(mixed)[0], "combo: B2:B4, C2:C4 (secondary) by A2:A4");
});

test("distinct dates come before repeated texts", () => {
  const payments = block(["Payer", "Date", "Amount"], ["Ada", "2026-01-03", 5], ["Ada", "2026-01-09", 7], ["Ben", "2026-02-01", 3]);
  assert.equal(described(payments)[0], "line: C2:C4 by B2:B4");
});

test("years are categories", () => {
  assert.equal(described(block(["Year", "Sales"], [2024, 310], [2025, 400], [2026, 390]))[0], "line: B2:B4 by A2:A4");
});

test("long names stand beside bars", () => {
  const survey = block(["Answer", "Votes"], ["Completely satisfied", 12], ["Somewhat satisfied", 20], ["Not at all satisfied", 4]);
  assert.equal(described(survey)[0], "bar: B2:B4 by A2:A4");
});

test("two columns of many numbers are correlated", () => {
  const points = Array.from({ length: 12 }, (_, at) => [at * 1.5, 40 - at]);
  assert.equal(described(block(["Height", "Weight"], ...points))[0], "scatter: B2:B13 by A2:A13");
});

test("numbers without headers or names are columns", () => {
  assert.equal(described(block([3], [5], [4]))[0], "column: A1:A3");
});

test("a wide block has its series in rows, with dates as categories", () => {
  const wide = block(["", "2026-01-31", "2026-02-28", "2026-03-31"], ["North", 30, 45, 50]);
  assert.equal(described(wide)[0], "line: B2:D2 by B1:D1");
});

test("columns that are still blank are kept for what will be typed", () => {
  assert.equal(described(block(["Fruit", "Plan", "Harvest"], ["Apple", 3, ""], ["Pear", 4, ""]))[0], "column: B2:B3, C2:C3 by A2:A3");
});

test("references are ranges of the block", () => {
  for (const { series } of suggestCharts(SALES)) {
    assert.ok(series.every(({ values }) => parseRange(values?.slice(1) ?? "")));
  }
});

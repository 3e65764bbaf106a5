import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange } from "@quadrille/grid";
import type { ReadCell } from "@quadrille/protocol";
import { analyzeBlock, type DataBlock } from "./data-block.ts";
import { previewSeries } from "./suggestion-preview.ts";
import { suggestCharts } from "./suggestions.ts";

/**
 * A block that starts at A1. Texts like `2026-01-31` are dates, and `=SUM(B2:B4) → 150` is a formula with
 * its result.
 */
function block(...rows: readonly (readonly (string | number)[])[]): DataBlock {
  const range = { top: 0, left: 0, bottom: rows.length - 1, right: (rows[0]?.length ?? 1) - 1 };
  const cell = (content: string | number | undefined): ReadCell | undefined => {
    if (content === undefined || content === "") {
      return { text: "" };
    }
    if (typeof content === "string" && /^\d{4}-\d\d-\d\d$/.test(content)) {
      return { text: content, value: Date.parse(content) / 86_400_000 + 25_569, numberFormat: "yyyy-mm-dd" };
    }
    const [formula, result] = String(content).split(" → ");
    if (formula !== undefined && result !== undefined) {
      return { text: result, value: Number(result), formula };
    }
    return { text: String(content), value: content };
  };
  const length = rows.length >= (rows[0]?.length ?? 0) ? rows.length : (rows[0]?.length ?? 0);
  return analyzeBlock(range, length, (row, column) => cell(rows[row]?.[column]));
}

/** The block as it is read when its first field names countries. */
function ofCountries(data: DataBlock): DataBlock {
  return { ...data, fields: data.fields.map((field, at) => ({ ...field, hasCountries: at === 0 })) };
}

/** `type: values by categories`, with the cells of the points; `(2)` marks series of the secondary axis. */
function described(data: DataBlock): string[] {
  const place = (reference: string | undefined): string => reference?.replaceAll("$", "").replace("=", "") ?? "";
  return suggestCharts(data).map(({ type, stacking, aggregate, series }) => {
    const values = series.map((one) => `${place(one.values)}${one.axis === "secondary" ? " (2)" : ""}`).join(", ");
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
const HARVEST = block(["Fruit", "North", "South"], ["Apple", 30, 20], ["Pear", 45, 25], ["Plum", 50, 40]);
const ANSWERS = block(["Name", "Answer"], ["Ada", "Yes"], ["Ben", "No"], ["Cid", "Yes"], ["Dan", "Yes"], ["Eve", "Maybe"]);

/** What is selected, and the first or all charts that are suggested for it. */
const CASES: readonly (readonly [what: string, data: DataBlock, charts: string | readonly string[]])[] = [
  [
    "dates become the axis, repeated categories are summed, and sizes of two kinds have two axes",
    SALES,
    [
      "combo: sum of C2:C5, D2:D5 (2) by B2:B5",
      "combo: sum of C2:C5, D2:D5 (2) by A2:A5",
      "column: sum of C2:C5 by B2:B5",
      "bar: sum of C2:C5 by A2:A5",
    ],
  ],
  [
    "texts are categories, and numbers of one size share the axis",
    HARVEST,
    ["column: B2:B4, C2:C4 by A2:A4", "stacked column: B2:B4, C2:C4 by A2:A4", "bar: B2:B4, C2:C4 by A2:A4"],
  ],
  [
    "the parts of a whole may be a pie",
    block(["Fruit", "Crates"], ["Apple", 30], ["Pear", 45], ["Plum", 50]),
    ["column: B2:B4 by A2:A4", "pie: B2:B4 by A2:A4", "bar: B2:B4 by A2:A4"],
  ],
  [
    "four prices of days are a candlestick chart, with the volumes",
    block(
      ["Day", "Open", "High", "Low", "Close", "Volume"],
      ["2026-03-02", 10, 14, 9, 13, 5_000],
      ["2026-03-03", 13, 13.5, 11, 11.5, 8_000],
      ["2026-03-04", 11.5, 12.5, 10, 12.5, 6_500],
      ["2026-03-05", 12.5, 16, 12, 15.5, 9_000],
      ["2026-03-06", 15.5, 15.5, 14, 14.5, 4_000],
    ),
    "stock: F2:F6, B2:B6, C2:C6, D2:D6, E2:E6 by A2:A6",
  ],
  [
    "volumes may stand before the prices, of which the opening ones may be missing",
    block(
      ["Day", "Volume", "High", "Low", "Close"],
      ["2026-03-02", 5_000, 14, 9, 13],
      ["2026-03-03", 8_000, 13.5, 11, 11.5],
      ["2026-03-04", 6_500, 12.5, 10, 12.5],
      ["2026-03-05", 9_000, 16, 12, 15.5],
      ["2026-03-06", 4_000, 15.5, 14, 14.5],
    ),
    ["combo: B2:B6, C2:C6 (2), D2:D6 (2), E2:E6 (2) by A2:A6", "stock: B2:B6, C2:C6, D2:D6, E2:E6 by A2:A6", "column: B2:B6 by A2:A6"],
  ],
  ["negative numbers are no parts", block(["Fruit", "Change"], ["Apple", -3], ["Pear", 4]), ["column: B2:B3 by A2:A3", "bar: B2:B3 by A2:A3"]],
  [
    "a field of a third size is left out",
    block(["Plant", "Share", "Units", "Revenue"], ["A", 0.2, 40, 90_000], ["B", 0.7, 55, 80_000], ["C", 0.1, 48, 85_000]),
    "combo: B2:B4, C2:C4 (2) by A2:A4",
  ],
  [
    "distinct dates come before repeated texts",
    block(["Payer", "Date", "Amount"], ["Ada", "2026-01-03", 5], ["Ada", "2026-01-09", 7], ["Ben", "2026-02-01", 3]),
    "line: C2:C4 by B2:B4",
  ],
  ["years are categories", block(["Year", "Sales"], [2024, 310], [2025, 400], [2026, 390]), "line: B2:B4 by A2:A4"],
  [
    "years and dates above numbers are headers",
    block(["Region", 2024, 2025], ["North", 1, 2], ["South", 4, 5], ["East", 7, 8]),
    "column: B2:B4, C2:C4 by A2:A4",
  ],
  [
    "dates above numbers are headers",
    block(["Region", "2026-01-31", "2026-02-28"], ["North", 1, 2], ["South", 4, 5], ["East", 7, 8]),
    "column: B2:B4, C2:C4 by A2:A4",
  ],
  ["dates above dates are not", block(["2026-01-31", 4], ["2026-02-28", 5], ["2026-03-31", 7]), "line: B1:B3 by A1:A3"],
  ["numbers of rows are left out", block(["No.", "Fruit", "Crates"], [1, "Apple", 30], [2, "Pear", 50], [3, "Plum", 70]), "column: C2:C4 by B2:B4"],
  ["numbers of rows are categories when there are no others", block(["Round", "Points"], [1, 30], [2, 50], [3, 20]), "line: B2:B4 by A2:A4"],
  ["consecutive numbers are drawn when there are no others", block(["Units", "Fruit"], [3, "Apple"], [4, "Pear"], [5, "Plum"]), "column: A2:A4 by B2:B4"],
  [
    "totals are left out",
    block(["Fruit", "Crates"], ["Apple", 30], ["Pear", 50], ["Plum", 70], ["Total", "=SUM(B2:B4) → 150"]),
    ["column: B2:B4 by A2:A4", "pie: B2:B4 by A2:A4", "bar: B2:B4 by A2:A4"],
  ],
  [
    "totals at the end of rows are left out",
    block(["", "Spring", "Summer", "Autumn", "Year"], ["North", 3, 4, 5, "=SUM(B2:D2) → 12"], ["South", 2, 2, 6, "=SUM(B3:D3) → 10"]),
    "column: B2:D2, B3:D3 by B1:D1",
  ],
  ["a sum among calculations is a point", block(["Fruit", "Crates"], ["Apple", 30], ["Pear", 50], ["Rest", "=SUM(D1:D9)-80 → 20"]), "column: B2:B4 by A2:A4"],
  [
    "long names stand beside bars",
    block(["Answer", "Votes"], ["Completely satisfied", 12], ["Somewhat satisfied", 20], ["Not at all satisfied", 4]),
    "bar: B2:B4 by A2:A4",
  ],
  ["mostly blank texts are no categories", block(["Fruit", "Note", "Crates"], ["Apple", "", 1], ["Pear", "", 2], ["Plum", "new", 4]), ["column: C2:C4 by A2:A4", "pie: C2:C4 by A2:A4", "bar: C2:C4 by A2:A4"]],
  ["texts without numbers are counted", ANSWERS, ["column: count of B2:B6 by B2:B6", "pie: count of B2:B6 by B2:B6", "bar: count of B2:B6 by B2:B6"]],
  ["dates without numbers are counted", block(["Visit"], ["2026-01-03"], ["2026-01-03"], ["2026-01-09"]), ["column: count of A2:A4 by A2:A4", "line: count of A2:A4 by A2:A4"]],
  [
    "two columns of many numbers are correlated",
    block(["Height", "Weight"], ...Array.from({ length: 12 }, (_, at) => [at * 1.5, 40 - at])),
    "scatter: B2:B13 by A2:A13",
  ],
  [
    "many numbers without names may be a distribution",
    block(["Score"], ...Array.from({ length: 40 }, (_, at) => [50 + ((at * 7) % 37)])),
    ["line: A2:A41", "histogram: A2:A41", "area: A2:A41"],
  ],
  ["numbers without headers or names are columns", block([3], [5], [4]), "column: A1:A3"],
  [
    "a wide block has its series in rows, with dates as categories",
    block(["", "2026-01-31", "2026-02-28", "2026-03-31"], ["North", 30, 45, 50]),
    "line: B2:D2 by B1:D1",
  ],
  ["a wide block has its series in rows, with years as categories", block(["", 2024, 2025, 2026], ["North", 30, 45, 50]), "line: B2:D2 by B1:D1"],
  [
    "columns that are still blank are kept for what will be typed",
    block(["Fruit", "Plan", "Harvest"], ["Apple", 3, ""], ["Pear", 4, ""]),
    "column: B2:B3, C2:C3 by A2:A3",
  ],
  [
    "countries can be a map of the first numbers",
    ofCountries(block(["Country", "Sales", "Costs"], ["France", 30, 20], ["Italy", 45, 25], ["Spain", 50, 40])),
    ["column: B2:B4, C2:C4 by A2:A4", "map: B2:B4 by A2:A4", "stacked column: B2:B4, C2:C4 by A2:A4", "bar: B2:B4, C2:C4 by A2:A4"],
  ],
  ["a blank block is drawn when it is filled", block([""], [""]), "column: A1:A2"],
];

for (const [what, data, charts] of CASES) {
  test(what, () => {
    const suggested = described(data);
    assert.deepEqual(typeof charts === "string" ? suggested[0] : suggested, charts);
    assert.ok(suggested.length <= 4);
  });
}

test("a preview shows the sums and counts that the chart will show", () => {
  const [sums, counts] = [suggestCharts(SALES)[0], suggestCharts(ANSWERS)[0]];
  assert.ok(sums?.values[1] && counts?.values[0]);
  const preview = previewSeries(sums.values[1], sums);
  assert.deepEqual([preview.categories, preview.values], [["2026-01-31", "2026-02-28"], [7_050, 8_500]]);
  const counted = previewSeries(counts.values[0], counts);
  assert.deepEqual([counted.categories, counted.values], [["Yes", "No", "Maybe"], [3, 1, 1]]);
});

test("references are ranges of the block", () => {
  for (const { series } of suggestCharts(SALES)) {
    assert.ok(series.every(({ values }) => parseRange(values?.slice(1) ?? "")));
  }
});

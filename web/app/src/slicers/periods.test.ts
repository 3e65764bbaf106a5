import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingLevel, intersects, joined, labelOf, periodsOf, PERIODS_MAX, selectionText } from "./periods.ts";

test("periods begin with the one that contains the first day and end with that of the last", () => {
  assert.deepEqual(periodsOf("2023-11-15", "2024-02-01", "month"), [
    { from: "2023-11-01", to: "2023-11-30" },
    { from: "2023-12-01", to: "2023-12-31" },
    { from: "2024-01-01", to: "2024-01-31" },
    { from: "2024-02-01", to: "2024-02-29" },
  ]);
  assert.deepEqual(periodsOf("2023-11-15", "2024-02-01", "quarter"), [
    { from: "2023-10-01", to: "2023-12-31" },
    { from: "2024-01-01", to: "2024-03-31" },
  ]);
  assert.deepEqual(periodsOf("2023-11-15", "2024-02-01", "year"), [
    { from: "2023-01-01", to: "2023-12-31" },
    { from: "2024-01-01", to: "2024-12-31" },
  ]);
  assert.deepEqual(periodsOf("2024-02-28", "2024-03-01", "date").map(({ from }) => from), ["2024-02-28", "2024-02-29", "2024-03-01"]);
});

test("a level with more periods than fit gives way to a longer one", () => {
  assert.equal(fittingLevel("2024-01-01", "2024-12-31", "date"), "date");
  assert.equal(fittingLevel("1990-01-01", "2024-12-31", "date"), "month");
  assert.equal(fittingLevel("1900-01-01", "2024-12-31", "month"), "quarter");
  assert.equal(periodsOf("1900-01-01", "2024-12-31", "date").length, PERIODS_MAX);
});

test("labels are in the language of the page", () => {
  assert.equal(labelOf({ from: "2024-03-01", to: "2024-03-31" }, "month", "en"), "Mar");
  assert.equal(labelOf({ from: "2024-03-01", to: "2024-03-31" }, "month", "de"), "Mär");
  assert.equal(labelOf({ from: "2024-01-01", to: "2024-12-31" }, "year", "ja"), "2024年");
  assert.match(selectionText({ from: "2024-01-01", to: "2024-03-31" }, "en"), /Jan 1\s–\sMar 31, 2024/);
});

test("selections join and contain periods", () => {
  const march = { from: "2024-03-01", to: "2024-03-31" };
  const may = { from: "2024-05-01", to: "2024-05-31" };
  assert.deepEqual(joined(may, march), { from: "2024-03-01", to: "2024-05-31" });
  assert.equal(intersects(march, undefined), true);
  assert.equal(intersects(march, may), false);
  assert.equal(intersects(may, joined(march, may)), true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberForm } from "./number-form.ts";

const showNumber = (number: number): string => new Intl.NumberFormat("en", { maximumFractionDigits: 10 }).format(number);

function shown(values: readonly (number | null)[], texts: readonly string[], ...numbers: readonly number[]): string {
  const form = numberForm([{ values: [...values], texts: [...texts] }], showNumber);
  return numbers.map(form).join(" ");
}

test("numbers are shown with the currency, the unit or the percent sign of their cells", () => {
  assert.equal(shown([1250.7, -3], ["€1,250.70", "-€3.00"], 2_000, -500), "€2,000 -€500");
  assert.equal(shown([1250.7], ["1.250,70 €"], 2_000.5), "2,000.5 €");
  assert.equal(shown([-12], ["($12)"], 20), "$20");
  assert.equal(shown([0.256, 0.07], ["26%", "7%"], 0.07, 1), "7% 100%");
  assert.equal(shown([3], ["3 kg"], 4), "4 kg");
  assert.equal(shown([0, null, 5], ["–", "", "5 kg"], 4), "4 kg");
});

test("texts that are not the number leave the axis as it is", () => {
  assert.equal(shown([5], ["5"], 1_000), "1,000");
  // Thousands, a date, a time and an exponent.
  assert.equal(shown([1_250_000], ["1,250 K"], 1_000), "1,000");
  assert.equal(shown([45_413], ["2024-05-01"], 45_000), "45,000");
  assert.equal(shown([0.5625], ["1:30 PM"], 0.5), "0.5");
  assert.equal(shown([120_000], ["1.2E+05 m"], 1_000), "1,000");
  assert.equal(shown([5], ["5 pieces of something"], 1_000), "1,000");
  assert.equal(shown([], [], 1_000), "1,000");
});

test("series with different units share an axis without one", () => {
  const form = numberForm([{ values: [5], texts: ["$5"] }, { values: [6], texts: ["6 kg"] }], showNumber);
  assert.equal(form(7), "7");
});

test("a number that is rounded differently does not decide", () => {
  // 1.005 is a little less in binary; spreadsheets round the decimal digits.
  assert.equal(shown([1.005, 2, 3], ["$1.01", "$2.00", "$3.00"], 4), "$4");
});

/** Numbers of axes and tooltips in the form that they have in cells: with their currency or unit, or as percent. */

import type { ChartSeriesDetails } from "@quadrille/protocol";

/** Numbers of each series that are compared with their texts. */
const COMPARED_MAX = 20;
/** Characters before and after a number; more would not fit beside an axis. */
const BESIDE_MAX = 8;
/** Decimals that a cell shows. */
const DECIMALS_MAX = 10;
/** Signs of negative numbers, and marks of direction. */
const SIGNS = /[-−()\u200e\u200f\u061c]/gu;

/** What cells show beside their numbers. */
interface Form {
  readonly before: string;
  readonly after: string;
  readonly isPercent: boolean;
}

/**
 * Shows numbers as the cells of the series do, but with the digits that they need. Series whose cells differ, or
 * show something else than their number, such as dates or thousands, have plain numbers.
 */
export function numberForm(series: readonly Pick<ChartSeriesDetails, "values" | "texts">[], showNumber: (number: number) => string): (number: number) => string {
  const form = commonForm(series);
  if (!form) {
    return showNumber;
  }
  return (number) => {
    const shown = showNumber(form.isPercent ? inPercent(number) : number);
    const digits = Math.max(0, shown.search(/\p{Nd}/u));
    return `${shown.slice(0, digits)}${form.before}${shown.slice(digits)}${form.after}`;
  };
}

/** A hundred times the number, without the digits that multiplying adds: 7 for 0.07. */
function inPercent(number: number): number {
  return Number((number * 100).toPrecision(12));
}

function commonForm(series: readonly Pick<ChartSeriesDetails, "values" | "texts">[]): Form | undefined {
  let common: Form | undefined;
  let [compared, equal] = [0, 0];
  for (const { values, texts } of series) {
    const end = compared + COMPARED_MAX;
    for (const [at, value] of values.entries()) {
      const text = texts[at];
      if (compared === end) {
        break;
      }
      if (value === null || value === 0 || !text) {
        continue;
      }
      compared += 1;
      const form = formOf(value, text);
      if (!form) {
        continue;
      }
      equal += 1;
      common ??= form;
      if (form.before !== common.before || form.after !== common.after) {
        return undefined;
      }
    }
  }
  // A single number may be rounded differently.
  const isPlain = common?.before === "" && common.after === "";
  return isPlain || equal * 2 < compared ? undefined : common;
}

/** What a cell shows beside its number; `undefined` if it shows something else. */
function formOf(value: number, text: string): Form | undefined {
  const parts = /^(?<before>[^0-9]*)(?<digits>[0-9](?:.*[0-9])?)(?<after>[^0-9]*)$/su.exec(text.trim())?.groups;
  if (!parts) {
    return undefined;
  }
  const [before = "", after = ""] = [parts["before"], parts["after"]].map((beside) => beside?.replace(SIGNS, ""));
  const isPercent = /[%٪]/u.test(before + after);
  const number = Math.abs(isPercent ? inPercent(value) : value);
  const digits = digitsOf(parts["digits"] ?? "");
  const isEqual = Array.from({ length: DECIMALS_MAX + 1 }).some((_, decimals) => digitsOf(number.toFixed(decimals)) === digits);
  return isEqual && before.length + after.length <= BESIDE_MAX ? { before, after, isPercent } : undefined;
}

function digitsOf(text: string): string {
  return text.replace(/[^0-9]/gu, "");
}

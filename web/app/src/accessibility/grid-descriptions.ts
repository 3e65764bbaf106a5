/** The words with which the grid describes cells to screen readers, in the language of the page. */

import type { GridDescriptions } from "@quadrille/grid";
import { showNumber, t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/** A sparkline with more numbers is summarized instead of read out. */
const SPOKEN_MAX = 12;

/** The descriptions for `Grid.setDescriptions`. */
export function gridDescriptions(): GridDescriptions {
  return {
    column: notation().column,
    cell: notation().cell,
    row: t("Row"),
    checked: t("checked"),
    notChecked: t("not checked"),
    rating: (stars) => (stars === undefined ? t("no rating") : t("{count} of 5 stars", { count: stars })),
    hasComments: t("has comments"),
    fromList: t("has a dropdown list"),
    button: t("is a button"),
    field: t("is a text box"),
    isInvalid: t("invalid data"),
    isHere: (name) => t("{name} is here", { name }),
    note: (text) => t("note: {text}", { text }),
    link: (url) => t("link to {url}", { url }),
    spark: (values) => describeSparkline(values.filter((value) => value !== null)),
  };
}

function describeSparkline(values: readonly number[]): string {
  if (values.length <= SPOKEN_MAX) {
    return t("Sparkline: {values}", { values: values.map(showNumber).join(", ") });
  }
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return t("Sparkline of {count} numbers from {low} to {high}, at last {last}", {
    count: values.length,
    low: showNumber(low),
    high: showNumber(high),
    last: showNumber(values.at(-1) ?? 0),
  });
}

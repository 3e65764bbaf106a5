/** What the grid tells screen readers, in the reader's language. */

import type { GridDescriptions } from "@quadrille/grid";
import { showNumber, t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/** Of more numbers than these one does not want to hear each. */
const SPOKEN_MAX = 12;

export function gridDescriptions(): GridDescriptions {
  return {
    column: notation().column,
    row: t("Row"),
    checked: t("checked"),
    notChecked: t("not checked"),
    hasComments: t("has comments"),
    fromList: t("chosen from a list"),
    isInvalid: t("not allowed by its rule"),
    isHere: (name) => t("{name} is here", { name }),
    note: (text) => t("note: {text}", { text }),
    link: (url) => t("link to {url}", { url }),
    spark: (values) => spokenSpark(values.filter((value) => value !== null)),
  };
}

function spokenSpark(values: readonly number[]): string {
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

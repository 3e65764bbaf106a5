/** Suggested pivot tables of a source, from the types of its columns. */

import type { ItemValue, PivotColumn } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { newField } from "./fields.ts";

/** The most suggestions that the panel offers, as many as Google Sheets. */
const SUGGESTIONS_MAX = 5;

/** Columns that name rows are not added up. */
const IDENTIFIER = /^(id|no|nr|number|year|zip|code|index)\.?$|[ _-](id|no|nr|code)\.?$/i;

/** One suggestion: its sentence, and the fields of the pivot table that it fills. */
export interface Suggestion {
  readonly text: string;
  readonly fields: Record<string, ItemValue>;
}

/** Up to five pivot tables: amounts by category and month, two categories, and counts of rows. */
export function suggestions(columns: readonly PivotColumn[]): readonly Suggestion[] {
  const dates = columns.filter((column) => column.isDate);
  const amounts = columns.filter((column) => column.isNumber && !column.isDate && !IDENTIFIER.test(column.name.trim()));
  const categories = columns.filter((column) => !column.isNumber && !column.isDate);
  const [date, amount, category, other] = [dates[0], amounts[0], categories[0], categories[1]];
  const found: Suggestion[] = [];
  const row = (column: PivotColumn): ItemValue => ({ ...newField(column, "rows") });
  const value = (column: PivotColumn): ItemValue => ({ ...newField(column, "values") });
  if (amount && category) {
    found.push({ text: t("Sum of {value} by {group}", { value: amount.name, group: category.name }), fields: { rows: [row(category)], values: [value(amount)] } });
  }
  if (amount && date) {
    found.push({
      text: t("Sum of {value} by month of {group}", { value: amount.name, group: date.name }),
      fields: { rows: [{ column: date.reference, grouping: "yearMonth" }], values: [value(amount)] },
    });
  }
  if (amount && category && other) {
    found.push({
      text: t("Sum of {value} by {group} and {other}", { value: amount.name, group: category.name, other: other.name }),
      fields: { rows: [row(category)], columns: [row(other)], values: [value(amount)] },
    });
  }
  for (const counted of categories) {
    found.push({ text: t("Number of rows by {group}", { group: counted.name }), fields: { rows: [row(counted)], values: [value(counted)] } });
  }
  return found.slice(0, SUGGESTIONS_MAX);
}

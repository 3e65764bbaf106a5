/** The fields of a pivot table as the panel reads and writes them. */

import type { ItemDetails, ItemValue, PivotColumn, PivotTableDetails } from "@quadrille/protocol";
import type { Message } from "../language/index.ts";

/** The lists of fields, by their names in the item. */
export const PARTS = ["rows", "columns", "values", "filters"] as const;

/** A list of fields. */
export type Part = (typeof PARTS)[number];

/** One field: what is stored of it. */
export type FieldRecord = Readonly<Record<string, ItemValue>>;

export const PART_NAMES: Readonly<Record<Part, Message>> = {
  rows: "Rows|of a pivot table",
  columns: "Columns|of a pivot table",
  values: "Values",
  filters: "Filters|of a pivot table",
};

export const FUNCTIONS: readonly (readonly [name: string, text: Message])[] = [
  ["sum", "Sum"],
  ["count", "Count"],
  ["countNumbers", "Number count"],
  ["countUnique", "Distinct values"],
  ["average", "Average"],
  ["minimum", "Min"],
  ["maximum", "Max"],
  ["median", "Median"],
  ["product", "Product"],
  ["deviation", "Standard deviation"],
  ["deviationPopulation", "Standard deviation (population)"],
  ["variance", "Variance"],
  ["variancePopulation", "Variance (population)"],
];

export const SHOWN_AS: readonly (readonly [name: string, text: Message])[] = [
  ["value", "Value"],
  ["percentOfRow", "% of row"],
  ["percentOfColumn", "% of column"],
  ["percentOfTotal", "% of grand total"],
  ["percentOfParentRow", "% of parent row"],
  ["percentOfParentColumn", "% of parent column"],
  ["runningTotal", "Running total"],
  ["difference", "Difference from previous"],
  ["percentDifference", "% difference from previous"],
  ["rank", "Rank"],
];

export const LAYOUTS: readonly (readonly [name: string, text: Message])[] = [
  ["tabular", "Tabular"],
  ["outline", "Outline|layout"],
  ["compact", "Compact|layout"],
];

/** Groupings of dates; those of numbers have a length instead. */
export const GROUPINGS: readonly (readonly [name: string, text: Message])[] = [
  ["values", "None|of grouping"],
  ["year", "Year"],
  ["yearQuarter", "Year and quarter"],
  ["yearMonth", "Year and month"],
  ["quarter", "Quarter"],
  ["month", "Month"],
  ["date", "Date"],
  ["day", "Day of month"],
  ["weekday", "Weekday"],
  ["hour", "Hour"],
];

/** The fields of one part of an item. */
export function fieldsOf(item: ItemDetails, part: Part): readonly FieldRecord[] {
  const stored = item.fields[part];
  return Array.isArray(stored) ? stored.filter(isRecord) : [];
}

/** Whether a value is a record. */
export function isRecord(value: ItemValue): value is Record<string, ItemValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The column of the source that a field names; `undefined` when it was deleted. */
export function columnOf(details: PivotTableDetails, part: Part, index: number): PivotColumn | undefined {
  const columns = part === "columns" ? details.columnFields : details[part];
  const column = columns[index];
  return column === undefined || column === null ? undefined : details.columns[column];
}

/** A new field of a column: numbers are added up, everything else is counted. */
export function newField(column: PivotColumn, part: Part): FieldRecord {
  if (part === "values") {
    return { column: column.reference, function: column.isNumber && !column.isDate ? "sum" : "count" };
  }
  return { column: column.reference };
}

/** A field with changes; `null` removes an entry. */
export function changed(field: FieldRecord, changes: Readonly<Record<string, ItemValue>>): FieldRecord {
  return Object.fromEntries(Object.entries({ ...field, ...changes }).filter(([, value]) => value !== null));
}

/** The place of a field. */
export interface FieldPlace {
  readonly part: Part;
  readonly index: number;
}

/**
 * The changed lists when a field moves to another place. In another list it keeps only its column,
 * since its other entries mean nothing there; rows and columns exchange their fields whole.
 */
export function moved(item: ItemDetails, from: FieldPlace, to: FieldPlace, column: PivotColumn | undefined): Partial<Record<Part, ItemValue[]>> {
  const source = [...fieldsOf(item, from.part)];
  const [field] = source.splice(from.index, 1);
  if (!field) {
    return {};
  }
  const isAxis = (part: Part): boolean => part === "rows" || part === "columns";
  // A calculated field has no column that another list could use.
  if (from.part !== to.part && field["formula"] !== undefined) {
    return {};
  }
  const keeps = from.part === to.part || (isAxis(from.part) && isAxis(to.part));
  const target = from.part === to.part ? source : [...fieldsOf(item, to.part)];
  const placed = keeps || !column ? field : newField(column, to.part);
  target.splice(to.index, 0, placed);
  return from.part === to.part ? { [from.part]: target } : { [from.part]: source, [to.part]: target };
}

/**
 * The filter of a sheet, shared by everybody, or the open filter view instead: items by which the
 * engine hides rows.
 */

import { contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails, ItemValue, RuleIcon } from "@quadrille/protocol";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import type { ShownValues } from "./date-groups.ts";
import { filteredRows, filterOfTable, sheetFilter, tableAt } from "../tables/index.ts";
import { filterViews } from "./filter-views.ts";
import { sortDirection } from "./sorted-view.ts";

/**
 * Creates a filter over the filled region around the active cell, or removes the existing one: that of
 * the table of the active cell, or that of the sheet's other cells.
 */
export async function toggleFilter(model: WorkbookModel): Promise<void> {
  const sheet = model.sheetId();
  const items = await model.items.settled();
  const table = tableAt(model, model.selection().active);
  const existing = table ? filterOfTable(table, items) : sheetFilter(items);
  if (existing) {
    model.items.remove(existing.id);
    return;
  }
  const range = (table && filteredRows(table)) ?? (await model.dataRange());
  model.command({ type: "setItem", sheet, item: newItemId(), kind: "autoFilter", anchors: [rangeName(range)], fields: {} });
}

/** A column of a filter. */
export interface FilteredColumn {
  readonly filter: ItemDetails;
  readonly range: Range;
  readonly column: number;
  /** The visible values; `undefined` when all are visible. */
  readonly shown: ShownValues | undefined;
  readonly item: ItemDetails | undefined;
}

/** The filter whose header row contains the cell. */
export function filterAt(model: WorkbookModel, row: number, column: number): FilteredColumn | undefined {
  const view = filterViews(model).current();
  for (const filter of view ? [view] : model.items.ofKind("autoFilter")) {
    const range = parseRange(filter.anchors[0] ?? "");
    if (range && range.top === row && contains(range, { row, column })) {
      const item = model.items.ofKind("filterColumn").find((candidate) => {
        const anchor = parseRange(candidate.anchors[0] ?? "");
        return candidate.fields["parent"] === filter.id && anchor?.left === column;
      });
      const list = (name: string): readonly string[] | undefined => {
        const stored = item?.fields[name];
        return Array.isArray(stored) ? stored.filter((text) => typeof text === "string") : undefined;
      };
      const [keys, dates] = [list("shown"), list("shownDates")];
      const blank = item?.fields["showBlanks"] === true ? [""] : [];
      const shown = (keys ?? dates) && { keys: [...(keys ?? []), ...blank], dates: dates ?? [] };
      return { filter, range, column, shown, item };
    }
  }
  return undefined;
}

/** The filter condition of a column. */
export type ColumnRule =
  | ({ readonly by: "values" } & ShownValues)
  | { readonly by: "comparing"; readonly first: Comparison; readonly second?: Comparison | undefined; readonly isEither: boolean }
  | { readonly by: "rank"; readonly rule: "top" | "bottom"; readonly rank: number }
  | { readonly by: "average"; readonly rule: "aboveAverage" | "belowAverage" }
  | { readonly by: "appearance"; readonly appearance: Appearance };

/** An operator and its value. */
export interface Comparison {
  readonly operator: string;
  readonly value: string;
}

/** A color as `#rrggbb` of the fill or of the text, or an icon; `null` for cells without one. */
export type Appearance =
  | { readonly rule: "color" | "textColor"; readonly color: string | null }
  | { readonly rule: "icon"; readonly icon: RuleIcon | null };

/** The color or icon by which a column is filtered. */
export function appearanceOf(fields: ItemDetails["fields"]): Appearance | undefined {
  const { rule, color, iconSet, iconIndex } = fields;
  switch (rule) {
    case "color":
    case "textColor":
      return { rule, color: typeof color === "string" ? color : null };
    case "icon":
      return { rule, icon: typeof iconSet === "string" ? { set: iconSet, index: typeof iconIndex === "number" ? iconIndex : 0 } : null };
    default:
      return undefined;
  }
}

/** Clears the fields of other conditions. */
const CLEARED = {
  shown: null,
  shownDates: null,
  showBlanks: null,
  operator: null,
  value1: null,
  join: null,
  operator2: null,
  value2: null,
  rank: null,
  percent: null,
  color: null,
  iconSet: null,
  iconIndex: null,
} as const satisfies Record<string, ItemValue>;

function fieldsOf(rule: ColumnRule): Record<string, ItemValue> {
  switch (rule.by) {
    case "values":
      return {
        ...CLEARED,
        rule: "values",
        shown: rule.keys.filter((text) => text !== ""),
        shownDates: rule.dates.length > 0 ? [...rule.dates] : null,
        showBlanks: rule.keys.includes(""),
      };
    case "comparing": {
      const { first, second, isEither } = rule;
      const more = second && { join: isEither ? "or" : "and", operator2: second.operator, value2: second.value };
      return { ...CLEARED, rule: "condition", operator: first.operator, value1: first.value, ...more };
    }
    case "rank":
      return { ...CLEARED, rule: rule.rule, rank: rule.rank };
    case "average":
      return { ...CLEARED, rule: rule.rule };
    case "appearance": {
      const { appearance } = rule;
      return appearance.rule === "icon"
        ? { ...CLEARED, rule: "icon", iconSet: appearance.icon?.set ?? null, iconIndex: appearance.icon?.index ?? null }
        : { ...CLEARED, ...appearance };
    }
  }
}

/** Sets the condition of a column; `undefined` removes it. */
export function filterBy(model: WorkbookModel, filtered: FilteredColumn, rule: ColumnRule | undefined): void {
  const isSorted = sortDirection(filtered.item) !== undefined;
  if (!rule && !isSorted) {
    if (filtered.item) {
      model.items.remove(filtered.item.id);
    }
    return;
  }
  const { range, column } = filtered;
  const command: Command = {
    type: "setItem",
    sheet: model.sheetId(),
    item: filtered.item?.id ?? newItemId(),
    kind: "filterColumn",
    anchors: [rangeName({ ...range, left: column, right: column })],
    fields: { parent: filtered.filter.id, ...(rule ? fieldsOf(rule) : { ...CLEARED, rule: null }) },
  };
  model.command(command);
}

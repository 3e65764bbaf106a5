/** The filter of a sheet, shared by everybody, or the view that is open instead: items that the engine hides rows by. */

import { contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { newItemId, type WorkbookModel } from "../state/index.ts";

/** Over the filled block round the active cell, or off where there is one. */
export async function toggleFilter(model: WorkbookModel): Promise<void> {
  const sheet = model.sheetId();
  const known = (await model.items.settled()).find(({ kind }) => kind === "autoFilter");
  if (known) {
    model.items.remove(known.id);
    return;
  }
  const range = await model.rangeToSort();
  model.command({ type: "setItem", sheet, item: newItemId(), kind: "autoFilter", anchors: [rangeName(range)], fields: {} });
}

export interface FilteredColumn {
  readonly filter: ItemDetails;
  readonly range: Range;
  readonly column: number;
  /** What is shown of the column; `undefined`: everything. */
  readonly shown: readonly string[] | undefined;
  readonly item: ItemDetails | undefined;
}

/** The filter whose header row holds this cell. */
export function filterAt(model: WorkbookModel, row: number, column: number): FilteredColumn | undefined {
  const view = model.views.current();
  for (const filter of view ? [view] : model.items.ofKind("autoFilter")) {
    const range = parseRange(filter.anchors[0] ?? "");
    if (range && range.top === row && contains(range, { row, column })) {
      const item = model.items.ofKind("filterColumn").find((candidate) => {
        const own = parseRange(candidate.anchors[0] ?? "");
        return candidate.fields["parent"] === filter.id && own?.left === column;
      });
      const shown = item?.fields["shown"];
      const texts = Array.isArray(shown) ? shown.filter((text) => typeof text === "string") : undefined;
      const blank = item?.fields["showBlanks"] === true ? [""] : [];
      return { filter, range, column, shown: texts && [...texts, ...blank], item };
    }
  }
  return undefined;
}

/** How a column filters. */
export type ColumnRule =
  | { readonly by: "values"; readonly shown: readonly string[] }
  | { readonly by: "comparing"; readonly first: Comparison; readonly second?: Comparison | undefined; readonly isEither: boolean }
  | { readonly by: "rank"; readonly rule: "top" | "bottom"; readonly rank: number }
  | { readonly by: "average"; readonly rule: "aboveAverage" | "belowAverage" }
  | { readonly by: "color"; readonly rule: ColorRule; readonly color: string | null };

export interface Comparison {
  readonly operator: string;
  readonly value: string;
}

/** Of fills or of texts. */
export type ColorRule = "color" | "textColor";

/** What belongs to rules of other kinds goes. */
const NONE = {
  shown: null,
  showBlanks: null,
  operator: null,
  value1: null,
  join: null,
  operator2: null,
  value2: null,
  rank: null,
  percent: null,
  color: null,
} as const satisfies Record<string, ItemValue>;

function fieldsOf(rule: ColumnRule): Record<string, ItemValue> {
  switch (rule.by) {
    case "values":
      return { ...NONE, rule: "values", shown: rule.shown.filter((text) => text !== ""), showBlanks: rule.shown.includes("") };
    case "comparing": {
      const { first, second, isEither } = rule;
      const more = second && { join: isEither ? "or" : "and", operator2: second.operator, value2: second.value };
      return { ...NONE, rule: "condition", operator: first.operator, value1: first.value, ...more };
    }
    case "rank":
      return { ...NONE, rule: rule.rule, rank: rule.rank };
    case "average":
      return { ...NONE, rule: rule.rule };
    case "color":
      return { ...NONE, rule: rule.rule, color: rule.color };
  }
}

/** From now on the column filters so; `undefined`: no more. */
export function filterBy(model: WorkbookModel, at: FilteredColumn, rule: ColumnRule | undefined): void {
  if (!rule) {
    if (at.item) {
      model.items.remove(at.item.id);
    }
    return;
  }
  const { range, column } = at;
  const command: Command = {
    type: "setItem",
    sheet: model.sheetId(),
    item: at.item?.id ?? newItemId(),
    kind: "filterColumn",
    anchors: [rangeName({ ...range, left: column, right: column })],
    fields: { parent: at.filter.id, ...fieldsOf(rule) },
  };
  model.command(command);
}

/** The filter of a sheet, shared by everybody, or the view that is open instead: items that the engine hides rows by. */

import { contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { newItemId } from "../items.ts";
import type { WorkbookModel } from "../model.ts";

/** Over the filled block round the active cell, or off where there is one. */
export async function toggleFilter(model: WorkbookModel): Promise<void> {
  const sheet = model.sheetId();
  const known = model.items.ofKind("autoFilter")[0];
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

/** Shows only the rows with these texts; all of them: the column filters no more. */
export function showOnly(model: WorkbookModel, at: FilteredColumn, shown: readonly string[] | undefined): void {
  setColumn(
    model,
    at,
    shown && { rule: "values", shown: shown.filter((text) => text !== ""), showBlanks: shown.includes(""), operator: null, value1: null },
  );
}

/** Shows only the rows whose cell compares so with what was typed. */
export function showWhere(model: WorkbookModel, at: FilteredColumn, operator: string, value1: string): void {
  setColumn(model, at, { rule: "condition", operator, value1, shown: null, showBlanks: null });
}

function setColumn(model: WorkbookModel, at: FilteredColumn, fields: Record<string, ItemValue> | undefined): void {
  if (!fields) {
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
    fields: { parent: at.filter.id, ...fields },
  };
  model.command(command);
}

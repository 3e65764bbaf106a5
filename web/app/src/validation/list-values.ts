/** Data validation rules of cells, and the values of lists. */

import { type Cell, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { parseReference } from "../references/index.ts";

/** The rule of a cell; if there are several, the last one. */
export function validationAt(model: WorkbookModel, cell: Cell): ItemDetails | undefined {
  return model.items.ofKind("validation").findLast((item) =>
    item.anchors.some((anchor) => {
      const range = parseRange(anchor);
      return range !== undefined && contains(range, cell);
    }),
  );
}

/** Whether a cell has a dropdown list. */
export function hasList(model: WorkbookModel, cell: Cell): boolean {
  const fields = validationAt(model, cell)?.fields;
  return fields?.["rule"] === "list" && fields["showDropdown"] !== false;
}

/** The values of a list rule: its own, or those of the cells that it refers to, in their order. */
export async function choicesOf(model: WorkbookModel, item: ItemDetails): Promise<readonly string[]> {
  const { choices, formula1 } = item.fields;
  if (Array.isArray(choices)) {
    return choices.filter((choice) => typeof choice === "string");
  }
  const reference = typeof formula1 === "string" ? parseReference(formula1, model.sheets()) : undefined;
  if (!reference) {
    return [];
  }
  const { range, sheet = model.sheetId() } = reference;
  const values = await model.session.query({ type: "columnValues", sheet, range, column: range.left });
  return values
    .filter(({ text }) => text !== "")
    .sort((a, b) => (a.rows[0]?.[0] ?? 0) - (b.rows[0]?.[0] ?? 0))
    .map(({ text }) => text);
}

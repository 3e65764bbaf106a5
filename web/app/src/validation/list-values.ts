/** The values that a cell may have. */

import { type Cell, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { positionOf } from "../references/index.ts";

/** The validation of a cell; of several the last one made. */
export function validationAt(model: WorkbookModel, cell: Cell): ItemDetails | undefined {
  return model.items.ofKind("validation").findLast((item) =>
    item.anchors.some((anchor) => {
      const range = parseRange(anchor);
      return range !== undefined && contains(range, cell);
    }),
  );
}

/** Whether a list drops down from a cell. */
export function hasList(model: WorkbookModel, cell: Cell): boolean {
  const fields = validationAt(model, cell)?.fields;
  return fields?.["rule"] === "list" && fields["showDropdown"] !== false;
}

/** Written down with the rule, or in the cells that it names. */
export async function choicesOf(model: WorkbookModel, item: ItemDetails): Promise<readonly string[]> {
  const { choices, formula1 } = item.fields;
  if (Array.isArray(choices)) {
    return choices.filter((choice) => typeof choice === "string");
  }
  const place = typeof formula1 === "string" ? positionOf(formula1, model.sheets()) : undefined;
  if (!place) {
    return [];
  }
  const { range, sheet = model.sheetId() } = place;
  const values = await model.session.query({ type: "columnValues", sheet, range, column: range.left });
  return values
    .filter(({ text }) => text !== "")
    .sort((a, b) => (a.rows[0]?.[0] ?? 0) - (b.rows[0]?.[0] ?? 0))
    .map(({ text }) => text);
}

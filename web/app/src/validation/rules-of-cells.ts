/** Data validation rules of cells. */

import { type Cell, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** The rule of a cell; if there are several, the last one. */
export function validationAt(model: WorkbookModel, cell: Cell): ItemDetails | undefined {
  return model.items.ofKind("validation").findLast((item) =>
    item.anchors.some((anchor) => {
      const range = parseRange(anchor);
      return range !== undefined && contains(range, cell);
    }),
  );
}

/** Whether the values of a rule are drawn as chips. */
export function hasChips(item: ItemDetails): boolean {
  const { rule, displayStyle, showDropdown } = item.fields;
  return isPeople(item) || (rule === "list" && displayStyle === "chip" && showDropdown !== false);
}

/** Whether the values of a rule are names of people, drawn as chips. */
export function isPeople({ fields }: Pick<ItemDetails, "fields">): boolean {
  return fields["rule"] === "any" && fields["displayStyle"] === "people" && fields["showDropdown"] !== false;
}

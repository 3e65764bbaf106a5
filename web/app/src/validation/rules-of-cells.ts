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

/** Whether the values of a list are drawn as chips. */
export function hasChips({ fields }: ItemDetails): boolean {
  return fields["rule"] === "list" && fields["displayStyle"] === "chip" && fields["showDropdown"] !== false;
}

/** The filter of a table, which has the buttons in its header. */

import { parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";

/** The filter with the buttons in the header of a table. */
export function filterOfTable(table: ItemDetails, filters: readonly ItemDetails[]): ItemDetails | undefined {
  const cells = parseRange(table.anchors[0] ?? "");
  return filters.find(({ kind, anchors }) => {
    const range = parseRange(anchors[0] ?? "");
    return kind === "autoFilter" && cells && range && range.top === cells.top && range.left === cells.left && range.right === cells.right && range.bottom <= cells.bottom;
  });
}

/** The cells that the filter of a table covers: all but its total row. */
export function filteredRows(table: ItemDetails): Range | undefined {
  const cells = parseRange(table.anchors[0] ?? "");
  return cells && { ...cells, bottom: cells.bottom - (table.fields["totalRow"] === true ? 1 : 0) };
}

/** The filter of the cells outside of tables. */
export function sheetFilter(items: readonly ItemDetails[]): ItemDetails | undefined {
  const tables = items.filter(({ kind }) => kind === "table");
  return items.find((item) => item.kind === "autoFilter" && tables.every((table) => filterOfTable(table, [item]) === undefined));
}

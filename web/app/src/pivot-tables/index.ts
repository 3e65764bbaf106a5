/** Pivot tables. `PivotPanel.tsx` is loaded with the first one. */

export { editPivotTable, insertPivotTable, pivotTableAt } from "./insert-pivot-table.ts";

/** Pivot tables. `PivotPanel.tsx` is loaded with the first one. */

export { type LabelActions, labelActions } from "./group-labels.ts";
export { editPivotTable, insertPivotTable, pivotTableAt } from "./insert-pivot-table.ts";

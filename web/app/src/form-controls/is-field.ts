/** Which cells have a form control for typing. */

import type { Cell } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/** Whether the grid shows a control in the cell whose value can be typed. */
export function isField(model: WorkbookModel, sheet: number, cell: Cell): boolean {
  const control = sheet === model.sheet() ? model.grid?.markOf(cell)?.control : undefined;
  return control === "field" || control === "list";
}

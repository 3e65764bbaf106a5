/** Inserts pivot tables, and finds the one in the active cell. */

import { rangeName } from "@quadrille/grid";
import { t } from "../language/index.ts";
import { absoluteName } from "../references/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";

/** The identifier of the pivot table that fills the active cell. */
export async function pivotTableAt(model: WorkbookModel): Promise<number | undefined> {
  const item = await model.session.query({ type: "pivotTableAt", sheet: model.sheetId(), cell: model.selection().active });
  return item ?? undefined;
}

/** Opens the panel of the pivot table in the active cell. Does nothing where there is none. */
export async function editPivotTable(model: WorkbookModel): Promise<void> {
  const item = await pivotTableAt(model);
  if (item !== undefined) {
    model.selectItem(undefined);
    model.openPanel("pivotTable");
  }
}

/**
 * Adds a sheet with a pivot table of the selected cells, or of the filled region around the active
 * cell, and opens its panel. In a pivot table, opens the panel of that one.
 */
export async function insertPivotTable(model: WorkbookModel): Promise<void> {
  if ((await pivotTableAt(model)) !== undefined) {
    await editPivotTable(model);
    return;
  }
  const source = absoluteName(model.sheetName(), rangeName(await model.dataRange()));
  const sheets = new Set(model.sheets().map(({ id }) => id));
  model.addSheet();
  // The answer arrives after the new sheet.
  await model.session.query({ type: "names" });
  const sheet = model.sheetId();
  if (sheets.has(sheet)) {
    return;
  }
  model.command({
    type: "setItem",
    sheet,
    item: newItemId(),
    kind: "pivotTable",
    anchors: ["A1"],
    // The labels of totals are part of the workbook, in the language of the person who inserts it.
    fields: { source: `=${source}`, totalLabel: t("Grand total"), subtotalLabel: t("{label} total", { label: "*" }) },
  });
  model.openPanel("pivotTable");
}

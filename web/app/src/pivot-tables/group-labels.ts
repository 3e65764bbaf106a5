/** Puts the selected labels of a pivot table into a group, or removes their groups. */

import type { ItemDetails, PivotLabels } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { columnOf } from "./fields.ts";
import { canGroup, canUngroup, grouped, partOf, ungrouped } from "./own-groups.ts";

/** What can be done with the selected labels. */
export interface LabelActions {
  readonly group?: () => Promise<void>;
  readonly ungroup?: () => void;
}

/** What can be done with the selected labels; nothing where the active cell is no label. */
export async function labelActions(model: WorkbookModel): Promise<LabelActions> {
  const sheet = model.sheetId();
  const { active, ranges } = model.selection();
  const labels = await model.session.query({ type: "pivotLabels", sheet, cell: active, ranges: [...ranges] });
  const item = labels && model.items.find(labels.item);
  if (!labels || !item) {
    return {};
  }
  return {
    ...(canGroup(labels) ? { group: () => group(model, sheet, item, labels) } : {}),
    ...(canUngroup(item, labels) ? { ungroup: () => model.items.patch(item.id, ungrouped(item, labels), sheet) } : {}),
  };
}

async function group(model: WorkbookModel, sheet: number, item: ItemDetails, labels: PivotLabels): Promise<void> {
  const details = await model.session.query({ type: "pivotTable", sheet, item: item.id });
  const column = details ? (columnOf(details, partOf(labels), labels.field)?.name ?? "") : "";
  // The names become part of the workbook, in the language of the person who groups.
  const names = { field: (number: number) => `${column}${number}`, group: (number: number) => t("Group{number}", { number }) };
  model.items.patch(item.id, grouped(item, labels, names), sheet);
}

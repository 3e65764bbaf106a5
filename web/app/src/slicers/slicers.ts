/** Inserts slicers, and filters by them. */

import { contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { filterViews } from "../filter/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { DEFAULT_SLICER_SIZE, DEFAULT_TIMELINE_SIZE } from "./default-size.ts";
import type { Period } from "./periods.ts";
import { columnsOfRange, slicerColumns } from "./slicer-columns.ts";

const GAP_PX = 16;

/** A selection: values, a period, or neither for all. */
export interface SlicerChoice {
  readonly shown?: readonly string[];
  readonly period?: Period;
}

/** Filters what the slicer controls. */
export function selectBySlicer(model: WorkbookModel, slicer: ItemDetails, { shown, period }: SlicerChoice): void {
  const view = filterViews(model).current()?.id;
  model.command({
    type: "filterBySlicer",
    sheet: model.sheetId(),
    item: slicer.id,
    ...(view !== undefined && { view }),
    ...(shown && { shown: [...shown] }),
    ...period,
  });
}

/** Columns of buttons, at most (`crates/workbook/src/items/schema.rs`). */
export const BUTTON_COLUMNS_MAX = 20;

/** The number of columns in which the buttons of a slicer stand. */
export function buttonColumns(slicer: ItemDetails): number {
  const columns = slicer.fields["columns"];
  return typeof columns === "number" ? columns : 1;
}

/** The fields that make a slicer a timeline, or a list of values. */
export function typeFields(isTimeline: boolean): Record<string, ItemValue> {
  return { type: isTimeline ? "dates" : "values", ...(isTimeline ? DEFAULT_TIMELINE_SIZE : DEFAULT_SLICER_SIZE) };
}

/**
 * Inserts a slicer for the column of the active cell, or for a field of the pivot table of the sheet,
 * and opens its panel. Adds a filter to cells that have none.
 */
export async function insertSlicer(model: WorkbookModel): Promise<void> {
  const sheet = model.sheetId();
  const { active } = model.selection();
  const pivotTable = await model.session.query({ type: "pivotTableAt", sheet, cell: active });
  const filters = (await model.items.settled()).filter(({ kind }) => kind === "autoFilter" || kind === "filterView");
  const isAt = (range: Range | undefined): range is Range => range !== undefined && contains(range, active);
  const filtered = filters.map(({ anchors }) => parseRange(anchors[0] ?? "")).find(isAt);
  const commands: Command[] = [];
  let columns = await slicerColumns(model);
  let beside = filtered;
  if (!filtered && pivotTable === null) {
    const region = await model.dataRange();
    if (region.bottom > region.top) {
      commands.push({ type: "setItem", sheet, item: newItemId(), kind: "autoFilter", anchors: [rangeName(region)], fields: {} });
      columns = await columnsOfRange(model, sheet, region);
      beside = region;
    }
  }
  const column = columns.find((one) => one.sheet === sheet && one.column === active.column && pivotTable === null) ?? columns[0];
  if (!column) {
    model.toast(t("Select a cell of a table or of a pivot table first."), false, { icon: "info" });
    return;
  }
  const item = newItemId();
  commands.push({
    type: "setItem",
    sheet,
    item,
    kind: "slicer",
    anchors: [anchorBeside(model, beside, column.isDate ? DEFAULT_TIMELINE_SIZE.width : DEFAULT_SLICER_SIZE.width)],
    fields: { column: column.formula, offsetX: GAP_PX, offsetY: GAP_PX / 2, ...typeFields(column.isDate) },
  });
  model.command({ type: "many", commands });
  model.selectItem(item);
  model.openPanel("slicer");
}

/**
 * The cell to the right of the data and of the slicers that are there already, in the row of the
 * headers, which no filter hides.
 */
function anchorBeside(model: WorkbookModel, data: Range | undefined, width: number): string {
  const { active } = model.selection();
  const row = data?.top ?? active.row;
  const own = model.items.ofKind("slicer").flatMap(({ anchors }) => parseRange(anchors[0] ?? "") ?? []);
  const columnPx = model.cellBox({ row, column: (data?.right ?? active.column) + 1 })?.box.width ?? 96;
  const columns = Math.ceil((width * model.zoom() + 2 * GAP_PX) / columnPx);
  let left = (data?.right ?? active.column) + 1;
  while (own.some((range) => range.top === row && Math.abs(range.left - left) < columns)) {
    left += 1;
  }
  return rangeName({ top: row, bottom: row, left, right: left });
}

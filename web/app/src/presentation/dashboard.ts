/**
 * Sheets shown as dashboards: without gridlines, headings, toolbar, formula bar and the frame of the
 * selection, and with cells that cannot be edited by accident. Charts, slicers, checkboxes, dropdown lists and buttons
 * work. A sheet is one while both its gridlines and its headings are hidden.
 */

import type { ItemValue } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";

/** The settings that show a sheet as a dashboard, and those that do not. */
export const DASHBOARD_SETTINGS: Readonly<Record<string, ItemValue>> = { showGridlines: false, showHeadings: false };
export const SHEET_SETTINGS: Readonly<Record<string, ItemValue>> = { showGridlines: null, showHeadings: null };

const [isByKeyboard, setIsByKeyboard] = createSignal(false);

/** Whether the current sheet is shown as a dashboard. */
export function isDashboard(model: WorkbookModel): boolean {
  const settings = model.items.ofKind("sheetSettings")[0]?.fields;
  return settings?.["showGridlines"] === false && settings["showHeadings"] === false;
}

/** Whether the selection has its frame: on a dashboard, while the keyboard moves it. */
export function showsSelection(model: WorkbookModel): boolean {
  return !isDashboard(model) || isByKeyboard();
}

/** A key or a press is about to move the selection. */
export const selectByKeyboard = setIsByKeyboard;

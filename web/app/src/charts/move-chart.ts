/** Moves charts between sheets. */

import type { Command, SheetTab } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Moves a chart to a sheet of its own after the current sheet, and opens that sheet. */
export function moveToOwnSheet(model: WorkbookModel, chart: number): void {
  const toSheet = freeName(model.sheets());
  // One command, so that it is undone in one step.
  model.runAndOpenSheet({
    type: "many",
    commands: [
      { type: "addSheet", name: toSheet, position: model.nextPosition() },
      { type: "moveChart", sheet: model.sheetId(), item: chart, toSheet, ownSheet: true },
    ],
  });
}

/** Shows the cells of the current sheet again, below its chart. */
export function showCells(model: WorkbookModel, chart: number): void {
  model.items.patch(chart, { ownSheet: null });
}

/**
 * Moves the chart of the current sheet over the cells of another one, and opens that sheet. The sheet that
 * the chart leaves is deleted if it has nothing else.
 */
export async function moveToSheet(model: WorkbookModel, chart: number, target: SheetTab): Promise<void> {
  const sheet = model.sheetId();
  const [items, { shape }] = await Promise.all([model.items.settled(), model.session.queryView(sheet, [])]);
  const hasMore = shape.usedRows > 0 || items.some(({ id, kind }) => id !== chart && kind !== "sheetSettings");
  const commands: Command[] = [{ type: "moveChart", sheet, item: chart, toSheet: target.name, ownSheet: false }];
  if (!hasMore) {
    commands.push({ type: "removeSheet", sheet });
  }
  model.command({ type: "many", commands });
  model.openSheet(target.id);
}

/** The first of the names Chart1, Chart2, … that no sheet has. */
function freeName(sheets: readonly SheetTab[]): string {
  const taken = new Set(sheets.map(({ name }) => name.toLowerCase()));
  const name = (number: number): string => `${t("Chart")}${number}`;
  let number = 1;
  while (taken.has(name(number).toLowerCase())) {
    number += 1;
  }
  return name(number);
}

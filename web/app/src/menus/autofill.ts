/** The menu entry "Autofill": what the fill handle does, where there is no mouse to drag it. */

import { rangeName } from "@quadrille/grid";
import { forVisibleRows } from "../filter/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { autofillSource } from "./autofill-source.ts";

/** Continues the values and formulas at the start of the selection into its blank cells. */
export async function autofill(model: WorkbookModel): Promise<void> {
  const { range } = model;
  const sheet = model.sheetId();
  const table = await model.session.query({ type: "cells", sheet, range, skipsFiltered: false });
  const source = table.isCutShort ? undefined : autofillSource(range, table.rows);
  if (source) {
    model.command(forVisibleRows(sheet, { type: "fill", sheet, source: rangeName(source), target: rangeName(range), mode: "series" }));
  } else {
    model.toast(t("Select cells with values and the blank cells after them."), true);
  }
}

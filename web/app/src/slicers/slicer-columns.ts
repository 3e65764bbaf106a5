/** The columns that a slicer of the current sheet can have: those of its filters and pivot tables. */

import { columnName, parseRange, type Range, rangeName } from "@quadrille/grid";
import { absoluteName, absoluteRange } from "../references/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** A column: its header, and the formula by which a slicer refers to it. */
export interface SlicerColumn {
  readonly name: string;
  readonly formula: string;
  readonly sheet: number;
  readonly column: number;
  /** Whether its first value is a date. */
  readonly isDate: boolean;
}

/** The columns of the filters of the sheet, then those of the sources of its pivot tables. */
export async function slicerColumns(model: WorkbookModel): Promise<readonly SlicerColumn[]> {
  const sheet = model.sheetId();
  const found = new Map<string, SlicerColumn>();
  const add = (column: SlicerColumn): void => {
    const key = `${column.sheet} ${column.column}`;
    if (!found.has(key)) {
      found.set(key, column);
    }
  };
  for (const filter of [...model.items.ofKind("autoFilter"), ...model.items.ofKind("filterView")]) {
    const range = parseRange(filter.anchors[0] ?? "");
    for (const column of range ? await columnsOfRange(model, sheet, range) : []) {
      add(column);
    }
  }
  for (const pivotTable of model.items.ofKind("pivotTable")) {
    const details = await model.session.query({ type: "pivotTable", sheet, item: pivotTable.id });
    const { source, sourceSheet } = details ?? {};
    if (details && source && sourceSheet !== undefined && sourceSheet !== null) {
      details.columns.forEach(({ name, isDate }, index) => {
        const column = source.left + index;
        add({ name, formula: formulaOf(model, sourceSheet, { ...source, left: column, right: column }), sheet: sourceSheet, column, isDate });
      });
    }
  }
  return [...found.values()];
}

/** The columns of a range whose first row has their headers. */
export async function columnsOfRange(model: WorkbookModel, sheet: number, range: Range): Promise<readonly SlicerColumn[]> {
  const bottom = Math.min(range.bottom, range.top + 1);
  const { rows } = await model.session.query({ type: "cells", sheet, range: { ...range, bottom }, skipsFiltered: false });
  const [headers, values] = [rows[0]?.cells ?? [], rows[1]?.cells ?? []];
  return Array.from({ length: range.right - range.left + 1 }, (_, index) => {
    const column = range.left + index;
    const name = headers[index]?.text || columnName(column);
    const isDate = typeof values[index]?.value === "number" && showsDay(values[index]?.numberFormat ?? "");
    return { name, formula: formulaOf(model, sheet, { ...range, left: column, right: column }), sheet, column, isDate };
  });
}

/** Whether a number format shows a day or a year, outside of quoted texts and brackets. */
function showsDay(code: string): boolean {
  return /[dy]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ""));
}

function formulaOf(model: WorkbookModel, sheet: number, cells: Range): string {
  // Without its sheet, so that a slicer on a copy of the sheet filters the copy.
  if (sheet === model.sheetId()) {
    return `=${absoluteRange(rangeName(cells))}`;
  }
  const name = model.sheets().find(({ id }) => id === sheet)?.name ?? "";
  return `=${absoluteName(name, rangeName(cells))}`;
}

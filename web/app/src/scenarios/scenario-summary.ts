/** The summary of scenarios: a new sheet with the values of cells in each of them, as in Excel. */

import { type Cell, cellName, rangeName, rangeOf, sameCell } from "@quadrille/grid";
import type { CellContent, Command, WhatIfValue } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { contentOf, type Scenario } from "./scenarios.ts";

/** Calculates the results and adds the sheet; `false` if the calculation takes too long. */
export async function addSummary(model: WorkbookModel, sheet: number, scenarios: readonly Scenario[], results: readonly Cell[]): Promise<boolean> {
  const changing: Cell[] = [];
  for (const { cell } of scenarios.flatMap(({ cells }) => cells)) {
    if (!changing.some((other) => sameCell(other, cell))) {
      changing.push(cell);
    }
  }
  const address = ({ row, column }: Cell) => ({ sheet, row, column });
  const present = changing.map(() => null);
  const trials = scenarios.map(({ cells }) =>
    changing.map((cell) => {
      const value = cells.find((other) => sameCell(other.cell, cell))?.value;
      return value === undefined ? null : contentOf(value);
    }),
  );
  const rows = [...changing, ...results];
  const columns = await model.session.query({ type: "whatIf", cells: changing.map(address), trials: [present, ...trials], results: rows.map(address) });
  if (!columns) {
    return false;
  }
  const formats = await Promise.all(rows.map((cell) => numberFormat(model, sheet, cell)));
  const known = new Set(model.sheets().map(({ id }) => id));
  model.addSheet();
  // The answer arrives after the new sheet.
  await model.session.query({ type: "names" });
  const target = model.sheetId();
  if (!known.has(target)) {
    model.command({ type: "many", commands: summaryCommands(target, scenarios, changing, results, columns, formats) });
  }
  return true;
}

async function numberFormat(model: WorkbookModel, sheet: number, cell: Cell): Promise<string | undefined> {
  const { rows } = await model.session.query({ type: "cells", sheet, range: rangeOf(cell), skipsFiltered: false });
  return rows[0]?.cells[0]?.numberFormat;
}

/** The commands that fill the sheet. `columns` has the present values first. */
export function summaryCommands(
  sheet: number,
  scenarios: readonly Scenario[],
  changing: readonly Cell[],
  results: readonly Cell[],
  columns: readonly (readonly WhatIfValue[])[],
  formats: readonly (string | undefined)[],
): Command[] {
  const text = (content: string): CellContent => (content === "" ? "blank" : { text: content });
  const blank: CellContent = "blank";
  const empty = columns.map(() => blank);
  const line = (cell: Cell, index: number): CellContent[] => [
    text(cellName(cell)),
    ...columns.map((column): CellContent => {
      const value = column[index];
      return value?.number != null ? { number: value.number } : text(value?.text ?? "");
    }),
  ];
  const cells: CellContent[][] = [
    [text(t("Scenario summary")), ...empty],
    [blank, text(t("Current values")), ...scenarios.map(({ name }) => text(name))],
    [text(t("Changing cells")), ...empty],
    ...changing.map((cell, index) => line(cell, index)),
    [text(t("Result cells")), ...empty],
    ...results.map((cell, index) => line(cell, changing.length + index)),
  ];
  const right = columns.length;
  const bold = (row: number): Command => ({ type: "format", sheet, range: rangeName({ top: row, bottom: row, left: 0, right }), format: { bold: true } });
  const rowOf = (index: number): number => index + (index < changing.length ? 3 : 4);
  return [
    { type: "setCells", sheet, at: "A1", cells },
    ...[0, 1, 2, changing.length + 3].map(bold),
    ...formats.flatMap((format, index): Command[] =>
      format === undefined ? [] : [{ type: "format", sheet, range: rangeName({ top: rowOf(index), bottom: rowOf(index), left: 1, right }), format: { numberFormat: format } }],
    ),
    { type: "resize", sheet, dimension: "columns", first: 0, count: right + 1, size: 130 },
  ];
}

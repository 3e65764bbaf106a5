/**
 * What-if data tables: the results of formulas for several values of one or two input cells. Each cell of
 * the results has a formula with MULTIPLE.OPERATIONS.
 *
 * With one input cell, the formulas are above the results and the values to the left of them, or the
 * other way round. With two, the formula is in the corner.
 */

import { type Cell, cellName, contains, type Range, rangeName, rangeOf, sameCell } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { absoluteRange } from "../references/index.ts";

/** Results of a table, at most: each calculates the formula again. */
export const DATA_TABLE_RESULTS_MAX = 10_000;

/** What a table is made from. */
export interface DataTable {
  /** The values, the formulas and the results. */
  readonly range: Range;
  /** The cell that the values of the first row replace. */
  readonly rowInput?: Cell | undefined;
  /** The cell that the values of the first column replace. */
  readonly columnInput?: Cell | undefined;
}

/** Why a table cannot be made. */
export type DataTableProblem = "noResults" | "tooManyResults" | "noInput" | "sameInputs" | "rowInputInTable" | "columnInputInTable";

/** What is wrong with a table, if anything is. */
export function dataTableProblem({ range, rowInput, columnInput }: DataTable): DataTableProblem | undefined {
  const results = (range.bottom - range.top) * (range.right - range.left);
  if (results === 0) {
    return "noResults";
  }
  if (results > DATA_TABLE_RESULTS_MAX) {
    return "tooManyResults";
  }
  if (!rowInput && !columnInput) {
    return "noInput";
  }
  if (rowInput && contains(range, rowInput)) {
    return "rowInputInTable";
  }
  if (columnInput && contains(range, columnInput)) {
    return "columnInputInTable";
  }
  return rowInput && columnInput && sameCell(rowInput, columnInput) ? "sameInputs" : undefined;
}

/** The formula of the first result; those of the others follow from its relative references. */
export function dataTableFormula({ range: { top, left }, rowInput, columnInput }: DataTable): string {
  const above = cellName({ row: top, column: left + 1 }).replace(/\d+$/, "$$$&");
  const beside = `$${cellName({ row: top + 1, column: left })}`;
  const fixed = (cell: Cell): string => absoluteRange(rangeName(rangeOf(cell)));
  const pairs = [columnInput ? [fixed(columnInput), beside] : [], rowInput ? [fixed(rowInput), above] : []].flat();
  const formula = columnInput && rowInput ? fixed({ row: top, column: left }) : columnInput ? above : beside;
  return `=MULTIPLE.OPERATIONS(${[formula, ...pairs].join(",")})`;
}

/** The command that enters the formulas of a table. */
export function dataTableCommand(sheet: number, table: DataTable): Command {
  const { range } = table;
  const results = { ...range, top: range.top + 1, left: range.left + 1 };
  return { type: "typeEverywhere", sheet, range: rangeName(results), text: dataTableFormula(table) };
}

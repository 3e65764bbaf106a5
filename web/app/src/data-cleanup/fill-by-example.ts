/** The command "Fill by example": continues a column as its first entries were made from their rows. */

import { cellName, type Range, rowCount } from "@quadrille/grid";
import type { CellContent, CellTable } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type Example, learnTextProgram, type TextProgram } from "./text-program.ts";

/** Columns that texts are made from, the nearest ones on either side. */
const INPUTS_MAX = 20;
/** Examples that are learnt from. */
const EXAMPLES_MAX = 20;

/** Fills the blank cells of the active column. */
export async function fillByExample(model: WorkbookModel): Promise<void> {
  model.cellEdit.commit();
  if (!model.checkCanEdit()) {
    return;
  }
  const sheet = model.sheetId();
  const { active } = model.selection();
  const selected = model.range;
  const region = await model.session.query({ type: "region", sheet, cell: active });
  const range = { ...region, left: Math.max(region.left, active.column - INPUTS_MAX), right: Math.min(region.right, active.column + INPUTS_MAX) };
  const table = await model.session.query({ type: "cells", sheet, range, skipsFiltered: true });
  const filled = fillColumn(table, active.column - table.left, rowCount(selected) > 1 ? selected : undefined);
  if (!filled) {
    model.toast(t("No pattern found. Enter one or two more examples in this column."), false, { icon: "info" });
    return;
  }
  const first = table.rows[0]?.row ?? region.top;
  const cells: CellContent[][] = Array.from({ length: (table.rows.at(-1)?.row ?? first) - first + 1 }, () => ["keep"]);
  for (const { row, content } of filled) {
    cells[row - first] = [content];
  }
  model.command({ type: "setCells", sheet, at: cellName({ row: first, column: active.column }), cells });
  model.toast(t("{count} cells filled.", { count: filled.length }), false);
}

/** A cell to fill. */
interface FilledCell {
  readonly row: number;
  readonly content: CellContent;
}

/**
 * The contents of the blank cells of a column of the table, in the given rows if there are some;
 * `undefined` if no pattern is found.
 */
export function fillColumn({ rows }: CellTable, column: number, within?: Range): readonly FilledCell[] | undefined {
  const texts = rows.map(({ row, cells }) => ({
    row,
    target: cells[column],
    inputs: nearestFirst(cells.map(({ text }) => text), column),
  }));
  const examples = texts.flatMap(({ target, inputs }) => (target && target.text !== "" ? [{ inputs, output: target.text, value: target.value }] : []));
  const program = learn(examples.slice(0, EXAMPLES_MAX), texts[0]?.target?.text !== "");
  const areTexts = examples.some(({ value }) => typeof value === "string");
  const filled = texts.flatMap(({ row, target, inputs }): FilledCell[] => {
    const isWanted = target?.text === "" && target.formula === undefined && (!within || (row >= within.top && row <= within.bottom));
    const text = isWanted && inputs.some((input) => input !== "") ? program?.(inputs) : undefined;
    return text === undefined || text === "" ? [] : [{ row, content: areTexts ? { text } : { typed: text } }];
  });
  return filled.length > 0 ? filled : undefined;
}

/** The texts of the other columns, those beside `column` first. */
function nearestFirst(texts: readonly string[], column: number): readonly string[] {
  return [...texts.keys()]
    .filter((at) => at !== column)
    .sort((a, b) => Math.abs(a - column) - Math.abs(b - column) || a - b)
    .slice(0, INPUTS_MAX)
    .map((at) => texts[at] ?? "");
}

/** Learns from all examples, or from those below the first row, which may be a header. */
function learn(examples: readonly Example[], hasFirstRow: boolean): TextProgram | undefined {
  const all = learnTextProgram(examples);
  return all ?? (hasFirstRow && examples.length > 1 ? learnTextProgram(examples.slice(1)) : undefined);
}

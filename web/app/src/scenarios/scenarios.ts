/**
 * Scenarios: named sets of values for some cells of a sheet, stored as items of the sheet. Values
 * are texts as files have them: numbers with a point, `TRUE` and `FALSE`, and other texts.
 */

import { type Cell, cellName, parseRange, rangeOf } from "@quadrille/grid";
import type { CellContent, Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { absoluteRange } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Cells of a scenario, at most; as many as in Excel. */
export const SCENARIO_CELLS_MAX = 32;

/** A cell with its value in a scenario. */
export interface ScenarioCell {
  readonly cell: Cell;
  readonly value: string;
}

/** A scenario. Cells that were deleted are left out. */
export interface Scenario {
  readonly id: number;
  readonly name: string;
  readonly comment: string;
  readonly cells: readonly ScenarioCell[];
}

/** The scenarios among the items of a sheet, by name. */
export function scenariosOf(items: readonly ItemDetails[]): readonly Scenario[] {
  const scenarios = items.flatMap(({ id, kind, fields }): Scenario[] => {
    const { name, text, cells, hidden } = fields;
    if (kind !== "scenario" || hidden === true) {
      return [];
    }
    const found = Array.isArray(cells) ? (cells as readonly ItemValue[]).flatMap(cellOf) : [];
    return [{ id, name: typeof name === "string" ? name : "", comment: typeof text === "string" ? text : "", cells: found }];
  });
  return scenarios.sort((one, other) => one.name.localeCompare(other.name));
}

function cellOf(value: ItemValue): readonly ScenarioCell[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [];
  }
  const { formula, value: text } = value as { readonly [key: string]: ItemValue };
  // The sheet of a reference is that of the scenario.
  const range = typeof formula === "string" ? parseRange(formula.replace(/^=(.*!)?/, "").replaceAll("$", "")) : undefined;
  return range && typeof text === "string" ? [{ cell: { row: range.top, column: range.left }, value: text }] : [];
}

/** The cells that a text names: ranges between commas, semicolons or spaces. */
export function cellsOfText(text: string, active: Cell): readonly Cell[] | undefined {
  const cells: Cell[] = [];
  for (const part of text.split(/[,;\s]+/).filter((one) => one !== "")) {
    const range = notation().parse(part, active);
    if (!range) {
      return undefined;
    }
    for (let row = range.top; row <= range.bottom && cells.length <= SCENARIO_CELLS_MAX; row += 1) {
      for (let column = range.left; column <= range.right && cells.length <= SCENARIO_CELLS_MAX; column += 1) {
        if (!cells.some((cell) => cell.row === row && cell.column === column)) {
          cells.push({ row, column });
        }
      }
    }
  }
  return cells;
}

/** The stored value as the content of a cell. */
export function contentOf(value: string): number | string | boolean {
  if (/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) {
    return Number(value);
  }
  const upper = value.toUpperCase();
  return upper === "TRUE" || upper === "FALSE" ? upper === "TRUE" : value;
}

/** A value of a cell as it is stored. */
export function storedValue(value: number | string | boolean): string {
  return typeof value === "boolean" ? String(value).toUpperCase() : String(value);
}

/** A stored value as it is typed; `decimal` is the decimal separator of the user. */
export function typedText(value: string, decimal: string): string {
  const content = contentOf(value);
  return typeof content === "number" ? String(content).replace(".", decimal) : value;
}

/** The command that enters the values of a scenario, as one transaction. */
export function showCommand({ cells }: Scenario, sheet: number): Command {
  return {
    type: "many",
    commands: cells.map(({ cell, value }): Command => ({ type: "setCells", sheet, at: cellName(cell), cells: [[cellContent(contentOf(value))]] })),
  };
}

/** The content of a cell as a command has it. */
export function cellContent(content: number | string | boolean): CellContent {
  if (typeof content === "number") {
    return { number: content };
  }
  return typeof content === "boolean" ? { boolean: content } : content === "" ? "blank" : { text: content };
}

/** The command that stores a scenario in an item, which may be new. */
export function storeCommand({ name, comment, cells }: Omit<Scenario, "id">, item: number, sheet: number, author: string): Command {
  return {
    type: "setItem",
    sheet,
    item,
    kind: "scenario",
    fields: {
      name,
      text: comment === "" ? null : comment,
      ...(author !== "" && { author }),
      cells: cells.map(({ cell, value }) => ({ formula: `=${absoluteRange(cellName(cell))}`, value })),
    },
  };
}

/** The present value of a cell as a scenario stores it. */
export async function presentValue(model: WorkbookModel, sheet: number, cell: Cell): Promise<string> {
  const { rows } = await model.session.query({ type: "cells", sheet, range: rangeOf(cell), skipsFiltered: false });
  return storedValue(rows[0]?.cells[0]?.value ?? "");
}

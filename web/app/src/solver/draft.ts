/** The fields of the dialog "Solver", and the problem that they describe. */

import type { Cell } from "@quadrille/grid";
import type { FoundCell } from "@quadrille/protocol";
import { parseReference } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { SolverConstraint, SolverGoal } from "./linear-model.ts";

/** Limits of Excel's solver. */
export const VARIABLES_MAX = 200;
/** Constraints, each of a cell or a range. */
export const CONSTRAINTS_MAX = 100;
/** Cells of one constraint. */
const CELLS_MAX = 1_000;

/** A constraint as it is typed. */
export interface ConstraintDraft {
  readonly left: string;
  readonly operator: SolverConstraint["operator"];
  readonly right: string;
}

/** The fields. They stay while the workbook is open. */
export interface SolverDraft {
  readonly sheet: number;
  readonly objective: string;
  readonly goal: SolverGoal["type"];
  readonly value: string;
  readonly cells: string;
  readonly constraints: readonly ConstraintDraft[];
  readonly isNonNegative: boolean;
}

const drafts = new WeakMap<WorkbookModel, SolverDraft>();

/** The fields as they were left on this sheet; at first, those of the selected cell. */
export function draftOf(model: WorkbookModel): SolverDraft {
  const { row, column } = model.selection().active;
  const objective = notation().range({ top: row, bottom: row, left: column, right: column });
  const sheet = model.sheetId();
  const known = drafts.get(model);
  return known?.sheet === sheet ? known : { sheet, objective, goal: "maximize", value: "", cells: "", constraints: [], isNonNegative: true };
}

/** Keeps the fields for the next time. */
export function keepDraft(model: WorkbookModel, draft: SolverDraft): void {
  drafts.set(model, draft);
}

/** The cells of references between commas, semicolons or spaces; `undefined` if one is not valid. */
export function cellsOf(model: WorkbookModel, text: string, active: Cell): readonly FoundCell[] | undefined {
  const read = (part: string) => parseReference(part, model.sheets(), (cells) => notation().parse(cells, active));
  const whole = read(text.trim());
  const references = whole ? [whole] : text.split(/[,;\s]+/).flatMap((part) => (part === "" ? [] : [read(part)]));
  const cells: FoundCell[] = [];
  for (const reference of references) {
    if (!reference) {
      return undefined;
    }
    const { top, bottom, left, right } = reference.range;
    if ((bottom - top + 1) * (right - left + 1) > CELLS_MAX) {
      return undefined;
    }
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        cells.push({ sheet: reference.sheet ?? model.sheetId(), row, column });
      }
    }
  }
  return cells.length === 0 || cells.length > CELLS_MAX ? undefined : cells;
}

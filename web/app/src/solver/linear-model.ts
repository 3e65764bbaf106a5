/**
 * Makes a linear program of the formulas of a sheet: coefficients are differences of the results at
 * several values of the changing cells, which also show whether the formulas are linear.
 */

import type { FoundCell, WhatIfValue } from "@quadrille/protocol";
import type { LinearConstraint, LinearProgram, Operator, VariableKind } from "./linear-program.ts";

/** A constraint of cells; `right` has one cell, or as many as `left`. */
export interface SolverConstraint {
  readonly left: readonly FoundCell[];
  readonly operator: Operator | "integer" | "binary";
  readonly right: number | readonly FoundCell[];
}

/** What the solver seeks. */
export type SolverGoal = { readonly type: "maximize" | "minimize" } | { readonly type: "value"; readonly value: number };

/** A problem of cells. */
export interface SolverProblem {
  readonly objective: FoundCell;
  readonly goal: SolverGoal;
  readonly cells: readonly FoundCell[];
  readonly constraints: readonly SolverConstraint[];
  readonly isNonNegative: boolean;
}

/** Calculates the results of cells with these values of the changing cells; `null` if that takes too long. */
export type Evaluate = (trials: readonly (readonly number[])[], results: readonly FoundCell[]) => Promise<readonly (readonly WhatIfValue[])[] | null>;

/** Why there is no linear program. */
export type ModelProblem =
  | { readonly type: "size" }
  | { readonly type: "notNumber"; readonly cell: FoundCell }
  | { readonly type: "notLinear"; readonly cell: FoundCell }
  | { readonly type: "notVariable"; readonly cell: FoundCell };

/** A program, and whether results agree with its prediction for these values of the cells. */
export interface LinearModel {
  readonly program: LinearProgram;
  readonly check: (values: readonly number[]) => Promise<ModelProblem | undefined>;
}

/** Results within this part of their terms are equal: sums of formulas have rounding errors. */
const TOLERANCE = 1e-7;

/** A linear function: a constant, and a coefficient for each changing cell. */
interface LinearFunction {
  readonly constant: number;
  readonly coefficients: readonly number[];
}

/** Makes the program, or says why there is none. */
export async function linearModel(problem: SolverProblem, evaluate: Evaluate): Promise<LinearModel | ModelProblem> {
  const { cells } = problem;
  const kinds: VariableKind[] = cells.map(() => "real");
  const related: { readonly left: FoundCell; readonly operator: Operator; readonly right: FoundCell | number }[] = [];
  for (const { left, operator, right } of problem.constraints) {
    for (const [index, cell] of left.entries()) {
      if (operator === "integer" || operator === "binary") {
        const variable = cells.findIndex((other) => isSame(other, cell));
        if (variable < 0) {
          return { type: "notVariable", cell };
        }
        kinds[variable] = operator;
        continue;
      }
      const other = typeof right === "number" ? right : right[right.length === 1 ? 0 : index];
      related.push({ left: cell, operator, right: other ?? 0 });
    }
  }
  const results: FoundCell[] = [problem.objective];
  for (const { left, right } of related) {
    for (const cell of typeof right === "number" ? [left] : [left, right]) {
      if (!results.some((known) => isSame(known, cell))) {
        results.push(cell);
      }
    }
  }

  const points = samplePoints(kinds, !problem.isNonNegative);
  const values = numbersOf(await evaluate(points, results), results);
  if ("type" in values) {
    return values;
  }
  const at = (point: number, result: number): number => values.rows[point]?.[result] ?? 0;
  const functions = results.map((_, result): LinearFunction => {
    const constant = at(0, result);
    return { constant, coefficients: cells.map((_cell, variable) => rounded(at(variable + 1, result) - constant, constant)) };
  });
  const differs = (rows: readonly (readonly number[])[], tried: readonly (readonly number[])[]): ModelProblem | undefined => {
    for (const [point, row] of rows.entries()) {
      const wrong = results.find((_, result) => !isPredicted(functions[result], tried[point] ?? [], row[result] ?? 0));
      if (wrong) {
        return { type: "notLinear", cell: wrong };
      }
    }
    return undefined;
  };
  const notLinear = differs(values.rows, points);
  if (notLinear) {
    return notLinear;
  }

  const functionOf = (cell: FoundCell | number): LinearFunction =>
    (typeof cell === "number" ? undefined : functions[results.findIndex((known) => isSame(known, cell))]) ?? {
      constant: typeof cell === "number" ? cell : 0,
      coefficients: cells.map(() => 0),
    };
  const constraints = related.map(({ left, operator, right }): LinearConstraint => {
    const [one, other] = [functionOf(left), functionOf(right)];
    return {
      coefficients: one.coefficients.map((coefficient, variable) => coefficient - (other.coefficients[variable] ?? 0)),
      operator,
      limit: other.constant - one.constant,
    };
  });
  const objective = functionOf(problem.objective);
  const { goal } = problem;
  if (goal.type === "value") {
    constraints.push({ coefficients: objective.coefficients, operator: "=", limit: goal.value - objective.constant });
  }
  return {
    program: {
      kinds,
      isFree: !problem.isNonNegative,
      constraints,
      direction: goal.type === "value" ? undefined : goal.type,
      objective: objective.coefficients,
    },
    check: async (solution) => {
      const found = numbersOf(await evaluate([solution], results), results);
      return "type" in found ? found : differs(found.rows, [solution]);
    },
  };
}

/** Whether two cells are the same. */
export function isSame(one: FoundCell, other: FoundCell): boolean {
  return one.sheet === other.sheet && one.row === other.row && one.column === other.column;
}

/**
 * Zero, each variable alone, and further points: each variable thrice as large, and all together.
 * Binary variables are 0 or 1.
 */
function samplePoints(kinds: readonly VariableKind[], isFree: boolean): readonly (readonly number[])[] {
  const alone = (size: number): number[][] =>
    kinds.map((kind, variable) => kinds.map((_, index) => (index === variable ? (kind === "binary" ? 1 : size) : 0)));
  const together = (size: (index: number) => number): number[] => kinds.map((kind, index) => (kind === "binary" ? Math.abs(size(index)) % 2 : size(index)));
  return [
    kinds.map(() => 0),
    ...alone(1),
    ...alone(3),
    together((index) => index + 2),
    together((index) => 1_000 * (kinds.length - index)),
    ...(isFree ? [together((index) => -5 - index)] : []),
  ];
}

/** The numbers of an answer, or the cell that has none. */
function numbersOf(answer: readonly (readonly WhatIfValue[])[] | null, results: readonly FoundCell[]): { readonly rows: readonly (readonly number[])[] } | ModelProblem {
  if (answer === null) {
    return { type: "size" };
  }
  for (const row of answer) {
    // A blank cell counts as 0.
    const wrong = row.findIndex(({ number, text }) => number === null && text !== "");
    const cell = results[wrong];
    if (cell) {
      return { type: "notNumber", cell };
    }
  }
  return { rows: answer.map((row) => row.map(({ number }) => number ?? 0)) };
}

/** A difference without the digits that the subtraction of close numbers leaves. */
function rounded(difference: number, of: number): number {
  return Math.abs(difference) <= Math.abs(of) * 1e-14 ? 0 : Number(difference.toPrecision(12));
}

function isPredicted(known: LinearFunction | undefined, point: readonly number[], actual: number): boolean {
  let sum = known?.constant ?? 0;
  let size = Math.abs(sum);
  for (const [variable, coefficient] of (known?.coefficients ?? []).entries()) {
    const term = coefficient * (point[variable] ?? 0);
    sum += term;
    size += Math.abs(term);
  }
  return Math.abs(sum - actual) <= TOLERANCE * Math.max(size, Math.abs(actual), 1);
}

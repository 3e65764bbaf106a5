/**
 * Linear programs with integer variables, solved by YALPS: the simplex method, and branch and cut.
 */

import { type Constraint, type Options, solve } from "yalps";

/** The values that a variable may have. */
export type VariableKind = "real" | "integer" | "binary";

/** The relation of the left side of a constraint to its limit. */
export type Operator = "<=" | ">=" | "=";

/** One constraint: the sum of coefficients times variables is related to the limit. */
export interface LinearConstraint {
  readonly coefficients: readonly number[];
  readonly operator: Operator;
  readonly limit: number;
}

/** A linear program. Coefficients are in the order of `kinds`. */
export interface LinearProgram {
  readonly kinds: readonly VariableKind[];
  /** Whether variables may be negative; binary ones may not. */
  readonly isFree: boolean;
  readonly constraints: readonly LinearConstraint[];
  /** Without a direction, any solution of the constraints is sought. */
  readonly direction: "maximize" | "minimize" | undefined;
  readonly objective: readonly number[];
}

/** Why the solver ended. `stopped`: it found no solution within its limits. */
export type Outcome = "optimal" | "feasible" | "infeasible" | "unbounded" | "stopped";

/** The result; without a solution `values` is empty. */
export interface LinearSolution {
  readonly outcome: Outcome;
  readonly values: readonly number[];
}

const OPTIONS: Options = { includeZeroVariables: true, checkCycles: true, maxPivots: 100_000, maxIterations: 200_000, precision: 1e-8 };

/** Solves a program. Ends after `timeoutMs` with the best solution so far. */
export function solveProgram(program: LinearProgram, timeoutMs: number): LinearSolution {
  const { kinds, constraints, direction } = program;
  // YALPS has no negative variables: a free one is the difference of two.
  const isSplit = (index: number): boolean => program.isFree && kinds[index] !== "binary";
  const terms = (index: number, sign: number): [string, number][] => [
    ["objective", sign * (program.objective[index] ?? 0)],
    ...constraints.map(({ coefficients }, row): [string, number] => [`c${row}`, sign * (coefficients[index] ?? 0)]),
  ];
  const variables = kinds.flatMap((_, index): [string, [string, number][]][] => [
    [`+${index}`, terms(index, 1)],
    ...(isSplit(index) ? [[`-${index}`, terms(index, -1)] as [string, [string, number][]]] : []),
  ]);
  const keysOf = (kind: VariableKind): string[] =>
    kinds.flatMap((one, index) => (one === kind ? [`+${index}`, ...(isSplit(index) ? [`-${index}`] : [])] : []));
  const solution = solve(
    {
      ...(direction && { direction, objective: "objective" }),
      constraints: constraints.map(({ operator, limit }, row): [string, Constraint] => [`c${row}`, boundOf(operator, limit)]),
      variables,
      integers: keysOf("integer"),
      binaries: keysOf("binary"),
    },
    { ...OPTIONS, timeout: timeoutMs },
  );
  const found = new Map(solution.variables);
  const values = kinds.map((kind, index) => {
    const value = (found.get(`+${index}`) ?? 0) - (found.get(`-${index}`) ?? 0);
    return kind === "real" ? value : Math.round(value);
  });
  switch (solution.status) {
    case "optimal":
      return { outcome: "optimal", values };
    case "infeasible":
      return { outcome: "infeasible", values: [] };
    case "unbounded":
      return { outcome: "unbounded", values: [] };
    case "timedout":
      return Number.isNaN(solution.result) ? { outcome: "stopped", values: [] } : { outcome: "feasible", values };
    case "cycled":
      return { outcome: "stopped", values: [] };
    default:
      return solution.status satisfies never;
  }
}

function boundOf(operator: Operator, limit: number): Constraint {
  switch (operator) {
    case "<=":
      return { max: limit };
    case ">=":
      return { min: limit };
    case "=":
      return { equal: limit };
    default:
      return operator satisfies never;
  }
}

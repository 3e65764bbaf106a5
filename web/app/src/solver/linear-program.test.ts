import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type LinearProgram, type Operator, solveProgram, type VariableKind } from "./linear-program.ts";

/** A program with the result of SciPy. */
interface Case {
  readonly matrix: readonly (readonly number[])[];
  readonly limits: readonly number[];
  readonly operators: readonly Operator[];
  readonly objective: readonly number[];
  readonly kinds: readonly VariableKind[];
  readonly isFree: boolean;
  readonly isMaximum: boolean;
  readonly status: "optimal" | "infeasible" | "unbounded";
  readonly value: number | null;
}

function isMet(sum: number, operator: Operator, limit: number): boolean {
  return (operator === "<=" || sum >= limit - 1e-6) && (operator === ">=" || sum <= limit + 1e-6);
}

test("random programs have the results of SciPy", () => {
  const cases = JSON.parse(readFileSync(join(import.meta.dirname, "milp.json"), "utf8")) as readonly Case[];
  for (const one of cases) {
    const constraints = one.matrix.map((coefficients, row) => ({
      coefficients,
      operator: one.operators[row] ?? "=",
      limit: one.limits[row] ?? 0,
    }));
    const direction = one.isMaximum ? "maximize" : "minimize";
    const program: LinearProgram = { kinds: one.kinds, isFree: one.isFree, constraints, direction, objective: one.objective };
    const { outcome, values } = solveProgram(program, 60_000);
    const text = JSON.stringify({ one, values });
    assert.equal(outcome, one.status, text);
    if (one.value === null) {
      continue;
    }
    const sum = (coefficients: readonly number[]): number => coefficients.reduce((total, coefficient, at) => total + coefficient * (values[at] ?? 0), 0);
    assert.ok(Math.abs(sum(one.objective) - one.value) < 1e-6, text);
    assert.ok(constraints.every(({ coefficients, operator, limit }) => isMet(sum(coefficients), operator, limit)), text);
    assert.ok(one.kinds.every((kind, at) => kind === "real" || Number.isInteger(values[at])), text);
  }
});

test("a program without an objective has any solution", () => {
  const constraints = [{ coefficients: [1, 1], operator: "=" as const, limit: 7 }];
  const { outcome, values } = solveProgram({ kinds: ["integer", "real"], isFree: false, constraints, direction: undefined, objective: [] }, 1_000);
  assert.equal(outcome, "optimal");
  assert.equal((values[0] ?? 0) + (values[1] ?? 0), 7);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundCell } from "@quadrille/protocol";
import { type Evaluate, linearModel, type SolverProblem } from "./linear-model.ts";
import { solveProgram } from "./linear-program.ts";

const cell = (row: number): FoundCell => ({ sheet: 1, row, column: 0 });

/** Cells 0, 1, … are variables; the cells from 10 on are functions of them. */
function evaluateWith(functions: readonly ((x: readonly number[]) => number)[]): Evaluate {
  return (trials, results) =>
    Promise.resolve(
      trials.map((x) =>
        results.map(({ row }) => {
          const number = row < 10 ? (x[row] ?? 0) : (functions[row - 10]?.(x) ?? Number.NaN);
          return Number.isNaN(number) ? { number: null, text: "#DIV/0!" } : { number, text: String(number) };
        }),
      ),
    );
}

const problem = (changed: Partial<SolverProblem>): SolverProblem => ({
  objective: cell(10),
  goal: { type: "maximize" },
  cells: [cell(0), cell(1)],
  constraints: [],
  isNonNegative: true,
  ...changed,
});

/** The Wyndor Glass example of Hillier and Lieberman: 3 x + 5 y with x ≤ 4, 2 y ≤ 12, 3 x + 2 y ≤ 18 is at most 36 at (2, 6). */
test("the program has the coefficients of the formulas", async () => {
  const functions = [(x: readonly number[]) => 3 * (x[0] ?? 0) + 5 * (x[1] ?? 0) + 100, (x: readonly number[]) => 3 * (x[0] ?? 0) + 2 * (x[1] ?? 0)];
  const model = await linearModel(
    problem({
      constraints: [
        { left: [cell(0)], operator: "<=", right: 4 },
        { left: [cell(1)], operator: "<=", right: 6 },
        { left: [cell(11)], operator: "<=", right: 18 },
      ],
    }),
    evaluateWith(functions),
  );
  assert.ok("program" in model);
  assert.deepEqual(model.program.objective, [3, 5]);
  const { outcome, values } = solveProgram(model.program, 1_000);
  assert.deepEqual([outcome, values], ["optimal", [2, 6]]);
  assert.equal(await model.check(values), undefined);
});

test("formulas that are not linear are named", async () => {
  for (const [name, formula] of [
    ["a product", (x: readonly number[]) => (x[0] ?? 0) * (x[1] ?? 0)],
    ["a square", (x: readonly number[]) => (x[0] ?? 0) ** 2],
    ["a maximum", (x: readonly number[]) => Math.max(x[0] ?? 0, 100)],
  ] as const) {
    assert.deepEqual(await linearModel(problem({}), evaluateWith([formula])), { type: "notLinear", cell: cell(10) }, name);
  }
  const divided = await linearModel(problem({}), evaluateWith([(x) => (x[0] === 0 ? Number.NaN : 1)]));
  assert.deepEqual(divided, { type: "notNumber", cell: cell(10) });
  assert.deepEqual(await linearModel(problem({}), () => Promise.resolve(null)), { type: "size" });
});

test("a step beyond the points that were tried is found at the solution", async () => {
  const functions = [(x: readonly number[]) => (x[0] ?? 0) + ((x[0] ?? 0) > 50_000 ? 7_000 : 0)];
  const model = await linearModel(problem({ constraints: [{ left: [cell(0)], operator: "<=", right: 60_000 }] }), evaluateWith(functions));
  assert.ok("program" in model);
  assert.deepEqual(await model.check([60_000, 0]), { type: "notLinear", cell: cell(10) });
});

test("constraints of cells and of kinds", async () => {
  const functions = [(x: readonly number[]) => (x[0] ?? 0) + (x[1] ?? 0)];
  const model = await linearModel(
    problem({
      constraints: [
        { left: [cell(0), cell(1)], operator: "<=", right: [cell(1)] },
        { left: [cell(1)], operator: "<=", right: 2.5 },
        { left: [cell(0)], operator: "binary", right: 0 },
        { left: [cell(1)], operator: "integer", right: 0 },
      ],
    }),
    evaluateWith(functions),
  );
  assert.ok("program" in model);
  assert.deepEqual(model.program.kinds, ["binary", "integer"]);
  assert.deepEqual(model.program.constraints[0], { coefficients: [1, -1], operator: "<=", limit: 0 });
  assert.deepEqual(solveProgram(model.program, 1_000).values, [1, 2]);
  const other = await linearModel(problem({ constraints: [{ left: [cell(10)], operator: "integer", right: 0 }] }), evaluateWith(functions));
  assert.deepEqual(other, { type: "notVariable", cell: cell(10) });
});

/**
 * The dialog "Solver": the values of changing cells with which a cell is as large, as small or as
 * close to a value as constraints allow. Shows the solution, and enters it when the user keeps it.
 */

import { cellName, rangeOf } from "@quadrille/grid";
import type { FoundCell } from "@quadrille/protocol";
import { createSignal, For, Index, onCleanup, Show } from "solid-js";
import { focusInvalidField, FormField, Icon, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { sheetPrefix } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { cellsOf, type ConstraintDraft, CONSTRAINTS_MAX, draftOf, keepDraft, type SolverDraft, VARIABLES_MAX } from "./draft.ts";
import { isSame, linearModel, type ModelProblem, type SolverConstraint, type SolverGoal, type SolverProblem } from "./linear-model.ts";
import type { Outcome } from "./linear-program.ts";
import { runSolver } from "./run-solver.ts";
import "../style/solver.css";

interface FieldErrors {
  readonly objective?: string | undefined;
  readonly value?: string | undefined;
  readonly cells?: string | undefined;
  readonly constraints?: readonly (string | undefined)[];
}

/** A solution: the values of the changing cells, and texts of these and of the objective. */
interface Found {
  readonly outcome: "optimal" | "feasible";
  readonly cells: readonly FoundCell[];
  readonly values: readonly number[];
  readonly texts: readonly string[];
  readonly objective: FoundCell;
  readonly result: string;
}

const OPERATORS: readonly (readonly [SolverConstraint["operator"], string])[] = [
  ["<=", "≤"],
  ["=", "="],
  [">=", "≥"],
];

/** The dialog "Solver". */
export function SolverDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const { active } = model.selection();
  const [draft, setDraft] = createSignal<SolverDraft>(draftOf(model));
  const [errors, setErrors] = createSignal<FieldErrors>({});
  const [isSolving, setIsSolving] = createSignal(false);
  const [message, setMessage] = createSignal("");
  const [found, setFound] = createSignal<Found>();
  const closed = new AbortController();
  onCleanup(() => closed.abort());
  let form!: HTMLFormElement;

  const change = (changed: Partial<SolverDraft>): void => {
    setDraft({ ...draft(), ...changed });
    keepDraft(model, draft());
    setFound(undefined);
    setMessage("");
    setErrors({});
  };
  const changeConstraint = (index: number, changed: Partial<ConstraintDraft>): void => {
    change({ constraints: draft().constraints.map((one, at) => (at === index ? { ...one, ...changed } : one)) });
  };
  const nameOf = ({ sheet, row, column }: FoundCell): string => {
    const name = notation().range(rangeOf({ row, column }));
    return sheet === model.sheetId() ? name : `${sheetPrefix(model.sheets().find(({ id }) => id === sheet)?.name ?? "")}!${name}`;
  };
  const invalid = (text: string): string => (text.trim() === "" ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text }));
  const numberOf = async (text: string): Promise<number | undefined> => {
    const [value] = await model.session.query({ type: "typedValues", texts: [text.trim()] });
    return typeof value === "number" ? value : undefined;
  };

  /** Reads a constraint; a text says what is wrong with it. */
  const readConstraint = async ({ left, operator, right }: ConstraintDraft): Promise<SolverConstraint | string> => {
    const cells = cellsOf(model, left, active);
    if (!cells) {
      return invalid(left);
    }
    if (operator === "integer" || operator === "binary") {
      return { left: cells, operator, right: 0 };
    }
    const number = await numberOf(right);
    if (number !== undefined) {
      return { left: cells, operator, right: number };
    }
    const others = cellsOf(model, right, active);
    if (!others) {
      return invalid(right);
    }
    return others.length === 1 || others.length === cells.length ? { left: cells, operator, right: others } : t("Both sides of a constraint need the same number of cells.");
  };
  /** Reads the fields; shows what is wrong with them. */
  const readProblem = async (): Promise<SolverProblem | undefined> => {
    const { objective, goal, value, cells, constraints, isNonNegative } = draft();
    const objectiveCells = cellsOf(model, objective, active);
    const changing = cellsOf(model, cells, active);
    const target = goal === "value" ? await numberOf(value) : 0;
    const read = await Promise.all(constraints.map(readConstraint));
    const fieldErrors = {
      objective: objectiveCells?.length === 1 ? undefined : invalid(objective),
      value: target === undefined ? t("Enter a number.") : undefined,
      cells: changing && changing.length > VARIABLES_MAX ? t("No more than {count} cells can change.", { count: VARIABLES_MAX }) : changing ? undefined : invalid(cells),
      constraints: read.map((one) => (typeof one === "string" ? one : undefined)),
    };
    setErrors(fieldErrors);
    const [objectiveCell] = objectiveCells ?? [];
    if (!objectiveCell || !changing || target === undefined || Object.values(fieldErrors).some((error) => typeof error === "string") || fieldErrors.constraints.some((error) => error !== undefined)) {
      focusInvalidField(form);
      return undefined;
    }
    const solverGoal: SolverGoal = goal === "value" ? { type: "value", value: target } : { type: goal };
    const distinct = changing.filter((cell, index) => changing.findIndex((other) => isSame(other, cell)) === index);
    return { objective: objectiveCell, goal: solverGoal, cells: distinct, constraints: read.filter((one) => typeof one !== "string"), isNonNegative };
  };
  const problemText = (problem: ModelProblem): string => {
    switch (problem.type) {
      case "size":
        return t("This workbook takes too long to calculate.");
      case "notNumber":
        return t("{cell} is not a number for some values of the changing cells.", { cell: nameOf(problem.cell) });
      case "notLinear":
        return t("{cell} does not depend on the changing cells in a linear way. Only linear problems can be solved.", { cell: nameOf(problem.cell) });
      case "notVariable":
        return t("{cell} is not one of the changing cells.", { cell: nameOf(problem.cell) });
      default:
        return problem satisfies never;
    }
  };
  const failureText = (outcome: Exclude<Outcome, "optimal" | "feasible">): string => {
    switch (outcome) {
      case "infeasible":
        return t("No values of the changing cells meet all constraints.");
      case "unbounded":
        return t("The objective can grow without limit. Add constraints.");
      case "stopped":
        return t("No solution was found within the time limit.");
      default:
        return outcome satisfies never;
    }
  };
  const solve = async (): Promise<void> => {
    const problem = await readProblem();
    if (!problem) {
      return;
    }
    const { cells } = problem;
    const evaluate = (trials: readonly (readonly number[])[], results: readonly FoundCell[]) =>
      model.session.query({ type: "whatIf", cells: [...cells], trials, results: [...results] });
    const linear = await linearModel(problem, evaluate);
    if ("type" in linear) {
      setMessage(problemText(linear));
      return;
    }
    const { outcome, values } = await runSolver(linear.program, closed.signal);
    if (outcome !== "optimal" && outcome !== "feasible") {
      setMessage(failureText(outcome));
      return;
    }
    // Formulas may be linear only near the values that were tried.
    const wrong = await linear.check(values);
    if (wrong) {
      setMessage(problemText(wrong));
      return;
    }
    const [texts] = (await evaluate([values], [...cells, problem.objective])) ?? [];
    setFound({
      outcome,
      cells,
      values,
      texts: cells.map((_, index) => texts?.[index]?.text ?? ""),
      objective: problem.objective,
      result: texts?.[cells.length]?.text ?? "",
    });
  };
  const search = async (): Promise<void> => {
    setIsSolving(true);
    setMessage("");
    try {
      await solve();
    } catch (error) {
      console.warn("quadrille: the solver failed:", error);
      setMessage(t("No solution was found within the time limit."));
    }
    setIsSolving(false);
  };
  const keep = ({ cells, values }: Found): void => {
    model.closeDialog();
    model.command({
      type: "many",
      commands: cells.map((cell, index) => ({ type: "setCells", sheet: cell.sheet, at: cellName(cell), cells: [[{ number: values[index] ?? 0 }]] })),
    });
  };
  const foundText = (one: Found): string => {
    const values = { cell: nameOf(one.objective), result: one.result };
    return one.outcome === "optimal" ? t("Solution found: {cell} is {result}.", values) : t("The time limit was reached. The best solution so far: {cell} is {result}.", values);
  };
  const goals: readonly (readonly [SolverGoal["type"], string])[] = [
    ["maximize", t("Maximum|of the objective")],
    ["minimize", t("Minimum|of the objective")],
    ["value", t("Value of|of the objective")],
  ];

  return (
    <Modal isOpen isWide title={t("Solver")} onClose={() => model.closeDialog()}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const solution = found();
          if (solution) {
            keep(solution);
          } else if (!isSolving()) {
            void search();
          }
        }}
      >
        <div class="form-pair">
          <FormField label={t("Objective cell")} errorText={errors().objective}>
            {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={draft().objective} onInput={(event) => change({ objective: event.currentTarget.value })} />}
          </FormField>
          <label class="form-label">
            {t("Goal|of the solver")}
            <select class="field" value={draft().goal} onChange={(event) => change({ goal: event.currentTarget.value as SolverGoal["type"] })}>
              <For each={goals}>{([value, label]) => <option value={value}>{label}</option>}</For>
            </select>
          </label>
        </div>
        <Show when={draft().goal === "value"}>
          <FormField label={t("To value")} errorText={errors().value}>
            {(attributes) => <input {...attributes} class="field" dir="ltr" inputMode="decimal" autocomplete="off" value={draft().value} onInput={(event) => change({ value: event.currentTarget.value })} />}
          </FormField>
        </Show>
        <FormField label={t("Changing cells")} errorText={errors().cells}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={draft().cells} onInput={(event) => change({ cells: event.currentTarget.value })} />}
        </FormField>
        <fieldset class="solver-constraints">
          <legend>{t("Constraints")}</legend>
          <Index each={draft().constraints}>
            {(one, index) => (
              <div class="solver-constraint">
                <FormField label={t("Cells of constraint {number}", { number: index + 1 })} errorText={errors().constraints?.[index]}>
                  {(attributes) => <input {...attributes} class="field" dir="ltr" spellcheck={false} value={one().left} onInput={(event) => changeConstraint(index, { left: event.currentTarget.value })} />}
                </FormField>
                <label class="form-label">
                  {t("Condition")}
                  <select class="field" value={one().operator} onChange={(event) => changeConstraint(index, { operator: event.currentTarget.value as SolverConstraint["operator"] })}>
                    <For each={OPERATORS}>{([value, label]) => <option value={value}>{label}</option>}</For>
                    <option value="integer">{t("Whole number|of a constraint")}</option>
                    <option value="binary">{t("0 or 1")}</option>
                  </select>
                </label>
                <Show when={one().operator !== "integer" && one().operator !== "binary"}>
                  <label class="form-label">
                    {t("Value or cells")}
                    <input class="field" dir="ltr" spellcheck={false} value={one().right} onInput={(event) => changeConstraint(index, { right: event.currentTarget.value })} />
                  </label>
                </Show>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Remove constraint {number}", { number: index + 1 })}
                  onClick={() => change({ constraints: draft().constraints.filter((_, at) => at !== index) })}
                >
                  <Icon name="trash" />
                </button>
              </div>
            )}
          </Index>
          <button
            type="button"
            class="button"
            disabled={draft().constraints.length >= CONSTRAINTS_MAX}
            onClick={() => change({ constraints: [...draft().constraints, { left: "", operator: "<=", right: "" }] })}
          >
            {t("Add constraint")}
          </button>
        </fieldset>
        <label class="check">
          <input type="checkbox" checked={draft().isNonNegative} onChange={(event) => change({ isNonNegative: event.currentTarget.checked })} />
          {t("Changing cells are not negative")}
        </label>
        <p role="status">
          <Show when={isSolving()}>{t("Solving…")}</Show>
          <Show when={found()} fallback={message()}>
            {(one) => foundText(one())}
          </Show>
        </p>
        <Show when={found()}>
          {(one) => (
            <table class="solver-values">
              <tbody>
                <For each={one().cells}>
                  {(cell, index) => (
                    <tr>
                      <th scope="row">{nameOf(cell)}</th>
                      <td dir="auto">{one().texts[index()]}</td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          )}
        </Show>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => model.closeDialog()}>
            {found() ? t("Restore original values") : t("Cancel")}
          </button>
          <button type="submit" class="button is-main" disabled={isSolving()}>
            {found() ? t("Keep solution") : t("Solve")}
          </button>
        </div>
      </form>
    </Modal>
  );
}

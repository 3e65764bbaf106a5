/**
 * The dialog "Goal seek": searches the value of a cell with which a formula gives a result, shows it,
 * and enters it when the user applies it.
 */

import { type Cell, cellName } from "@quadrille/grid";
import type { GoalSeekResult } from "@quadrille/protocol";
import { createSignal, Show } from "solid-js";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { onlyCell } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

interface FieldErrors {
  readonly formula?: string | undefined;
  readonly goal?: string | undefined;
  readonly changing?: string | undefined;
}

/** A result with the cells that were asked about. */
interface Found {
  readonly formula: Cell;
  readonly changing: Cell;
  readonly result: GoalSeekResult;
}

/** The dialog "Goal seek". */
export function GoalSeekDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const { active } = model.selection();
  const nameOf = ({ row, column }: Cell): string => notation().range({ top: row, bottom: row, left: column, right: column });
  const [formula, setFormula] = createSignal(nameOf(active));
  const [goal, setGoal] = createSignal("");
  const [changing, setChanging] = createSignal("");
  const [errors, setErrors] = createSignal<FieldErrors>({});
  const [isSearching, setIsSearching] = createSignal(false);
  const [found, setFound] = createSignal<Found>();
  let form!: HTMLFormElement;

  const cellOf = (text: string): Cell | undefined => onlyCell(notation().parse(text.trim(), active));
  const cellError = (text: string): string | undefined => {
    if (text.trim() === "") {
      return t("Enter a value.");
    }
    return cellOf(text) ? undefined : t("Not a valid cell reference: {text}", { text });
  };
  const show = (fieldErrors: FieldErrors): void => {
    setErrors(fieldErrors);
    focusInvalidField(form);
  };
  /** The error below a field that explains why there is no result. */
  const problemOf = (problem: string): FieldErrors => {
    switch (problem) {
      case "goal":
        return { goal: t("Enter a number.") };
      case "changing":
        return { changing: t("Enter a cell that contains a number or is blank.") };
      case "number":
        return { formula: t("The formula does not return a number.") };
      case "size":
        return { formula: t("This workbook takes too long to calculate.") };
      default:
        return { formula: t("This cell does not contain a formula.") };
    }
  };
  const search = async (): Promise<void> => {
    const fieldErrors: FieldErrors = {
      formula: cellError(formula()),
      goal: goal().trim() === "" ? t("Enter a value.") : undefined,
      changing: cellError(changing()),
    };
    const [formulaCell, changingCell] = [cellOf(formula()), cellOf(changing())];
    show(fieldErrors);
    if (!formulaCell || !changingCell || fieldErrors.goal !== undefined) {
      return;
    }
    setIsSearching(true);
    const result = await model.session.query({ type: "goalSeek", sheet, cell: formulaCell, goal: goal().trim(), changing: changingCell });
    setIsSearching(false);
    if (result.problem !== null) {
      show(problemOf(result.problem));
      return;
    }
    setFound({ formula: formulaCell, changing: changingCell, result });
  };
  const apply = ({ changing: cell, result }: Found): void => {
    model.closeDialog();
    model.entryChecks.enter(
      {
        sheet,
        cell,
        text: result.changingText,
        command: { type: "setCells", sheet, at: cellName(cell), cells: [[{ number: result.value }]] },
      },
      () => {},
    );
  };
  const edit = (set: (text: string) => void, text: string): void => {
    set(text);
    setFound(undefined);
    setErrors({});
  };
  const texts = ({ formula: cell, changing: changed, result }: Found) => ({
    cell: nameOf(cell),
    result: result.resultText,
    changing: nameOf(changed),
    value: result.changingText,
  });

  return (
    <Modal isOpen title={t("Goal seek")} onClose={() => model.closeDialog()}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const result = found();
          if (result) {
            apply(result);
          } else if (!isSearching()) {
            void search();
          }
        }}
      >
        <FormField label={t("Set cell")} errorText={errors().formula}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={formula()} onInput={(event) => edit(setFormula, event.currentTarget.value)} />}
        </FormField>
        <FormField label={t("To value")} errorText={errors().goal}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" required inputMode="decimal" autocomplete="off" value={goal()} onInput={(event) => edit(setGoal, event.currentTarget.value)} />}
        </FormField>
        <FormField label={t("By changing cell")} errorText={errors().changing}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={changing()} onInput={(event) => edit(setChanging, event.currentTarget.value)} />}
        </FormField>
        <p role="status">
          <Show when={isSearching()}>{t("Searching…")}</Show>
          <Show when={found()}>
            {(result) =>
              result().result.isReached
                ? t("{cell} is {result} when {changing} is {value}.", texts(result()))
                : t("Goal not reached. {cell} is {result} when {changing} is {value}.", texts(result()))
            }
          </Show>
        </p>
        <DialogButtons label={found() ? t("Apply") : t("Find")} isDisabled={isSearching()} onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}

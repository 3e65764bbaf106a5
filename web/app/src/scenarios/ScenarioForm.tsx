/** The form of a scenario: name, changing cells with their values, and a comment. */

import { type Cell, rangeOf } from "@quadrille/grid";
import { createEffect, createSignal, For, on, Show } from "solid-js";
import { DialogButtons, focusInvalidField, FormField } from "../components/index.ts";
import { language, t } from "../language/index.ts";
import { listSeparator, notation } from "../settings/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { cellsOfText, presentValue, type Scenario, SCENARIO_CELLS_MAX, storeCommand, storedValue, typedText } from "./scenarios.ts";

interface FieldErrors {
  readonly name?: string | undefined;
  readonly cells?: string | undefined;
}

/** Length limits of names and comments. */
const TEXT_MAX = 255;

/** The form of a scenario; `scenario` is the one that it replaces. */
export function ScenarioForm(props: {
  readonly model: WorkbookModel;
  readonly sheet: number;
  readonly scenario: Scenario | undefined;
  readonly others: readonly Scenario[];
  readonly onClose: () => void;
}) {
  const { model, sheet, scenario } = props;
  const { active, ranges } = model.selection();
  const decimal = listSeparator(language()) === ";" ? "," : ".";
  const keyOf = ({ row, column }: Cell): string => `${row} ${column}`;
  const nameOf = (cell: Cell): string => notation().range(rangeOf(cell));
  const [name, setName] = createSignal(scenario?.name ?? "");
  const [comment, setComment] = createSignal(scenario?.comment ?? "");
  const [cellsText, setCellsText] = createSignal(
    scenario ? scenario.cells.map(({ cell }) => nameOf(cell)).join(" ") : ranges.map((range) => notation().range(range)).join(" "),
  );
  const [texts, setTexts] = createSignal<ReadonlyMap<string, string>>(
    new Map(scenario?.cells.map(({ cell, value }) => [keyOf(cell), typedText(value, decimal)])),
  );
  const [errors, setErrors] = createSignal<FieldErrors>({});
  let form!: HTMLFormElement;

  const cells = (): readonly Cell[] => {
    const found = cellsOfText(cellsText(), active) ?? [];
    return found.length <= SCENARIO_CELLS_MAX ? found : [];
  };
  const setText = (cell: Cell, text: string): void => {
    setTexts((before) => new Map(before).set(keyOf(cell), text));
  };
  // New cells begin with what they have now.
  createEffect(
    on(cells, (list) => {
      for (const cell of list.filter((one) => !texts().has(keyOf(one)))) {
        void presentValue(model, sheet, cell).then((value) => texts().has(keyOf(cell)) || setText(cell, typedText(value, decimal)));
      }
    }),
  );
  const nameProblem = (): string | undefined => {
    if (name().trim() === "") {
      return t("Enter a value.");
    }
    return props.others.some((other) => other.name.toLowerCase() === name().trim().toLowerCase()) ? t("This name is already in use.") : undefined;
  };
  const cellsProblem = (): string | undefined => {
    const found = cellsOfText(cellsText(), active);
    if (!found || found.length === 0) {
      return found ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: cellsText() });
    }
    return found.length > SCENARIO_CELLS_MAX ? t("A scenario has at most {count} cells.", { count: SCENARIO_CELLS_MAX }) : undefined;
  };
  const save = async (): Promise<void> => {
    const fieldErrors: FieldErrors = { name: nameProblem(), cells: cellsProblem() };
    setErrors(fieldErrors);
    if (fieldErrors.name !== undefined || fieldErrors.cells !== undefined) {
      focusInvalidField(form);
      return;
    }
    const changed = cells();
    const values = await model.session.query({ type: "typedValues", texts: changed.map((cell) => texts().get(keyOf(cell)) ?? "") });
    model.command(
      storeCommand(
        { name: name().trim(), comment: comment().trim(), cells: changed.map((cell, index) => ({ cell, value: storedValue(values[index] ?? "") })) },
        scenario?.id ?? newItemId(),
        sheet,
        model.identity().name,
      ),
    );
    props.onClose();
  };

  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FormField label={t("Scenario name")} errorText={errors().name}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required maxLength={TEXT_MAX} value={name()} onInput={(event) => setName(event.currentTarget.value)} />}
      </FormField>
      <FormField label={t("Changing cells")} errorText={errors().cells}>
        {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={cellsText()} onInput={(event) => setCellsText(event.currentTarget.value)} />}
      </FormField>
      <Show when={cells().length > 0}>
        <fieldset class="scenario-values">
          <legend>{t("Values")}</legend>
          <For each={cells()}>
            {(cell) => (
              <label class="form-label">
                {nameOf(cell)}
                <input class="field" dir="auto" autocomplete="off" value={texts().get(keyOf(cell)) ?? ""} onInput={(event) => setText(cell, event.currentTarget.value)} />
              </label>
            )}
          </For>
        </fieldset>
      </Show>
      <FormField label={t("Comment|of a scenario")} errorText={undefined}>
        {(attributes) => <textarea {...attributes} class="field is-tall" dir="auto" rows={2} maxLength={TEXT_MAX} value={comment()} onInput={(event) => setComment(event.currentTarget.value)} />}
      </FormField>
      <DialogButtons label={scenario ? t("Change") : t("Add")} onCancel={() => props.onClose()} />
    </form>
  );
}

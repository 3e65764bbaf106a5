/** The form of a scenario summary: the cells whose results it compares. */

import { createSignal } from "solid-js";
import { DialogButtons, focusInvalidField, FormField } from "../components/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { cellsOfText, type Scenario, SCENARIO_CELLS_MAX } from "./scenarios.ts";
import { addSummary } from "./scenario-summary.ts";

/** The form of a scenario summary. */
export function SummaryForm(props: { readonly model: WorkbookModel; readonly sheet: number; readonly scenarios: readonly Scenario[]; readonly onCancel: () => void }) {
  const { model } = props;
  const { active, ranges } = model.selection();
  const [results, setResults] = createSignal(ranges.map((range) => notation().range(range)).join(" "));
  const [error, setError] = createSignal<string>();
  let form!: HTMLFormElement;
  const show = (problem: string): void => {
    setError(problem);
    focusInvalidField(form);
  };
  const create = async (): Promise<void> => {
    const cells = cellsOfText(results(), active);
    if (!cells || cells.length === 0) {
      show(cells ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: results() }));
    } else if (cells.length > SCENARIO_CELLS_MAX) {
      show(t("A summary has at most {count} result cells.", { count: SCENARIO_CELLS_MAX }));
    } else if (await addSummary(model, props.sheet, props.scenarios, cells)) {
      model.closeDialog();
    } else {
      show(t("This workbook takes too long to calculate."));
    }
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <FormField label={t("Result cells")} errorText={error()}>
        {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={results()} onInput={(event) => setResults(event.currentTarget.value)} />}
      </FormField>
      <p class="form-hint">{t("A new sheet shows the values of the changing cells and of the result cells for each scenario.")}</p>
      <DialogButtons label={t("Create summary")} onCancel={() => props.onCancel()} />
    </form>
  );
}

/** The name and the formula of a calculated field. */

import type { ItemValue, PivotTableDetails } from "@quadrille/protocol";
import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { displayedCalculation, storedCalculation } from "./calculated-fields.ts";
import type { FieldRecord } from "./fields.ts";

/** Characters of a stored formula, at most: `LENGTH_MAX` of the crate `formula`. */
const FORMULA_LENGTH_MAX = 8192;

/** Inputs for the name and the formula, in which columns are named by their headers. */
export function CalculatedField(props: {
  readonly field: FieldRecord;
  readonly details: PivotTableDetails;
  readonly onChange: (changes: Record<string, ItemValue>) => void;
}) {
  const [problem, setProblem] = createSignal<string>();
  const text = (field: string): string => {
    const stored = props.field[field];
    return typeof stored === "string" ? stored : "";
  };
  return (
    <>
      <label class="panel-row">
        <span>{t("Name")}</span>
        <input class="field" dir="auto" maxLength={255} value={text("name")} onChange={(event) => props.onChange({ name: event.currentTarget.value.trim() || null })} />
      </label>
      <label class="panel-row">
        <span>{t("Formula")}</span>
        <input
          class="field"
          dir="ltr"
          value={displayedCalculation(text("formula"), props.details.columns)}
          aria-invalid={problem() !== undefined}
          onChange={(event) => {
            const read = storedCalculation(event.currentTarget.value, props.details.columns);
            if ("unknown" in read) {
              setProblem(t("No column of the data is named {name}.", { name: read.unknown }));
            } else if (read.stored.length > FORMULA_LENGTH_MAX) {
              setProblem(t("This formula is too long."));
            } else {
              setProblem(undefined);
              props.onChange({ formula: read.stored });
            }
          }}
        />
      </label>
      <Show when={problem()}>
        {(text) => (
          <p class="panel-note pivot-problem" role="alert">
            {text()}
          </p>
        )}
      </Show>
    </>
  );
}

/** The name and the formula of a calculated field. */

import type { ItemValue, PivotTableDetails } from "@quadrille/protocol";
import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { displayedCalculation, storedCalculation } from "./calculated-fields.ts";
import type { FieldRecord } from "./fields.ts";

/** Characters of a formula, at most; the server accepts 8,192 after names become references. */
const FORMULA_LENGTH_MAX = 1000;

/** Inputs for the name and the formula, in which columns are named by their headers. */
export function CalculatedField(props: {
  readonly field: FieldRecord;
  readonly details: PivotTableDetails;
  readonly onChange: (changes: Record<string, ItemValue>) => void;
}) {
  const [unknown, setUnknown] = createSignal<string>();
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
          maxLength={FORMULA_LENGTH_MAX}
          value={displayedCalculation(text("formula"), props.details.columns)}
          aria-invalid={unknown() !== undefined}
          onChange={(event) => {
            const read = storedCalculation(event.currentTarget.value, props.details.columns);
            setUnknown("unknown" in read ? read.unknown : undefined);
            if ("stored" in read) {
              props.onChange({ formula: read.stored });
            }
          }}
        />
      </label>
      <Show when={unknown() !== undefined}>
        <p class="panel-note pivot-problem" role="alert">
          {t("No column of the data is named {name}.", { name: unknown() ?? "" })}
        </p>
      </Show>
    </>
  );
}

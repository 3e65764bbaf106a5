/** One comparison of a filter: how, and with what. */

import { For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { Comparison } from "./filter.ts";

export const OPERATORS = [
  ["contains", "containing"],
  ["notContains", "not containing"],
  ["beginsWith", "beginning with"],
  ["endsWith", "ending with"],
  ["equal", "equal to"],
  ["notEqual", "not equal to"],
  ["greater", "greater than"],
  ["greaterOrEqual", "greater than or equal to"],
  ["less", "less than"],
  ["lessOrEqual", "less than or equal to"],
  // Words for being equal to nothing, and not.
  ["blank", "blank"],
  ["notBlank", "not blank"],
] as const satisfies readonly (readonly [operator: string, name: Message])[];

const hasValue = (operator: string): boolean => operator !== "blank" && operator !== "notBlank";

/** As an item has it; `undefined`: there is nothing to compare with yet. */
export function parsedComparison({ operator, value }: Comparison): Comparison | undefined {
  if (!hasValue(operator)) {
    return { operator: operator === "blank" ? "equal" : "notEqual", value: "" };
  }
  return value === "" ? undefined : { operator, value };
}

/** As it is shown. */
export function displayedComparison(operator: string, value: string): Comparison {
  const isBlank = value === "" && (operator === "equal" || operator === "notEqual");
  return { operator: !isBlank ? operator : operator === "equal" ? "blank" : "notBlank", value };
}

export function ComparisonValue(props: { readonly label: string; readonly value: Comparison; readonly onChange: (value: Comparison) => void }) {
  return (
    <Show when={hasValue(props.value.operator)}>
      <input
        class="field"
        dir="auto"
        maxLength={255}
        aria-label={props.label}
        value={props.value.value}
        onInput={(event) => props.onChange({ ...props.value, value: event.currentTarget.value })}
      />
    </Show>
  );
}

export function SecondComparison(props: {
  readonly value: Comparison;
  readonly isEither: boolean;
  readonly onChange: (value: Comparison | undefined) => void;
  readonly onJoin: (isEither: boolean) => void;
}) {
  return (
    <>
      <select class="field" aria-label={t("Combine conditions with")} onChange={(event) => props.onJoin(event.currentTarget.selectedIndex === 1)}>
        <option selected={!props.isEither}>{t("and|conditions")}</option>
        <option selected={props.isEither}>{t("or|conditions")}</option>
      </select>
      <select
        class="field"
        aria-label={t("Second condition")}
        onChange={(event) => props.onChange({ ...props.value, operator: OPERATORS[event.currentTarget.selectedIndex]?.[0] ?? "contains" })}
      >
        <For each={OPERATORS}>{([known, name]) => <option selected={props.value.operator === known}>{t(name)}</option>}</For>
      </select>
      <ComparisonValue label={t("Second value")} value={props.value} onChange={props.onChange} />
      <button type="button" class="button is-quiet" onClick={() => props.onChange(undefined)}>
        {t("Remove condition")}
      </button>
    </>
  );
}

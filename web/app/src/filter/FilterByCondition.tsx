/** Conditions of a filter: an operator and a value. */

import { For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { Comparison } from "./filter.ts";

/** The operators in the order of the menu. */
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
  // Comparisons with the empty text.
  ["blank", "blank"],
  ["notBlank", "not blank"],
] as const satisfies readonly (readonly [operator: string, name: Message])[];

const hasValue = (operator: string): boolean => operator !== "blank" && operator !== "notBlank";

/** The comparison as the item stores it; `undefined` without a value. */
export function storedComparison({ operator, value }: Comparison): Comparison | undefined {
  if (!hasValue(operator)) {
    return { operator: operator === "blank" ? "equal" : "notEqual", value: "" };
  }
  return value === "" ? undefined : { operator, value };
}

/** The comparison as the menu displays it. */
export function displayedComparison(operator: string, value: string): Comparison {
  const isBlank = value === "" && (operator === "equal" || operator === "notEqual");
  return { operator: !isBlank ? operator : operator === "equal" ? "blank" : "notBlank", value };
}

/** The value field of a comparison. */
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

/** The second comparison of a condition, with the operator that combines both. */
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
        <For each={OPERATORS}>{([operator, name]) => <option selected={props.value.operator === operator}>{t(name)}</option>}</For>
      </select>
      <ComparisonValue label={t("Second value")} value={props.value} onChange={props.onChange} />
      <button type="button" class="button is-quiet" onClick={() => props.onChange(undefined)}>
        {t("Remove condition")}
      </button>
    </>
  );
}

/** The form for one rule. */

import { For, Match, Show, Switch } from "solid-js";
import { t } from "../../language/index.ts";
import { FormField } from "../../components/index.ts";
import type { Draft } from "./rule-draft.ts";
import { type RuleOperands, ICON_SETS, isVisualization, KINDS, PERIODS, type RuleKind } from "./rule-kinds.ts";
import type { DraftErrors } from "./rule-errors.ts";
import { ColorField, RuleStyle } from "./RuleStyle.tsx";
import { IconThresholds, ScaleStops } from "./RuleStops.tsx";

/** The fields of a rule, depending on its kind. */
export function RuleForm(props: {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  readonly onChange: (part: Partial<Draft>) => void;
}) {
  const kind = () => KINDS[props.draft.kind] as RuleKind;
  const needs = (...operands: readonly RuleOperands[]): boolean => operands.includes(kind().operands);
  return (
    <>
      <FormField label={t("Cells")} errorText={props.errors.cells}>
        {(attributes) => <input {...attributes} class="field" dir="ltr" value={props.draft.cells} onInput={(event) => props.onChange({ cells: event.currentTarget.value })} />}
      </FormField>
      <label class="form-label">
        {t("Rule")}
        <select class="field" onChange={(event) => props.onChange({ kind: event.currentTarget.selectedIndex })}>
          <For each={KINDS}>{({ name }, index) => <option selected={props.draft.kind === index()}>{t(name)}</option>}</For>
        </select>
      </label>
      <Switch>
        <Match when={needs("formula", "formulas", "text", "rank")}>
          <div classList={{ "form-pair": needs("formulas", "rank") }}>
            <FormField label={needs("rank") ? t("Number of items") : t("Value")} errorText={props.errors.first}>
              {(attributes) => (
                <input
                  {...attributes}
                  class="field"
                  dir="auto"
                  maxLength={needs("text") ? 255 : undefined}
                  placeholder={needs("rank") ? "10" : ""}
                  value={props.draft.first}
                  onInput={(event) => props.onChange({ first: event.currentTarget.value })}
                />
              )}
            </FormField>
            <Show when={needs("formulas")}>
              <FormField label={t("To")} errorText={props.errors.second}>
                {(attributes) => <input {...attributes} class="field" dir="auto" value={props.draft.second} onInput={(event) => props.onChange({ second: event.currentTarget.value })} />}
              </FormField>
            </Show>
            <Show when={needs("rank")}>
              <label class="check is-below">
                <input type="checkbox" checked={props.draft.isPercent} onChange={(event) => props.onChange({ isPercent: event.currentTarget.checked })} />
                {t("Percent")}
              </label>
            </Show>
          </div>
        </Match>
        <Match when={needs("period")}>
          <label class="form-label">
            {t("When")}
            <select class="field" onChange={(event) => props.onChange({ period: PERIODS[event.currentTarget.selectedIndex]?.[0] ?? "today" })}>
              <For each={PERIODS}>{([period, name]) => <option selected={props.draft.period === period}>{t(name)}</option>}</For>
            </select>
          </label>
        </Match>
        <Match when={needs("scale")}>
          <ScaleStops stops={props.draft.scale} onChange={(scale) => props.onChange({ scale })} />
        </Match>
        <Match when={needs("bar")}>
          <div class="rule-scale">
            <label class="form-label">
              {t("Colour")}
              <ColorField label={t("Colour")} value={props.draft.barColor} onChange={(barColor) => props.onChange({ barColor })} />
            </label>
            <label class="form-label">
              {t("Colour of negative numbers")}
              <ColorField label={t("Colour of negative numbers")} value={props.draft.barNegativeColor} onChange={(barNegativeColor) => props.onChange({ barNegativeColor })} />
            </label>
          </div>
        </Match>
        <Match when={needs("icons")}>
          <div class="form-pair">
            <label class="form-label">
              {t("Set|icons")}
              <select class="field" onChange={(event) => props.onChange({ iconSet: ICON_SETS[event.currentTarget.selectedIndex]?.[0] ?? props.draft.iconSet, limits: [] })}>
                <For each={ICON_SETS}>{([set, icons]) => <option selected={props.draft.iconSet === set}>{icons}</option>}</For>
                <Show when={!ICON_SETS.some(([set]) => set === props.draft.iconSet)}>
                  <option selected>{props.draft.iconSet}</option>
                </Show>
              </select>
            </label>
            <label class="check is-below">
              <input type="checkbox" checked={props.draft.isReversed} onChange={(event) => props.onChange({ isReversed: event.currentTarget.checked })} />
              {t("Reverse order")}
            </label>
          </div>
          <IconThresholds set={props.draft.iconSet} limits={props.draft.limits} onChange={(limits) => props.onChange({ limits })} />
        </Match>
      </Switch>
      <Show when={needs("bar", "icons")}>
        <label class="check">
          <input type="checkbox" checked={props.draft.hidesValue} onChange={(event) => props.onChange({ hidesValue: event.currentTarget.checked })} />
          {t("Show bar or icon only")}
        </label>
      </Show>
      <Show when={!isVisualization(kind())}>
        <RuleStyle format={props.draft.format} onChange={(format) => props.onChange({ format })} />
        <label class="check">
          <input type="checkbox" checked={props.draft.stops} onChange={(event) => props.onChange({ stops: event.currentTarget.checked })} />
          {t("Stop if true")}
        </label>
      </Show>
    </>
  );
}

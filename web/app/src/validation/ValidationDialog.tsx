/** The dialog "Data validation". */

import { rangeName } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import { createSignal, For, Match, Show, Switch } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, displayedRanges, hostOf, storedFormula } from "../settings/index.ts";
import { validationAt } from "./rules-of-cells.ts";
import { isBlankList, listDraft, listFields, ListRule, MultipleChoice } from "./ListRule.tsx";
import { COMPARISON_KINDS, fieldsOfRule, needsTwoValues, limitFormula, limitText, OPERATORS, ruleOf, RULES, textOf } from "./validation-rules.ts";

const NO_FIELDS = { choices: null, choiceColors: null, displayStyle: null, allowMultiple: null, formula1: null, formula2: null, operator: null };

const STRICTNESS: readonly (readonly [strictness: string, name: Message])[] = [
  ["stop", "Reject the input"],
  ["warning", "Show a warning"],
  ["information", "Show information"],
];

type FieldErrors = Partial<Record<"list" | "first" | "second", string>>;

/** The dialog "Data validation". */
export function ValidationDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const existing = validationAt(model, model.selection().active);
  const fields = existing?.fields ?? {};
  const anchors = existing ? [...existing.anchors] : model.selection().ranges.map(rangeName);
  const host = hostOf(anchors);
  const displayedLimit = (formula: ItemValue | undefined): string => limitText(formula, (text) => displayedFormula(text, host));
  const storedLimit = (text: string): string => limitFormula(text, (formula) => storedFormula(formula, host));
  const [rule, setRule] = createSignal(ruleOf(fields) || "list");
  const [list, setList] = createSignal(listDraft(existing, host));
  const [operator, setOperator] = createSignal(textOf(fields["operator"]) || "between");
  const [first, setFirst] = createSignal(displayedLimit(fields["formula1"]));
  const [second, setSecond] = createSignal(displayedLimit(fields["formula2"]));
  const [strictness, setStrictness] = createSignal(textOf(fields["strictness"]) || "stop");
  const [allowsBlank, setAllowsBlank] = createSignal(fields["allowBlank"] !== false);
  const [promptTitle, setPromptTitle] = createSignal(textOf(fields["promptTitle"]));
  const [prompt, setPrompt] = createSignal(textOf(fields["prompt"]));
  const [errorTitle, setErrorTitle] = createSignal(textOf(fields["errorTitle"]));
  const [errorMessage, setErrorMessage] = createSignal(textOf(fields["errorMessage"]));

  const isComparison = () => COMPARISON_KINDS.has(rule());
  const orNull = (text: string): ItemValue => (text.trim() === "" ? null : text.trim());
  const values = (): Record<string, ItemValue> => {
    const cleared = { ...NO_FIELDS, showDropdown: rule() === "people" ? null : false, ...fieldsOfRule(rule()) };
    switch (rule()) {
      case "list":
        return { ...cleared, ...listFields(list(), host) };
      case "people":
        return { ...cleared, allowMultiple: list().allowsMultiple || null };
      case "formula":
        return { ...cleared, formula1: orNull(storedLimit(first())) };
      default:
        return isComparison()
          ? {
              ...cleared,
              operator: operator(),
              formula1: orNull(storedLimit(first())),
              formula2: needsTwoValues(operator()) ? orNull(storedLimit(second())) : null,
            }
          : cleared;
    }
  };
  const [errors, setErrors] = createSignal<FieldErrors>({});
  let form!: HTMLFormElement;
  /** Error messages for missingFields fields. */
  const missingFields = (): FieldErrors => {
    const fieldErrors: FieldErrors = {};
    const isBlank = (text: string): boolean => text.trim().replace(/^=/, "") === "";
    if (rule() === "list" && isBlankList(list())) {
      fieldErrors.list = t("Enter at least one item.");
    }
    if ((rule() === "formula" || isComparison()) && isBlank(first())) {
      fieldErrors.first = t("Enter a value.");
    }
    if (isComparison() && needsTwoValues(operator()) && isBlank(second())) {
      fieldErrors.second = t("Enter a value.");
    }
    return fieldErrors;
  };
  const save = (): void => {
    const fieldErrors = missingFields();
    setErrors(fieldErrors);
    if (Object.keys(fieldErrors).length > 0) {
      focusInvalidField(form);
      return;
    }
    const sheet = model.sheetId();
    const entered: Record<string, ItemValue> = {
      ...values(),
      strictness: strictness(),
      allowBlank: allowsBlank(),
      promptTitle: orNull(promptTitle()),
      prompt: orNull(prompt()),
      errorTitle: orNull(errorTitle()),
      errorMessage: orNull(errorMessage()),
    };
    // Only what changed, so that fields that others change at the same time are kept.
    const isChanged = ([field, value]: readonly [string, ItemValue]): boolean => JSON.stringify(value) !== JSON.stringify(fields[field] ?? null);
    model.command({
      type: "setItem",
      sheet,
      ...(existing && { item: existing.id }),
      kind: "validation",
      anchors,
      fields: Object.fromEntries(Object.entries(entered).filter(isChanged)),
    });
    model.closeDialog();
  };
  const hint = () => (rule() === "date" ? "2026-12-31" : rule() === "time" ? "09:30" : undefined);

  return (
    <Modal isOpen title={t("Data validation")} onClose={() => model.closeDialog()}>
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p class="sort-range">{displayedRanges(anchors)}</p>
        <label class="form-label">
          {t("Allow")}
          <select
            class="field"
            onChange={(event) => {
              setErrors({});
              setRule(RULES[event.currentTarget.selectedIndex]?.[0] ?? "list");
            }}
          >
            <For each={RULES}>{([value, name]) => <option selected={rule() === value}>{t(name)}</option>}</For>
          </select>
        </label>
        <Switch>
          <Match when={rule() === "list"}>
            <ListRule model={model} host={host} draft={list()} errorText={errors().list} onChange={(part) => setList({ ...list(), ...part })} />
          </Match>
          <Match when={rule() === "people"}>
            <p class="form-hint">{t("The list has the people who are known in this workbook. Other names can be entered too.")}</p>
            <MultipleChoice isOn={list().allowsMultiple} onChange={(allowsMultiple) => setList({ ...list(), allowsMultiple })} />
          </Match>
          <Match when={rule() === "rating"}>
            <p class="form-hint">{t("Whole numbers from 0 to 5, shown as stars.")}</p>
          </Match>
          <Match when={isComparison()}>
            <label class="form-label">
              {t("Condition")}
              <select class="field" onChange={(event) => setOperator(OPERATORS[event.currentTarget.selectedIndex]?.[0] ?? "between")}>
                <For each={OPERATORS}>{([value, name]) => <option selected={operator() === value}>{t(name)}</option>}</For>
              </select>
            </label>
            <div class="form-pair">
              <FormField label={needsTwoValues(operator()) ? t("From") : t("Value")} errorText={errors().first}>
                {(attributes) => <input {...attributes} class="field" dir="ltr" placeholder={hint() ?? ""} value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />}
              </FormField>
              <Show when={needsTwoValues(operator())}>
                <FormField label={t("To")} errorText={errors().second}>
                  {(attributes) => <input {...attributes} class="field" dir="ltr" placeholder={hint() ?? ""} value={second()} onInput={(event) => setSecond(event.currentTarget.value)} />}
                </FormField>
              </Show>
            </div>
          </Match>
          <Match when={rule() === "formula"}>
            <FormField label={t("Formula")} errorText={errors().first}>
              {(attributes) => <input {...attributes} class="field is-code" dir="ltr" value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />}
            </FormField>
          </Match>
        </Switch>
        <label class="check">
          <input type="checkbox" checked={allowsBlank()} onChange={(event) => setAllowsBlank(event.currentTarget.checked)} />
          {t("Ignore blank")}
        </label>
        <label class="form-label">
          {t("If the data is invalid")}
          <select class="field" onChange={(event) => setStrictness(STRICTNESS[event.currentTarget.selectedIndex]?.[0] ?? "stop")}>
            <For each={STRICTNESS}>{([value, name]) => <option selected={strictness() === value}>{t(name)}</option>}</For>
          </select>
        </label>
        <details class="form-more" open={[promptTitle(), prompt(), errorTitle(), errorMessage()].some((text) => text !== "")}>
          <summary>{t("Messages")}</summary>
          <label class="form-label">
            {t("Input title")}
            <input class="field" dir="auto" maxLength={32} value={promptTitle()} onInput={(event) => setPromptTitle(event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Input message")}
            <input class="field" dir="auto" maxLength={255} value={prompt()} onInput={(event) => setPrompt(event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Error title")}
            <input class="field" dir="auto" maxLength={32} value={errorTitle()} onInput={(event) => setErrorTitle(event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Error message")}
            <input class="field" dir="auto" maxLength={225} value={errorMessage()} onInput={(event) => setErrorMessage(event.currentTarget.value)} />
          </label>
        </details>
        <DialogButtons onCancel={() => model.closeDialog()}>
          <Show when={existing}>
            {(item) => (
              <button
                type="button"
                class="button is-quiet"
                onClick={() => {
                  model.items.remove(item().id);
                  model.closeDialog();
                }}
              >
                {t("Remove")}
              </button>
            )}
          </Show>
        </DialogButtons>
      </form>
    </Modal>
  );
}

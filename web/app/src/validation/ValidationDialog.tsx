/** What may be entered into the selected cells, and what is said about it. */

import { rangeName } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import { createSignal, For, Match, Show, Switch } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, displayedRanges, hostOf, storedFormula } from "../settings/index.ts";
import { validationAt } from "./list-values.ts";
import { COMPARISON_KINDS, needsTwoValues, limitFormula, limitText, OPERATORS, RULES, textOf } from "./validation-rules.ts";

const STRICTNESS: readonly (readonly [strictness: string, name: Message])[] = [
  ["stop", "Reject the input"],
  ["warning", "Show a warning"],
  ["information", "Show information"],
];

type Problems = Partial<Record<"list" | "first" | "second", string>>;

export function ValidationDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const known = validationAt(model, model.selection().active);
  const fields = known?.fields ?? {};
  const anchors = known ? [...known.anchors] : model.selection().ranges.map(rangeName);
  const host = hostOf(anchors);
  const shown = (formula: ItemValue | undefined): string => limitText(displayedFormula(textOf(formula), host));
  const stored = (text: string): string => storedFormula(limitFormula(text), host);
  const [rule, setRule] = createSignal(textOf(fields["rule"]) || "list");
  const knownChoices = fields["choices"];
  const [list, setList] = createSignal(Array.isArray(knownChoices) ? knownChoices.join("\n") : displayedFormula(textOf(fields["formula1"]), host));
  const [operator, setOperator] = createSignal(textOf(fields["operator"]) || "between");
  const [first, setFirst] = createSignal(shown(fields["formula1"]));
  const [second, setSecond] = createSignal(shown(fields["formula2"]));
  const [strictness, setStrictness] = createSignal(textOf(fields["strictness"]) || "stop");
  const [allowsBlank, setAllowsBlank] = createSignal(fields["allowBlank"] !== false);
  const [promptTitle, setPromptTitle] = createSignal(textOf(fields["promptTitle"]));
  const [prompt, setPrompt] = createSignal(textOf(fields["prompt"]));
  const [errorTitle, setErrorTitle] = createSignal(textOf(fields["errorTitle"]));
  const [errorMessage, setErrorMessage] = createSignal(textOf(fields["errorMessage"]));

  const isComparing = () => COMPARISON_KINDS.has(rule());
  const orNone = (text: string): ItemValue => (text.trim() === "" ? null : text.trim());
  const values = (): Record<string, ItemValue> => {
    const none = { choices: null, formula1: null, formula2: null, operator: null };
    switch (rule()) {
      case "list":
        return list().trim().startsWith("=")
          ? { ...none, formula1: storedFormula(list().trim(), host) }
          : { ...none, choices: list().split("\n").map((line) => line.trim()).filter((line) => line !== "") };
      case "formula":
        return { ...none, formula1: orNone(stored(first())) };
      default:
        return isComparing()
          ? {
              ...none,
              operator: operator(),
              formula1: orNone(stored(first())),
              formula2: needsTwoValues(operator()) ? orNone(stored(second())) : null,
            }
          : none;
    }
  };
  const [problems, setProblems] = createSignal<Problems>({});
  let form!: HTMLFormElement;
  /** Of what the rule asks for, what is not there. */
  const missing = (): Problems => {
    const found: Problems = {};
    const isMissing = (text: string): boolean => text.trim().replace(/^=/, "") === "";
    if (rule() === "list" && isMissing(list())) {
      found.list = t("Enter at least one choice.");
    }
    if ((rule() === "formula" || isComparing()) && isMissing(first())) {
      found.first = t("Enter a value.");
    }
    if (isComparing() && needsTwoValues(operator()) && isMissing(second())) {
      found.second = t("Enter a value.");
    }
    return found;
  };
  const save = (): void => {
    const found = missing();
    setProblems(found);
    if (Object.keys(found).length > 0) {
      focusInvalidField(form);
      return;
    }
    const sheet = model.sheetId();
    model.command({
      type: "setItem",
      sheet,
      ...(known && { item: known.id }),
      kind: "validation",
      anchors,
      fields: {
        rule: rule(),
        ...values(),
        strictness: strictness(),
        allowBlank: allowsBlank(),
        showDropdown: rule() === "list",
        promptTitle: orNone(promptTitle()),
        prompt: orNone(prompt()),
        errorTitle: orNone(errorTitle()),
        errorMessage: orNone(errorMessage()),
      },
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
        <label class="form-line">
          {t("Allow")}
          <select
            class="field"
            onChange={(event) => {
              setProblems({});
              setRule(RULES[event.currentTarget.selectedIndex]?.[0] ?? "list");
            }}
          >
            <For each={RULES}>{([value, name]) => <option selected={rule() === value}>{t(name)}</option>}</For>
          </select>
        </label>
        <Switch>
          <Match when={rule() === "list"}>
            <FormField label={t("One choice on each line, or cells such as =A1:A9")} errorText={problems().list}>
              {(marks) => <textarea {...marks} class="field is-tall" rows={4} dir="auto" value={list()} onInput={(event) => setList(event.currentTarget.value)} />}
            </FormField>
          </Match>
          <Match when={isComparing()}>
            <label class="form-line">
              {t("Condition")}
              <select class="field" onChange={(event) => setOperator(OPERATORS[event.currentTarget.selectedIndex]?.[0] ?? "between")}>
                <For each={OPERATORS}>{([value, name]) => <option selected={operator() === value}>{t(name)}</option>}</For>
              </select>
            </label>
            <div class="form-pair">
              <FormField label={needsTwoValues(operator()) ? t("From") : t("Value")} errorText={problems().first}>
                {(marks) => <input {...marks} class="field" dir="ltr" placeholder={hint() ?? ""} value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />}
              </FormField>
              <Show when={needsTwoValues(operator())}>
                <FormField label={t("To")} errorText={problems().second}>
                  {(marks) => <input {...marks} class="field" dir="ltr" placeholder={hint() ?? ""} value={second()} onInput={(event) => setSecond(event.currentTarget.value)} />}
                </FormField>
              </Show>
            </div>
          </Match>
          <Match when={rule() === "formula"}>
            <FormField label={t("Formula")} errorText={problems().first}>
              {(marks) => <input {...marks} class="field is-code" dir="ltr" value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />}
            </FormField>
          </Match>
        </Switch>
        <label class="check">
          <input type="checkbox" checked={allowsBlank()} onChange={(event) => setAllowsBlank(event.currentTarget.checked)} />
          {t("Ignore blank")}
        </label>
        <label class="form-line">
          {t("If the data is invalid")}
          <select class="field" onChange={(event) => setStrictness(STRICTNESS[event.currentTarget.selectedIndex]?.[0] ?? "stop")}>
            <For each={STRICTNESS}>{([value, name]) => <option selected={strictness() === value}>{t(name)}</option>}</For>
          </select>
        </label>
        <details class="form-more" open={[promptTitle(), prompt(), errorTitle(), errorMessage()].some((text) => text !== "")}>
          <summary>{t("Messages")}</summary>
          <label class="form-line">
            {t("Input title")}
            <input class="field" dir="auto" maxLength={32} value={promptTitle()} onInput={(event) => setPromptTitle(event.currentTarget.value)} />
          </label>
          <label class="form-line">
            {t("Input message")}
            <input class="field" dir="auto" maxLength={255} value={prompt()} onInput={(event) => setPrompt(event.currentTarget.value)} />
          </label>
          <label class="form-line">
            {t("Error title")}
            <input class="field" dir="auto" maxLength={32} value={errorTitle()} onInput={(event) => setErrorTitle(event.currentTarget.value)} />
          </label>
          <label class="form-line">
            {t("Error message")}
            <input class="field" dir="auto" maxLength={225} value={errorMessage()} onInput={(event) => setErrorMessage(event.currentTarget.value)} />
          </label>
        </details>
        <DialogButtons onCancel={() => model.closeDialog()}>
          <Show when={known}>
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

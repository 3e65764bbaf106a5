/** What may be entered into the selected cells. */

import { rangeName } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import { createSignal, For, Match, Show, Switch } from "solid-js";
import { type Message, t } from "../../language/language.ts";
import { Modal } from "../../parts/Modal.tsx";
import type { WorkbookModel } from "../model.ts";
import { validationAt } from "./lists.ts";

const RULES: readonly (readonly [rule: string, name: Message])[] = [
  ["list", "One of a list"],
  ["checkbox", "A checkbox"],
  ["whole", "A whole number between"],
  ["decimal", "A number between"],
  ["textLength", "A text of so many characters"],
  ["email", "An e-mail address"],
  ["url", "A web address"],
  ["formula", "What a formula allows"],
];

const textOf = (value: ItemValue | undefined): string => (value === undefined || value === null ? "" : String(value));

export function ValidationDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const known = validationAt(model, model.selection().active);
  const fields = known?.fields ?? {};
  const [rule, setRule] = createSignal(textOf(fields["rule"]) || "list");
  const knownChoices = fields["choices"];
  const [list, setList] = createSignal(Array.isArray(knownChoices) ? knownChoices.join("\n") : textOf(fields["formula1"]));
  const [first, setFirst] = createSignal(textOf(fields["formula1"]).replace(/^=/, ""));
  const [second, setSecond] = createSignal(textOf(fields["formula2"]).replace(/^=/, ""));
  const [strictness, setStrictness] = createSignal(textOf(fields["strictness"]) || "stop");
  const [prompt, setPrompt] = createSignal(textOf(fields["prompt"]));

  const isBetween = () => ["whole", "decimal", "textLength"].includes(rule());
  const values = (): Record<string, ItemValue> => {
    const none = { choices: null, formula1: null, formula2: null, operator: null };
    const formula = (text: string): string => `=${text.trim().replace(/^=/, "")}`;
    switch (rule()) {
      case "list":
        return list().trim().startsWith("=")
          ? { ...none, formula1: formula(list()) }
          : { ...none, choices: list().split("\n").map((line) => line.trim()).filter((line) => line !== "") };
      case "formula":
        return { ...none, formula1: formula(first()) };
      default:
        return isBetween() ? { ...none, operator: "between", formula1: formula(first() || "0"), formula2: formula(second() || "0") } : none;
    }
  };
  const save = (): void => {
    const sheet = model.sheetId();
    model.command({
      type: "setItem",
      sheet,
      ...(known && { item: known.id }),
      kind: "validation",
      anchors: known ? [...known.anchors] : model.selection().ranges.map(rangeName),
      fields: { rule: rule(), ...values(), strictness: strictness(), showDropdown: rule() === "list", prompt: prompt() === "" ? null : prompt() },
    });
    model.closeDialog();
  };

  return (
    <Modal isOpen title={t("Data validation")} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p class="sort-range">{known ? known.anchors.join(" ") : model.selection().ranges.map(rangeName).join(" ")}</p>
        <label class="form-line">
          {t("Allowed is")}
          <select class="field" onChange={(event) => setRule(RULES[event.currentTarget.selectedIndex]?.[0] ?? "list")}>
            <For each={RULES}>{([value, name]) => <option selected={rule() === value}>{t(name)}</option>}</For>
          </select>
        </label>
        <Switch>
          <Match when={rule() === "list"}>
            <label class="form-line">
              {t("One choice on each line, or cells such as =A1:A9")}
              <textarea class="field is-tall" rows={4} dir="auto" value={list()} onInput={(event) => setList(event.currentTarget.value)} />
            </label>
          </Match>
          <Match when={isBetween()}>
            <div class="form-pair">
              <label class="form-line">
                {t("From")}
                <input class="field" dir="ltr" value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />
              </label>
              <label class="form-line">
                {t("To")}
                <input class="field" dir="ltr" value={second()} onInput={(event) => setSecond(event.currentTarget.value)} />
              </label>
            </div>
          </Match>
          <Match when={rule() === "formula"}>
            <label class="form-line">
              {t("Formula")}
              <input class="field is-code" dir="ltr" value={first()} onInput={(event) => setFirst(event.currentTarget.value)} />
            </label>
          </Match>
        </Switch>
        <label class="form-line">
          {t("Anything else is")}
          <select class="field" onChange={(event) => setStrictness(event.currentTarget.selectedIndex === 0 ? "stop" : "warning")}>
            <option selected={strictness() === "stop"}>{t("refused")}</option>
            <option selected={strictness() !== "stop"}>{t("marked")}</option>
          </select>
        </label>
        <label class="form-line">
          {t("A word to those who enter")}
          <input class="field" dir="auto" maxLength={200} value={prompt()} onInput={(event) => setPrompt(event.currentTarget.value)} />
        </label>
        <div class="modal-buttons">
          <Show when={known}>
            {(item) => (
              <button
                type="button"
                class="button"
                onClick={() => {
                  model.items.remove(item().id);
                  model.closeDialog();
                }}
              >
                {t("Remove")}
              </button>
            )}
          </Show>
          <button type="submit" class="button is-main">
            {t("Apply")}
          </button>
        </div>
      </form>
    </Modal>
  );
}

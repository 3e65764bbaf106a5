/**
 * The dialog "Conditional formatting": the rules of the sheet in order, and a form for a new or
 * edited rule.
 */

import { rangeName } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createSignal, Index, Show } from "solid-js";
import { t } from "../../language/index.ts";
import { focusInvalidField, Icon, Modal } from "../../components/index.ts";
import { textOf } from "../../validation/index.ts";
import type { WorkbookModel } from "../../state/index.ts";
import { anchorsOf, type Draft, draftOf, fieldsOf, kindOf, lastPriority, priorityChanges, newDraft, sortedRules, type RuleFormat } from "./rule-draft.ts";
import { displayedFormula, displayedRanges, hostOf } from "../../settings/index.ts";
import { KINDS, PERIODS } from "./rule-kinds.ts";
import { type DraftErrors, draftErrors } from "./rule-errors.ts";
import { RuleForm } from "./RuleForm.tsx";
import { STYLE_PRESETS, Sample } from "./RuleStyle.tsx";
import { displayedDraft, storedDraft } from "./rule-formulas.ts";

/** The name of a rule: of its kind if the dialog supports it. */
function nameOf(item: ItemDetails): string {
  const kind = KINDS[kindOf(item)];
  return kind ? t(kind.name) : textOf(item.fields["rule"]);
}

/** The operands of a rule as text. */
function operandsOf({ fields, anchors }: ItemDetails): string {
  const period = PERIODS.find(([name]) => name === fields["period"]);
  const formulas = [fields["formula1"], fields["formula2"]].map((formula) => displayedFormula(textOf(formula), hostOf(anchors)).replace(/^=/, ""));
  const given = [...formulas, textOf(fields["text"]), textOf(fields["rank"])];
  const operands = [...given, period ? t(period[1]) : ""].filter((operand) => operand !== "").join(" … ");
  return fields["percent"] === true ? `${operands} %` : operands;
}

/** The dialog "Conditional formatting". */
export function ConditionalFormatDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const rules = () => sortedRules(model.items.ofKind("conditionalRule"));
  const selected = model.selection().ranges.map(rangeName).join(" ");
  const emptyDraft = (): Draft => displayedDraft(newDraft(selected, STYLE_PRESETS[0]?.[1] ?? {}));
  const [draft, setDraft] = createSignal(emptyDraft());
  /** Identifier of the edited rule; `undefined` for a new one. */
  const [editedId, setEditedId] = createSignal<number>();
  const editedRule = () => rules().find(({ id }) => id === editedId());
  const [errors, setErrors] = createSignal<DraftErrors>({});
  let list: HTMLUListElement | undefined;
  let form: HTMLFormElement | undefined;

  /** Focuses the form, as the focused element may have been removed. */
  const focusForm = (): void => form?.querySelector("select")?.focus();
  const edit = (item: ItemDetails): void => {
    setEditedId(item.id);
    setErrors({});
    setDraft(displayedDraft(draftOf(item)));
    focusForm();
    form?.scrollIntoView({ block: "nearest" });
  };
  const finish = (): void => {
    setEditedId(undefined);
    setErrors({});
    setDraft(emptyDraft());
    focusForm();
  };
  const save = (): void => {
    const found = draftErrors(draft());
    setErrors(found);
    if (form && Object.keys(found).length > 0) {
      focusInvalidField(form);
      return;
    }
    // A rule that somebody else has removed is created anew.
    const item = editedRule();
    const stored = storedDraft(draft());
    model.command({
      type: "setItem",
      sheet: model.sheetId(),
      ...(item && { item: item.id }),
      kind: "conditionalRule",
      anchors: anchorsOf(stored),
      fields: { ...fieldsOf(stored, item), ...(!item && { priority: lastPriority(rules()) }) },
    });
    finish();
  };
  const remove = (id: number): void => {
    model.items.remove(id);
    focusForm();
  };
  const move = (from: number, by: 1 | -1): void => {
    const sheet = model.sheetId();
    const commands = priorityChanges(rules(), from, from + by).map(({ id, priority }) => ({ type: "setItem" as const, sheet, item: id, fields: { priority } }));
    model.command({ type: "many", commands });
    // The focus follows the rule to its new position.
    const [up, down] = list?.children[from + by]?.querySelectorAll<HTMLButtonElement>("button[data-move]") ?? [];
    (by < 0 ? [up, down] : [down, up]).find((button) => button && !button.disabled)?.focus();
  };

  return (
    <Modal isOpen title={t("Conditional formatting")} onClose={() => model.closeDialog()}>
      <ul class="names" ref={list}>
        <Index each={rules()} fallback={<li class="names-none">{t("No rules on this sheet.")}</li>}>
          {(item, index) => (
            <li classList={{ "is-chosen": item().id === editedId() }}>
              <button
                type="button"
                class="names-go rule-go"
                disabled={kindOf(item()) < 0}
                onClick={() => edit(item())}
              >
                <strong dir="auto">
                  {nameOf(item())} {operandsOf(item())}
                </strong>
                <code dir="ltr">{displayedRanges(item().anchors)}</code>
              </button>
              <Show when={item().fields["stop"] === true}>
                <span class="rule-stop" title={t("Stop if true")}>
                  {t("stop if true")}
                </span>
              </Show>
              <Show when={item().fields["format"]}>{(format) => <Sample format={format() as RuleFormat} />}</Show>
              <button type="button" class="tool is-small is-up" data-move disabled={index === 0} aria-label={t("Move {name} up", { name: nameOf(item()) })} onClick={() => move(index, -1)}>
                <Icon name="chevron" />
              </button>
              <button
                type="button"
                class="tool is-small"
                data-move
                disabled={index === rules().length - 1}
                aria-label={t("Move {name} down", { name: nameOf(item()) })}
                onClick={() => move(index, 1)}
              >
                <Icon name="chevron" />
              </button>
              <button type="button" class="tool is-small" aria-label={t("Remove {name}", { name: nameOf(item()) })} onClick={() => remove(item().id)}>
                <Icon name="trash" />
              </button>
            </li>
          )}
        </Index>
      </ul>
      <form
        class="form is-below"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <RuleForm draft={draft()} errors={errors()} onChange={(part) => setDraft({ ...draft(), ...part })} />
        <div class="modal-buttons">
          <Show when={editedRule()} fallback={<button type="submit" class="button is-main">{t("Add rule")}</button>}>
            <button type="button" class="button" onClick={finish}>
              {t("Cancel")}
            </button>
            <button type="submit" class="button is-main">
              {t("Edit rule")}
            </button>
          </Show>
        </div>
      </form>
    </Modal>
  );
}

/** Looks that depend on what cells hold: the sheet's rules in their order, and one that is being made or changed. */

import { rangeName } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createSignal, Index, Show } from "solid-js";
import { t } from "../../language/index.ts";
import { focusInvalidField, Icon, Modal } from "../../components/index.ts";
import { textOf } from "../../validation/index.ts";
import type { WorkbookModel } from "../../state/index.ts";
import { anchorsOf, type Draft, draftOf, fieldsOf, kindOf, lastPriority, moved, newDraft, ordered, type RuleFormat } from "./rule-draft.ts";
import { displayedFormula, displayedRanges, hostOf } from "../../settings/index.ts";
import { KINDS, PERIODS } from "./rule-kinds.ts";
import { type DraftErrors, draftErrors } from "./rule-errors.ts";
import { RuleForm } from "./RuleForm.tsx";
import { STYLE_PRESETS, Sample } from "./RuleStyle.tsx";
import { displayedDraft, storedDraft } from "./rule-formulas.ts";

/** A rule in a word, as far as its kind is one that the dialog knows. */
function nameOf(item: ItemDetails): string {
  const kind = KINDS[kindOf(item)];
  return kind ? t(kind.name) : textOf(item.fields["rule"]);
}

/** What it compares with. */
function operandsOf({ fields, anchors }: ItemDetails): string {
  const period = PERIODS.find(([known]) => known === fields["period"]);
  const formulas = [fields["formula1"], fields["formula2"]].map((formula) => displayedFormula(textOf(formula), hostOf(anchors)).replace(/^=/, ""));
  const given = [...formulas, textOf(fields["text"]), textOf(fields["rank"])];
  const words = [...given, period ? t(period[1]) : ""].filter((word) => word !== "").join(" … ");
  return fields["percent"] === true ? `${words} %` : words;
}

export function ConditionalFormatDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const rules = () => ordered(model.items.ofKind("conditionalRule"));
  const selected = model.selection().ranges.map(rangeName).join(" ");
  const fresh = (): Draft => displayedDraft(newDraft(selected, STYLE_PRESETS[0]?.[1] ?? {}));
  const [draft, setDraft] = createSignal(fresh());
  /** The rule that is being changed; none: a new one is made. */
  const [changed, setChanged] = createSignal<number>();
  const known = () => rules().find(({ id }) => id === changed());
  const [problems, setProblems] = createSignal<DraftErrors>({});
  let list: HTMLUListElement | undefined;
  let form: HTMLFormElement | undefined;

  /** What had the focus may be gone. */
  const toForm = (): void => form?.querySelector("select")?.focus();
  const change = (item: ItemDetails): void => {
    setChanged(item.id);
    setProblems({});
    setDraft(displayedDraft(draftOf(item)));
    toForm();
    form?.intoVisibleRows({ block: "nearest" });
  };
  const done = (): void => {
    setChanged(undefined);
    setProblems({});
    setDraft(fresh());
    toForm();
  };
  const save = (): void => {
    const found = draftErrors(draft());
    setProblems(found);
    if (form && Object.keys(found).length > 0) {
      focusInvalidField(form);
      return;
    }
    // Taken away by somebody else meanwhile, it is made anew.
    const item = known();
    const stored = storedDraft(draft());
    model.command({
      type: "setItem",
      sheet: model.sheetId(),
      ...(item && { item: item.id }),
      kind: "conditionalRule",
      anchors: anchorsOf(stored),
      fields: { ...fieldsOf(stored, item), ...(!item && { priority: lastPriority(rules()) }) },
    });
    done();
  };
  const remove = (id: number): void => {
    model.items.remove(id);
    toForm();
  };
  const move = (from: number, by: 1 | -1): void => {
    const sheet = model.sheetId();
    const commands = moved(rules(), from, from + by).map(({ id, priority }) => ({ type: "setItem" as const, sheet, item: id, fields: { priority } }));
    model.command({ type: "many", commands });
    // The keyboard goes with the rule, whose place has the other's buttons.
    const [up, down] = list?.children[from + by]?.querySelectorAll<HTMLButtonElement>("button[data-move]") ?? [];
    (by < 0 ? [up, down] : [down, up]).find((button) => button && !button.disabled)?.focus();
  };

  return (
    <Modal isOpen title={t("Conditional formatting")} onClose={() => model.closeDialog()}>
      <ul class="names" ref={list}>
        <Index each={rules()} fallback={<li class="names-none">{t("No rules on this sheet.")}</li>}>
          {(item, at) => (
            <li classList={{ "is-chosen": item().id === changed() }}>
              <button
                type="button"
                class="names-go rule-go"
                disabled={kindOf(item()) < 0}
                onClick={() => change(item())}
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
              <button type="button" class="tool is-small is-up" data-move disabled={at === 0} aria-label={t("Move {name} up", { name: nameOf(item()) })} onClick={() => move(at, -1)}>
                <Icon name="chevron" />
              </button>
              <button
                type="button"
                class="tool is-small"
                data-move
                disabled={at === rules().length - 1}
                aria-label={t("Move {name} down", { name: nameOf(item()) })}
                onClick={() => move(at, 1)}
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
        <RuleForm draft={draft()} problems={problems()} onChange={(part) => setDraft({ ...draft(), ...part })} />
        <div class="modal-buttons">
          <Show when={known()} fallback={<button type="submit" class="button is-main">{t("Add rule")}</button>}>
            <button type="button" class="button" onClick={done}>
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

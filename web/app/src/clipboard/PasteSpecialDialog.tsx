/** The dialog "Paste special": the pasted content, an operation, and options. */

import { Axis, COLUMN_WIDTH_PX, COLUMNS_MAX, selectRange } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import { intoVisibleRows } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { sheetPrefix } from "../references/index.ts";
import {
  blockOf,
  linkCommand,
  canCalculate,
  canSkipBlanks,
  canTranspose,
  needsCells,
  type Operation,
  packedSource,
  pasteTarget,
  type SpecialChoice,
  specialCommands,
  type SpecialPaste,
  type PasteSpecialContent,
  widthCommands,
} from "./paste/paste-special.ts";
import { sendPaste } from "./pasting.ts";
import "../style/paste-special.css";

const CONTENTS: readonly (readonly [what: PasteSpecialContent, name: Message])[] = [
  ["all", "Everything"],
  ["formulas", "Formulas"],
  ["values", "Values"],
  ["numbers", "Values and number formats"],
  ["formats", "Formats"],
  ["widths", "Column widths"],
];

const OPERATIONS: readonly (readonly [operation: Operation, name: Message])[] = [
  ["none", "None|operation"],
  ["add", "Add|operation"],
  ["subtract", "Subtract"],
  ["multiply", "Multiply"],
  ["divide", "Divide"],
];

/** The dialog "Paste special". */
export function PasteSpecialDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [chosen, setChosen] = createSignal<SpecialChoice>({ what: "all", operation: "none", skipsBlanks: false, transposes: false });
  const change = (part: Partial<SpecialChoice>): void => {
    setChosen({ ...chosen(), ...part });
  };
  /** The chosen options without those that the others rule out. */
  const choice = (): SpecialChoice => {
    const selected = chosen();
    const operation = canCalculate(selected) ? selected.operation : "none";
    const withOperation = { ...selected, operation, transposes: selected.transposes && canTranspose(selected) };
    return { ...withOperation, skipsBlanks: selected.skipsBlanks && canSkipBlanks(withOperation) };
  };
  const source = model.clipboard.copied();
  const pasteOptions = (): SpecialPaste | undefined =>
    source && {
      fromSheet: source.sheet,
      source: source.cells,
      leavingOut: source.leavingOut ?? [],
      sheet: model.sheetId(),
      target: model.range,
    };
  const paste = async (): Promise<void> => {
    const from = pasteOptions();
    if (!from) {
      return;
    }
    const selected = choice();
    model.closeDialog();
    const target = selected.what === "widths" ? model.range : pasteTarget(packedSource(from, selected), from.target, selected.transposes);
    if (selected.what === "widths") {
      const { shape } = await model.session.queryView(from.fromSheet, []);
      const columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, shape.columnRuns, [], 1);
      model.command({ type: "many", commands: [...widthCommands(from, (column) => columns.size(column))] });
      return;
    }
    let commands = needsCells(selected) ? undefined : specialCommands(from, selected, [], []);
    if (!commands) {
      const ask = (sheet: number, range: typeof target) => model.session.query({ type: "cells", sheet, range, skipsFiltered: false });
      const [cells, before] = await Promise.all([ask(from.fromSheet, from.source), ask(from.sheet, target)]);
      if (cells.isCutShort || before.isCutShort) {
        model.toast(t("Too many cells for this kind of paste."), true);
        return;
      }
      commands = specialCommands(from, selected, blockOf(cells, from.source), blockOf(before, target));
    }
    const command: Command = { type: "many", commands: [...commands] };
    // An operation applies to each cell, including rows that a filter hides.
    sendPaste(model, needsCells(selected) ? command : intoVisibleRows(from.sheet, from.target.top, command), from.target);
    model.grid?.select(selectRange(target), "none");
  };
  const link = (): void => {
    const from = pasteOptions();
    const sheet = model.sheets().find(({ id }) => id === from?.fromSheet);
    model.closeDialog();
    if (from && sheet) {
      sendPaste(model, linkCommand(from, sheetPrefix(sheet.name), notation()), from.target);
      model.grid?.select(selectRange(pasteTarget(from.source, from.target, false)), "none");
    }
  };
  return (
    <Modal isOpen title={t("Paste special")} onClose={() => model.closeDialog()}>
      <Show
        when={source}
        fallback={
          <>
            <p>{t("Copy cells of this workbook first. Data from other programs can only be pasted as is or as values.")}</p>
            <div class="modal-buttons">
              <button type="button" class="button is-main" onClick={() => model.closeDialog()}>
                {t("Close")}
              </button>
            </div>
          </>
        }
      >
        {(copied) => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              model.keys.waitFor(paste());
            }}
          >
            <p class="sort-range">{t("From {range}", { range: notation().range(copied().cells) })}</p>
            <div class="paste-special-parts">
              <Choices name="what" title={t("Paste|what")} options={CONTENTS} chosen={choice().what} isDisabled={false} onChoose={(what) => change({ what })} />
              <Choices
                name="operation"
                title={t("Operation")}
                options={OPERATIONS}
                chosen={choice().operation}
                isDisabled={!canCalculate(choice())}
                onChoose={(operation) => change({ operation })}
              />
            </div>
            <div class="paste-special-choices">
              <label class="check">
                <input type="checkbox" checked={choice().skipsBlanks} disabled={!canSkipBlanks(choice())} onChange={(event) => change({ skipsBlanks: event.currentTarget.checked })} />
                {t("Skip blank cells")}
              </label>
              <label class="check">
                <input type="checkbox" checked={choice().transposes} disabled={!canTranspose(choice())} onChange={(event) => change({ transposes: event.currentTarget.checked })} />
                {t("Transpose")}
              </label>
            </div>
            <DialogButtons label={t("Paste")} onCancel={() => model.closeDialog()}>
              <button type="button" class="button is-quiet" onClick={link}>
                {t("Paste links")}
              </button>
            </DialogButtons>
          </form>
        )}
      </Show>
    </Modal>
  );
}

function Choices<Value extends string>(props: {
  readonly name: string;
  readonly title: string;
  readonly options: readonly (readonly [value: Value, name: Message])[];
  readonly chosen: Value;
  readonly isDisabled: boolean;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <fieldset class="paste-special-choices" disabled={props.isDisabled}>
      <legend>{props.title}</legend>
      <For each={props.options}>
        {([value, name]) => (
          <label class="check">
            <input type="radio" name={props.name} checked={props.chosen === value} onChange={() => props.onChoose(value)} />
            {t(name)}
          </label>
        )}
      </For>
    </fieldset>
  );
}

/** The dialog "Split text to columns". */

import { rangeName } from "@quadrille/grid";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

const SEPARATORS: readonly (readonly [separator: string, name: Message])[] = [
  [",", "Comma"],
  [";", "Semicolon"],
  [" ", "Space"],
  ["\t", "Tab"],
  ["|", "Vertical bar"],
  ["", "Custom|of separators"],
];

/** The dialog "Split text to columns". */
export function SplitDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const { range } = model;
  const texts = Array.from({ length: Math.min(range.bottom - range.top + 1, 50) }, (_, index) =>
    model.textOf({ row: range.top + index, column: range.left }),
  );
  const likely = SEPARATORS.find(([separator]) => separator !== "" && texts.some((text) => text.includes(separator)));
  const [chosen, setChosen] = createSignal(likely?.[0] ?? ",");
  const [custom, setCustom] = createSignal("");
  const separator = () => (chosen() === "" ? custom() : chosen());
  const example = () => texts.find((text) => separator() !== "" && text.includes(separator()));

  return (
    <Modal isOpen title={t("Split text to columns")} onClose={() => model.closeDialog()}>
      <p class="sort-range">{notation().range({ ...range, right: range.left })}</p>
      <fieldset class="choices">
        <legend>{t("Separator")}</legend>
        <For each={SEPARATORS}>
          {([value, name]) => (
            <label class="check">
              <input type="radio" name="separator" checked={chosen() === value} onChange={() => setChosen(value)} />
              {t(name)}
              <Show when={value === ""}>
                <input
                  class="field split-custom"
                  aria-label={t("Separator")}
                  maxLength={20}
                  value={custom()}
                  onFocus={() => setChosen("")}
                  onInput={(event) => setCustom(event.currentTarget.value)}
                />
              </Show>
            </label>
          )}
        </For>
      </fieldset>
      <p role="status" class="split-example" dir={example() ? "ltr" : undefined}>
        <Show when={example()} fallback={t("None of the selected cells contains this separator.")}>
          {(text) => <For each={text().split(separator())}>{(part) => <span dir="auto">{part.trim()}</span>}</For>}
        </Show>
      </p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => model.closeDialog()}>
          {t("Cancel")}
        </button>
        <button
          type="button"
          class="button is-main"
          disabled={separator() === ""}
          onClick={() => {
            model.command({ type: "splitText", sheet: model.sheetId(), range: rangeName(range), separator: separator() });
            model.closeDialog();
          }}
        >
          {t("Split")}
        </button>
      </div>
    </Modal>
  );
}

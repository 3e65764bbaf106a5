/** The dialog for how the texts of the selected cells are shown: plain, or as EtherCalc shows them. */

import { createSignal, For, Show } from "solid-js";
import { t, type Message } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The formats, with an example of a text. */
const FORMATS = [
  [null, "Plain text", ""],
  ["html", "HTML", "<b>12</b> kg"],
  ["wiki", "Wiki text", "*12* kg"],
  ["link", "Link", "Offer<https://example.org>"],
  ["image", "Image", "https://example.org/plan.png"],
] as const satisfies readonly (readonly [string | null, Message, string])[];

/** The dialog "Text format". */
export function TextFormatDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [chosen, setChosen] = createSignal(model.selectionDetails.details()?.format.textFormat ?? null);

  return (
    <Modal isOpen title={t("Text format")} onClose={() => model.closeDialog()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          model.closeDialog();
          model.format({ textFormat: chosen() });
        }}
      >
        <fieldset class="choices">
          <legend>{t("Show texts as")}</legend>
          <For each={FORMATS}>
            {([format, name, example]) => (
              <label class="check">
                <input type="radio" name="text-format" checked={chosen() === format} onChange={() => setChosen(format)} />
                {t(name)}
                <Show when={example}>
                  <code dir="ltr">{example}</code>
                </Show>
              </label>
            )}
          </For>
        </fieldset>
        <DialogButtons onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}

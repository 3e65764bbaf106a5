/**
 * The dialog for a custom number format in the format language of Excel, with a preview for the
 * active cell.
 */

import { createResource, createSignal, For } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

const EXAMPLES = [
  "0",
  "0.00",
  "#,##0",
  "#,##0.00",
  "0%",
  "0.00E+00",
  "# ?/?",
  '#,##0.00 "€"',
  "[Blue]0.0;[Red]-0.0;[Green]0",
  "[>=1000000]0.0,,\" M\";[>=1000]0.0,\" k\";0",
  "yyyy-mm-dd",
  "dd.mm.yyyy",
  "dddd, d mmmm yyyy",
  "h:mm AM/PM",
  "[h]:mm:ss",
  "@",
] as const;

/** The dialog "Custom number format". */
export function NumberFormatDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const cell = model.selection().active;
  const sheet = model.sheetId();
  const [code, setCode] = createSignal(model.selectionDetails.details()?.format.numberFormat ?? "#,##0.00");
  const preview = (format: string) => model.session.query({ type: "preview", sheet, cell, format });
  const [formatted] = createResource(code, preview);

  return (
    <Modal isOpen title={t("Custom number format")} onClose={() => model.closeDialog()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          model.closeDialog();
          model.format({ numberFormat: code() === "" ? null : code() });
        }}
      >
        <input
          class="field is-code"
          dir="ltr"
          spellcheck={false}
          autocomplete="off"
          maxLength={255}
          aria-label={t("Format code")}
          value={code()}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
        <p class="format-preview" role="status" aria-label={t("Preview")}>
          {formatted.latest}
        </p>
        <ul class="format-examples" aria-label={t("Examples")}>
          <For each={EXAMPLES}>
            {(example) => (
              <li>
                <button type="button" aria-pressed={code() === example} onClick={() => setCode(example)}>
                  <code dir="ltr">{example}</code>
                  <Example show={() => preview(example)} />
                </button>
              </li>
            )}
          </For>
        </ul>
        <DialogButtons onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}

function Example(props: { readonly show: () => Promise<string> }) {
  const [text] = createResource(() => props.show());
  return <span dir="auto">{text()}</span>;
}

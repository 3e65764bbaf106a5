/** The dialog "Keyboard shortcuts". */

import "../style/keyboard.css";
import { SHORTCUTS } from "@quadrille/editor";
import { For } from "solid-js";
import { t, translated } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { keyLabel } from "./key-names.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The dialog "Keyboard shortcuts". */
export function ShortcutsDialog(props: { readonly model: WorkbookModel }) {
  return (
    <Modal isOpen title={t("Keyboard shortcuts")} isWide onClose={() => props.model.closeDialog()}>
      <div class="keys" tabIndex={0} role="group" aria-label={t("Keyboard shortcuts")}>
        <For each={SHORTCUTS}>
          {([group, shortcuts]) => (
            <section>
              <h3>{translated(group)}</h3>
              <dl>
                <For each={shortcuts}>
                  {({ label, keys }) => (
                    <div class="keys-row">
                      <dt>{translated(label)}</dt>
                      <dd>
                        <For each={keys}>{(key) => <kbd>{keyLabel(key)}</kbd>}</For>
                      </dd>
                    </div>
                  )}
                </For>
              </dl>
            </section>
          )}
        </For>
      </div>
    </Modal>
  );
}

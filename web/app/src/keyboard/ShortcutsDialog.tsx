/** The keys that do something, from the keymap that the page itself uses. */

import "../style/keyboard.css";
import { KEYMAP, type KeyBinding } from "@quadrille/editor";
import { For } from "solid-js";
import { t, translated } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { keyShown } from "./key-names.ts";
import type { WorkbookModel } from "../state/index.ts";

const KEY_GROUPS: readonly KeyBinding["group"][] = ["Move", "Select", "Edit", "Format", "Rows, columns, sheets"];

export function ShortcutsDialog(props: { readonly model: WorkbookModel }) {
  /** Bindings without a label belong to the one before. */
  const lines = (group: KeyBinding["group"]) => {
    const found: { label: string; keys: string[] }[] = [];
    for (const binding of KEYMAP.filter((candidate) => candidate.group === group)) {
      const keys = binding.keys.map((key) => keyShown(key));
      if (binding.label === undefined) {
        found.at(-1)?.keys.push(...keys);
      } else {
        found.push({ label: binding.label, keys });
      }
    }
    return found;
  };
  return (
    <Modal isOpen title={t("Keyboard shortcuts")} isWide onClose={() => props.model.closeDialog()}>
      <div class="keys" tabIndex={0} role="group" aria-label={t("Keyboard shortcuts")}>
        <For each={KEY_GROUPS}>
          {(group) => (
            <section>
              <h3>{translated(group)}</h3>
              <dl>
                <For each={lines(group)}>
                  {(line) => (
                    <div class="keys-line">
                      <dt>{translated(line.label)}</dt>
                      <dd>
                        <For each={line.keys}>{(key) => <kbd>{key}</kbd>}</For>
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

/** The dialog "Keyboard shortcuts", generated from the keymap. */

import "../style/keyboard.css";
import { KEYMAP, type KeyBinding } from "@quadrille/editor";
import { For } from "solid-js";
import { t, translated } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { keyLabel } from "./key-names.ts";
import type { WorkbookModel } from "../state/index.ts";

const KEY_GROUPS: readonly KeyBinding["group"][] = ["Navigation", "Selection", "Edit", "Format", "Rows, columns, sheets"];

/** The dialog "Keyboard shortcuts". */
export function ShortcutsDialog(props: { readonly model: WorkbookModel }) {
  /** The entries of a group. Bindings without a label belong to the one before. */
  const entries = (group: KeyBinding["group"]) => {
    const result: { label: string; keys: string[] }[] = [];
    for (const binding of KEYMAP.filter((candidate) => candidate.group === group)) {
      const keys = binding.keys.map((key) => keyLabel(key));
      if (binding.label === undefined) {
        result.at(-1)?.keys.push(...keys);
      } else {
        result.push({ label: binding.label, keys });
      }
    }
    return result;
  };
  return (
    <Modal isOpen title={t("Keyboard shortcuts")} isWide onClose={() => props.model.closeDialog()}>
      <div class="keys" tabIndex={0} role="group" aria-label={t("Keyboard shortcuts")}>
        <For each={KEY_GROUPS}>
          {(group) => (
            <section>
              <h3>{translated(group)}</h3>
              <dl>
                <For each={entries(group)}>
                  {(entry) => (
                    <div class="keys-row">
                      <dt>{translated(entry.label)}</dt>
                      <dd>
                        <For each={entry.keys}>{(key) => <kbd>{key}</kbd>}</For>
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

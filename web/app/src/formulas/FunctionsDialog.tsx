/** All functions, searched by name and purpose, to begin a formula with. */

import { createMemo, createResource, createSignal, For } from "solid-js";
import { language, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { insertFunction } from "./insert-function.ts";
import type { WorkbookModel } from "../state/index.ts";
import { listSeparator } from "../settings/index.ts";
import { FunctionSignature } from "./FunctionSignature.tsx";

export function FunctionsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [functions] = createResource(language, async (wanted) => (await import("../language/functions.ts")).functionHelp(wanted));
  const separator = createMemo(() => listSeparator(language(), navigator.languages));
  const [search, setSearch] = createSignal("");
  const found = createMemo(() => {
    const words = search().toLowerCase().split(/\s+/);
    return (functions() ?? []).filter((known) => words.every((word) => known.searched.includes(word)));
  });
  return (
    <Modal isOpen title={t("Functions")} isWide onClose={() => model.closeDialog()}>
      <input
        class="field functions-search"
        type="search"
        placeholder={t("Search by name or purpose")}
        aria-label={t("Search functions")}
        value={search()}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul class="functions">
        <For each={found()} fallback={<li class="functions-none">{t("No function matches.")}</li>}>
          {(known) => (
            <li>
              <button
                type="button"
                onClick={() => {
                  model.closeDialog();
                  insertFunction(model, known.name);
                }}
              >
                <FunctionSignature known={known} separator={separator()} />
                <span dir="auto">{known.summary}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Modal>
  );
}

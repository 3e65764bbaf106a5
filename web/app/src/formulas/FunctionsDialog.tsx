/** The dialog "Functions": a list of all functions with a search by name and purpose. */

import { createMemo, createResource, createSignal, For } from "solid-js";
import { language, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { insertFunction } from "./insert-function.ts";
import type { WorkbookModel } from "../state/index.ts";
import { formulaLanguage, listSeparator } from "../settings/index.ts";
import { FunctionSignature } from "./FunctionSignature.tsx";

/** The dialog "Functions". */
export function FunctionsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [functions] = createResource(
    () => ({ tag: language(), formulas: formulaLanguage() }),
    async ({ tag, formulas }) => (await import("../language/functions.ts")).functionHelp(tag, formulas?.functionName),
  );
  const [named] = createResource(async () => {
    const { helpOf, queryNamedFunctions } = await import("../names/named-functions.ts");
    return (await queryNamedFunctions(model)).map((one) => helpOf(one, t("Named functions")));
  });
  const separator = createMemo(() => listSeparator(language()));
  const [search, setSearch] = createSignal("");
  const matches = createMemo(() => {
    const words = search().toLowerCase().split(/\s+/);
    return [...(named() ?? []), ...(functions() ?? [])].filter((help) => words.every((word) => help.searchText.includes(word)));
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
        <For each={matches()} fallback={<li class="functions-none">{t("No function matches.")}</li>}>
          {(help) => (
            <li>
              <button
                type="button"
                onClick={() => {
                  model.closeDialog();
                  insertFunction(model, help.englishName);
                }}
              >
                <FunctionSignature help={help} separator={separator()} />
                <span dir="auto">{help.summary}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Modal>
  );
}

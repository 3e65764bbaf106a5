/** The dialog "Named functions": functions that formulas of this workbook define. */

import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, Modal } from "../components/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { FunctionImportForm } from "./FunctionImportForm.tsx";
import { argumentList, deleteCommand, type NamedFunction, queryNamedFunctions, storeCommand } from "./named-functions.ts";
import { NamedFunctionForm } from "./NamedFunctionForm.tsx";
import "../style/named-functions.css";

/** The function in the form; `old` is the one that it replaces. */
interface Edited {
  readonly values: NamedFunction;
  readonly old: NamedFunction | undefined;
}

const EMPTY: NamedFunction = { name: "", description: "", parameters: [], formula: "", item: undefined };

/** The dialog "Named functions". */
export function NamedFunctionsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [functions, { refetch }] = createResource(() => queryNamedFunctions(model));
  const [edited, setEdited] = createSignal<Edited>();
  const [isImporting, setIsImporting] = createSignal(false);
  const run = (command: Parameters<WorkbookModel["command"]>[0]): void => {
    model.command(command);
    // The worker handles messages in order, so the query comes after the command.
    void refetch();
  };
  const copyOf = (one: NamedFunction): NamedFunction => {
    const taken = new Set((functions() ?? []).map(({ name }) => name.toLowerCase()));
    let number = 2;
    while (taken.has(`${one.name}_${number}`.toLowerCase())) {
      number += 1;
    }
    return { ...one, name: `${one.name}_${number}`, item: undefined };
  };

  return (
    <Modal isOpen isWide title={t("Named functions")} onClose={() => model.closeDialog()}>
      <Show when={isImporting()}>
        <FunctionImportForm
          model={model}
          onCancel={() => setIsImporting(false)}
          onImport={(chosen) => {
            run({ type: "many", commands: chosen.map((one) => storeCommand(one, undefined, newItemId(), model.sheetId())) });
            setIsImporting(false);
          }}
        />
      </Show>
      <Show
        when={edited()}
        keyed
        fallback={
          <Show when={!isImporting()}>
            <ul class="names named-functions">
              <For each={functions()} fallback={<li class="names-none">{t("There are no named functions yet. A named function gives a name to a formula with arguments.")}</li>}>
                {(one) => (
                  <li>
                    <div class="named-function">
                      <code dir="ltr">
                        {one.name}({argumentList(one)})
                      </code>
                      <Show when={one.description !== ""}>
                        <span dir="auto">{one.description}</span>
                      </Show>
                    </div>
                    <Show when={model.canType()}>
                      <button type="button" class="tool is-small" aria-label={t("Change {name}", { name: one.name })} onClick={() => setEdited({ values: one, old: one })}>
                        <Icon name="edit" />
                      </button>
                      <button type="button" class="tool is-small" aria-label={t("Duplicate {name}", { name: one.name })} onClick={() => setEdited({ values: copyOf(one), old: undefined })}>
                        <Icon name="copy" />
                      </button>
                      <button type="button" class="tool is-small" aria-label={t("Remove {name}", { name: one.name })} onClick={() => run(deleteCommand(one, model.sheetId()))}>
                        <Icon name="trash" />
                      </button>
                    </Show>
                  </li>
                )}
              </For>
            </ul>
            <Show when={model.canType()}>
              <div class="modal-buttons">
                <button type="button" class="button" onClick={() => setIsImporting(true)}>
                  {t("Import functions")}
                </button>
                <button type="button" class="button is-main" onClick={() => setEdited({ values: EMPTY, old: undefined })}>
                  {t("New function")}
                </button>
              </div>
            </Show>
          </Show>
        }
      >
        {({ values, old }) => (
          <NamedFunctionForm
            model={model}
            values={values}
            old={old}
            onCancel={() => setEdited(undefined)}
            onSave={(changed) => {
              run(storeCommand(changed, old, old?.item ?? newItemId(), model.sheetId()));
              setEdited(undefined);
            }}
          />
        )}
      </Show>
    </Modal>
  );
}

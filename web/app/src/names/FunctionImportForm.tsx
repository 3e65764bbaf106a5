/** The form that copies named functions of another workbook into this one. */

import { createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField } from "../components/index.ts";
import { recentRooms } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { functionsOfWorkbook, roomOfText } from "./functions-of-workbook.ts";
import { argumentList, type NamedFunction } from "./named-functions.ts";

/** `onImport` gets the chosen functions. */
export function FunctionImportForm(props: { readonly model: WorkbookModel; readonly onImport: (chosen: readonly NamedFunction[]) => void; readonly onCancel: () => void }) {
  const { model } = props;
  const [workbook, setWorkbook] = createSignal("");
  const [error, setError] = createSignal<string>();
  const [found, setFound] = createSignal<readonly NamedFunction[]>();
  const [taken, setTaken] = createSignal<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = createSignal<ReadonlySet<NamedFunction>>(new Set());
  const isTaken = ({ name }: NamedFunction): boolean => taken().has(name.toLowerCase());
  let form!: HTMLFormElement;

  const show = async (): Promise<void> => {
    const text = workbook();
    const room = roomOfText(text, location.href);
    setFound(undefined);
    if (room === undefined) {
      setError(t("Enter the name or the address of a workbook of this server."));
    } else {
      try {
        const [functions, names] = await Promise.all([functionsOfWorkbook(room), model.session.query({ type: "names" })]);
        if (workbook() !== text) {
          return;
        }
        setTaken(new Set(names.filter(({ sheet }) => sheet === null).map(({ name }) => name.toLowerCase())));
        setChosen(new Set((functions ?? []).filter((one) => !isTaken(one))));
        setFound(functions);
        setError(functions ? undefined : t("There is no workbook with this name, or you have no access to it."));
      } catch {
        setError(t("Check the connection, then try again."));
      }
    }
    if (error() !== undefined) {
      focusInvalidField(form);
    }
  };
  const choose = (one: NamedFunction, isChosen: boolean): void => {
    setChosen(new Set([...chosen()].filter((other) => other !== one).concat(isChosen ? [one] : [])));
  };

  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (found()) {
          props.onImport([...chosen()]);
        } else {
          void show();
        }
      }}
    >
      <FormField label={t("Workbook (name or address)")} errorText={error()}>
        {(attributes) => (
          <input
            {...attributes}
            class="field"
            dir="auto"
            required
            spellcheck={false}
            list="function-workbooks"
            value={workbook()}
            onInput={(event) => {
              setWorkbook(event.currentTarget.value);
              setFound(undefined);
              setError(undefined);
            }}
          />
        )}
      </FormField>
      <datalist id="function-workbooks">
        <For each={recentRooms().filter(({ room }) => room !== model.room)}>{({ room, title }) => <option value={room}>{title ?? room}</option>}</For>
      </datalist>
      <Show when={found()}>
        {(functions) => (
          <Show when={functions().length > 0} fallback={<p class="panel-note">{t("This workbook has no named functions.")}</p>}>
            <fieldset class="named-arguments">
              <legend>{t("Functions")}</legend>
              <For each={functions()}>
                {(one) => (
                  <label class="check">
                    <input type="checkbox" disabled={isTaken(one)} checked={chosen().has(one)} onChange={(event) => choose(one, event.currentTarget.checked)} />
                    <span class="named-function">
                      <code dir="ltr">
                        {one.name}({argumentList(one)})
                      </code>
                      <Show when={isTaken(one) || one.description !== ""}>
                        <span dir="auto">{isTaken(one) ? t("This workbook has this name already.") : one.description}</span>
                      </Show>
                    </span>
                  </label>
                )}
              </For>
            </fieldset>
          </Show>
        )}
      </Show>
      <DialogButtons label={found() ? t("Import") : t("Show functions")} isDisabled={found() !== undefined && chosen().size === 0} onCancel={() => props.onCancel()} />
    </form>
  );
}

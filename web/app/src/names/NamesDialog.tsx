/** The dialog "Named ranges": adding, editedName, going to and removing defined names. */

import { currentRange, rangeName } from "@quadrille/grid";
import type { NameDetails } from "@quadrille/protocol";
import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { focusInvalidField, FormField, Icon, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, storedFormula } from "../settings/index.ts";
import { absoluteName, parseReference } from "../references/index.ts";
import { nameError } from "./valid-names.ts";

interface FieldErrors {
  readonly name?: string | undefined;
  readonly definition?: string | undefined;
}

/** The dialog "Named ranges". */
export function NamesDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [names, { refetch }] = createResource(() => model.session.query({ type: "names" }));
  const [name, setName] = createSignal("");
  const [definition, setDefinition] = createSignal(
    displayedFormula(absoluteName(model.sheetName(), rangeName(currentRange(model.selection())))),
  );
  const [editedName, setEditedName] = createSignal<NameDetails>();

  /** The sheet that the name is local to; `null` for the workbook. */
  const [scope, setScope] = createSignal<number | null>(null);

  const define = (old: NameDetails | undefined, newName: string, newDefinition: string | null, newScope: number | null): void => {
    const isSameScope = old?.sheet === newScope;
    const command = {
      type: "defineName",
      name: newName,
      definition: newDefinition,
      sheet: newScope ?? model.sheetId(),
      local: newScope !== null,
      ...(old && isSameScope && old.name !== newName ? { was: old.name } : {}),
    } as const;
    const removal =
      old && !isSameScope
        ? [{ type: "defineName", name: old.name, definition: null, sheet: old.sheet ?? model.sheetId(), local: old.sheet !== null } as const]
        : [];
    model.command(removal.length > 0 ? { type: "many", commands: [...removal, command] } : command);
    // The worker handles messages in order, so the query comes after the command.
    void refetch();
  };
  const [errors, setErrors] = createSignal<FieldErrors>({});
  let form!: HTMLFormElement;
  const save = (): void => {
    const edited = editedName();
    const others = (names() ?? []).filter((other) => other.sheet === scope() && !(edited && other.name === edited.name && other.sheet === edited.sheet));
    const fieldErrors: FieldErrors = {
      name: nameError(name().trim(), others.map((other) => other.name)),
      definition: definition().trim() === "" ? t("Enter a value.") : undefined,
    };
    setErrors(fieldErrors);
    if (fieldErrors.name !== undefined || fieldErrors.definition !== undefined) {
      focusInvalidField(form);
      return;
    }
    define(edited, name().trim(), storedFormula(definition().trim()), scope());
    setEditedName(undefined);
    setName("");
  };
  const goTo = (entry: NameDetails): void => {
    const reference = parseReference(entry.definition, model.sheets());
    if (reference) {
      model.closeDialog();
      model.goToReference(reference);
    }
  };

  return (
    <Modal isOpen title={t("Named ranges")} onClose={() => model.closeDialog()}>
      <ul class="names">
        <For each={names()} fallback={<li class="names-none">{t("There are no named ranges yet. A name can refer to cells or to a formula.")}</li>}>
          {(entry) => (
            <li>
              <button type="button" class="names-go" disabled={!parseReference(entry.definition, model.sheets())} onClick={() => goTo(entry)}>
                <strong dir="auto">{entry.name}</strong>
                <Show when={model.sheets().find((sheet) => sheet.id === entry.sheet)}>
                  {(sheet) => <span dir="auto">{sheet().name}</span>}
                </Show>
                <code dir="ltr">{displayedFormula(entry.definition)}</code>
              </button>
              <Show when={model.canType()}>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Change {name}", { name: entry.name })}
                  onClick={() => {
                    setEditedName(entry);
                    setErrors({});
                    setScope(entry.sheet);
                    setName(entry.name);
                    setDefinition(displayedFormula(entry.definition));
                  }}
                >
                  <Icon name="edit" />
                </button>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Remove {name}", { name: entry.name })}
                  onClick={() => define(undefined, entry.name, null, entry.sheet)}
                >
                  <Icon name="trash" />
                </button>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={model.canType()}>
        <form
          ref={form}
          class="names-form"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <FormField label={t("Name|of cells")} errorText={errors().name}>
            {(attributes) => <input {...attributes} class="field" dir="auto" value={name()} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />}
          </FormField>
          <FormField label={t("Cells or formula")} errorText={errors().definition}>
            {(attributes) => <input {...attributes} class="field" dir="ltr" value={definition()} spellcheck={false} onInput={(event) => setDefinition(event.currentTarget.value)} />}
          </FormField>
          <label class="form-label">
            {t("Applies to")}
            <select
              class="field"
              value={scope() ?? ""}
              onChange={(event) => setScope(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
            >
              <option value="">{t("Whole workbook")}</option>
              <For each={model.sheets()}>{(sheet) => <option value={sheet.id}>{sheet.name}</option>}</For>
            </select>
          </label>
          <button type="submit" class="button is-main">
            {editedName() === undefined ? t("Add") : t("Change")}
          </button>
        </form>
      </Show>
    </Modal>
  );
}

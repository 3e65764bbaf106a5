/** Named ranges and other defined names: make, change, go to, remove. */

import { currentRange, rangeName } from "@quadrille/grid";
import type { NameDetails } from "@quadrille/protocol";
import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { focusInvalidField, FormField, Icon, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, storedFormula } from "../settings/index.ts";
import { absoluteName, positionOf } from "../references/index.ts";
import { nameError } from "./valid-names.ts";

interface Problems {
  readonly name?: string | undefined;
  readonly definition?: string | undefined;
}

export function NamesDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [names, { refetch }] = createResource(() => model.session.query({ type: "names" }));
  const [name, setName] = createSignal("");
  const [definition, setDefinition] = createSignal(
    displayedFormula(absoluteName(model.sheetName(), rangeName(currentRange(model.selection())))),
  );
  const [changing, setChanging] = createSignal<NameDetails>();

  /** `null` is the whole workbook. */
  const [scope, setScope] = createSignal<number | null>(null);

  const define = (old: NameDetails | undefined, newName: string, newDefinition: string | null, of: number | null): void => {
    const isSameScope = old?.sheet === of;
    const command = {
      type: "defineName",
      name: newName,
      definition: newDefinition,
      sheet: of ?? model.sheetId(),
      local: of !== null,
      ...(old && isSameScope && old.name !== newName ? { was: old.name } : {}),
    } as const;
    const gone =
      old && !isSameScope
        ? [{ type: "defineName", name: old.name, definition: null, sheet: old.sheet ?? model.sheetId(), local: old.sheet !== null } as const]
        : [];
    model.command(gone.length > 0 ? { type: "many", commands: [...gone, command] } : command);
    // The worker answers in order: the question comes after the command.
    void refetch();
  };
  const [problems, setProblems] = createSignal<Problems>({});
  let form!: HTMLFormElement;
  const save = (): void => {
    const own = changing();
    const others = (names() ?? []).filter((other) => other.sheet === scope() && !(own && other.name === own.name && other.sheet === own.sheet));
    const found: Problems = {
      name: nameError(name().trim(), others.map((other) => other.name)),
      definition: definition().trim() === "" ? t("Enter a value.") : undefined,
    };
    setProblems(found);
    if (found.name !== undefined || found.definition !== undefined) {
      focusInvalidField(form);
      return;
    }
    define(own, name().trim(), storedFormula(definition().trim()), scope());
    setChanging(undefined);
    setName("");
  };
  const goTo = (found: NameDetails): void => {
    const place = positionOf(found.definition, model.sheets());
    if (place) {
      model.closeDialog();
      model.goToReference(place);
    }
  };

  return (
    <Modal isOpen title={t("Named ranges")} onClose={() => model.closeDialog()}>
      <ul class="names">
        <For each={names()} fallback={<li class="names-none">{t("There are no names yet. A name can stand for cells or for a formula.")}</li>}>
          {(found) => (
            <li>
              <button type="button" class="names-go" disabled={!positionOf(found.definition, model.sheets())} onClick={() => goTo(found)}>
                <strong dir="auto">{found.name}</strong>
                <Show when={model.sheets().find((sheet) => sheet.id === found.sheet)}>
                  {(sheet) => <span dir="auto">{sheet().name}</span>}
                </Show>
                <code dir="ltr">{displayedFormula(found.definition)}</code>
              </button>
              <Show when={model.canType()}>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Change {name}", { name: found.name })}
                  onClick={() => {
                    setChanging(found);
                    setProblems({});
                    setScope(found.sheet);
                    setName(found.name);
                    setDefinition(displayedFormula(found.definition));
                  }}
                >
                  <Icon name="edit" />
                </button>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Remove {name}", { name: found.name })}
                  onClick={() => define(undefined, found.name, null, found.sheet)}
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
          <FormField label={t("Name|of cells")} errorText={problems().name}>
            {(marks) => <input {...marks} class="field" dir="auto" value={name()} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />}
          </FormField>
          <FormField label={t("Cells or formula")} errorText={problems().definition}>
            {(marks) => <input {...marks} class="field" dir="ltr" value={definition()} spellcheck={false} onInput={(event) => setDefinition(event.currentTarget.value)} />}
          </FormField>
          <label class="form-line">
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
            {changing() === undefined ? t("Add") : t("Change")}
          </button>
        </form>
      </Show>
    </Modal>
  );
}

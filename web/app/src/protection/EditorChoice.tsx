/** The choice of who may edit a protected range. */

import { createMemo, createResource, createUniqueId, For, Show } from "solid-js";
import { loadAccessApi } from "../access/index.ts";
import { FormField } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type Editor, OWNER, parseAddresses, type VerifiedPerson } from "./editors.ts";

/** Nobody until the protection is removed, only this person, or certain people. */
export type EditorKind = "nobody" | "me" | "custom";

/** What is chosen. */
export interface EditorSelection {
  readonly kind: EditorKind;
  /** The people who are ticked. */
  readonly ticked: readonly Editor[];
  /** Further addresses, as typed. */
  readonly addresses: string;
}

/** The choice of a new protection. */
export const NOBODY: EditorSelection = { kind: "nobody", ticked: [], addresses: "" };

/** Whether a person can restrict who edits: nobody can exclude themselves. */
export function canRestrict(person: VerifiedPerson | undefined): boolean {
  return person !== undefined && (person.isOwner || person.account !== "");
}

/** The choice that a protection has. */
export function selectionOf(editors: readonly Editor[], person: VerifiedPerson | undefined): EditorSelection {
  const others = editors.filter(({ who }) => who !== OWNER && who !== person?.account);
  const kind = editors.length === 0 ? "nobody" : others.length === 0 ? "me" : "custom";
  return { kind, ticked: others, addresses: "" };
}

/** The editors of a choice; `undefined` if an address is none. */
export function chosenEditors({ kind, ticked, addresses }: EditorSelection, person: VerifiedPerson | undefined, name: string): readonly Editor[] | undefined {
  if (kind === "nobody") {
    return [];
  }
  const added = kind === "custom" ? parseAddresses(addresses) : [];
  const me: Editor = person === undefined || person.account === "" ? { who: OWNER, label: "" } : { who: person.account, label: name };
  const others = kind === "custom" ? ticked : [];
  return added && [me, ...others, ...added.filter((who) => !others.some((other) => other.who === who)).map((who) => ({ who, label: "" }))];
}

/** The fields of the choice. */
export function EditorChoice(props: {
  readonly model: WorkbookModel;
  readonly selection: EditorSelection;
  readonly errorText: string | undefined;
  readonly onChange: (selection: EditorSelection) => void;
}) {
  const group = createUniqueId();
  const isAllowed = createMemo(() => canRestrict(props.model.access.identification.person()));
  const [access] = createResource(isAllowed, async () => (await loadAccessApi()).readAccess(props.model.room).catch(() => undefined));
  /** People with access whom a protection can name, and those whom it names already. */
  const people = (): readonly Editor[] => {
    const mine = props.model.access.identification.person()?.account;
    const withAccess = (access()?.people ?? []).filter(({ role, person }) => role === "edit" && person !== mine).map(({ person, name }) => ({ who: person, label: name ?? "" }));
    return [...withAccess, ...props.selection.ticked.filter(({ who }) => !withAccess.some((person) => person.who === who))];
  };
  const set = (change: Partial<EditorSelection>): void => props.onChange({ ...props.selection, ...change });
  const tick = (editor: Editor, isTicked: boolean): void =>
    set({ ticked: isTicked ? [...props.selection.ticked, editor] : props.selection.ticked.filter(({ who }) => who !== editor.who) });
  const choice = (kind: EditorKind, label: string) => (
    <label class="check">
      <input type="radio" name={group} checked={props.selection.kind === kind} disabled={kind !== "nobody" && !isAllowed()} onChange={() => set({ kind })} />
      {label}
    </label>
  );
  return (
    <>
      <fieldset class="choices">
        <legend>{t("Restrict who can edit")}</legend>
        {choice("nobody", t("Nobody until the protection is removed"))}
        {choice("me", t("Only you"))}
        {choice("custom", t("Custom"))}
      </fieldset>
      <Show when={!isAllowed()}>
        <p class="form-hint">{t("Only owners and people who have signed in can restrict who edits.")}</p>
      </Show>
      <Show when={props.selection.kind === "custom"}>
        <Show when={people().length > 0}>
          <fieldset class="choices">
            <legend>{t("Editors")}</legend>
            <For each={people()}>
              {(editor) => (
                <label class="check">
                  <input type="checkbox" checked={props.selection.ticked.some(({ who }) => who === editor.who)} onChange={(event) => tick(editor, event.currentTarget.checked)} />
                  <bdi>{editor.label || editor.who}</bdi>
                </label>
              )}
            </For>
          </fieldset>
        </Show>
        <FormField label={t("Add editors by e-mail address")} errorText={props.errorText}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" type="text" inputMode="email" value={props.selection.addresses} onInput={(event) => set({ addresses: event.currentTarget.value })} />}
        </FormField>
      </Show>
    </>
  );
}

/** People with access: the field to add them, and the list. */

import { createSignal, For, Show } from "solid-js";
import { FormField, KeyedFor } from "../components/index.ts";
import { ago, t } from "../language/index.ts";
import { initials } from "../presence/index.ts";
import type { Act } from "./act.ts";
import { changePerson, type PersonAccess, type SharedRole, transferTo, type WorkbookAccess } from "./access-api.ts";
import { inviteByLink, inviteByName, type Invited } from "./invite.ts";
import { RoleSelect } from "./RoleSelect.tsx";
import { roleName, SHARED_ROLES } from "./roles.ts";

/** The field to add people. Without accounts, each gets a share link of their own. */
export function AddPerson(props: { readonly room: string; readonly act: Act; readonly hasAccounts: boolean; readonly onInvited: (invited: Invited) => void }) {
  const [typed, setTyped] = createSignal("");
  const [role, setRole] = createSignal<SharedRole>("edit");
  const [error, setError] = createSignal<string>();
  const add = async (): Promise<void> => {
    const person = typed().trim();
    if (props.hasAccounts && !/^[^\s@]+@[^\s@]+$/.test(person)) {
      setError(t("Enter an e-mail address."));
      return;
    }
    setError(undefined);
    await props.act(async () => {
      props.onInvited(await (props.hasAccounts ? inviteByName : inviteByLink)(props.room, person, role()));
      setTyped("");
    });
  };
  return (
    <form
      class="share-add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <FormField label={props.hasAccounts ? t("Add people by e-mail") : t("Add people by name or e-mail")} errorText={error()}>
        {(attributes) => (
          <input
            {...attributes}
            class="field"
            inputMode={props.hasAccounts ? "email" : "text"}
            autocomplete="off"
            dir="auto"
            maxLength={200}
            value={typed()}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </FormField>
      <RoleSelect label={t("Role of the new person")} value={role()} onChange={setRole} />
      <button type="submit" class="button is-main" disabled={typed().trim() === ""}>
        {t("Add|person")}
      </button>
    </form>
  );
}

/** The list of people with access. */
export function People(props: { readonly room: string; readonly access: WorkbookAccess; readonly act: Act; readonly hasAccounts: boolean; readonly ownId: string | undefined }) {
  return (
    <section class="share-section" aria-labelledby="share-people">
      <h3 id="share-people">{t("People with access")}</h3>
      <ul class="share-list">
        <Owner access={props.access} ownId={props.ownId} />
        <KeyedFor each={props.access.people ?? []} by={({ person }) => person}>
          {(person) => <Person room={props.room} person={person()} act={props.act} canTransfer={props.hasAccounts} />}
        </KeyedFor>
      </ul>
    </section>
  );
}

function Owner(props: { readonly access: WorkbookAccess; readonly ownId: string | undefined }) {
  const name = () => {
    const { owner, ownerName } = props.access;
    if (owner === null || owner === undefined) {
      return t("You");
    }
    return owner === props.ownId ? t("{name} (you)", { name: ownerName ?? "" }) : (ownerName ?? t("Owner"));
  };
  const keys = () => props.access.ownerKeys?.length ?? 0;
  return (
    <li class="share-row">
      <span class="avatar share-avatar" data-initials={initials(name())} aria-hidden="true" />
      <div class="share-who">
        <span dir="auto">{name()}</span>
        <Show when={props.access.owner === null || props.access.owner === undefined}>
          <span class="share-detail">{keys() > 1 ? t("{count} browsers have the owner key", { count: keys() }) : t("This browser has the owner key")}</span>
        </Show>
      </div>
      <span class="share-fixed">{roleName("owner")}</span>
    </li>
  );
}

function Person(props: { readonly room: string; readonly person: PersonAccess; readonly act: Act; readonly canTransfer: boolean }) {
  const name = () => props.person.name ?? props.person.person;
  const change = (chosen: string): void => {
    const { room, person } = props;
    if (chosen === "owner") {
      if (window.confirm(t("Make {name} the owner? You will be an editor.", { name: name() }))) {
        void props.act(() => transferTo(room, person.person));
      }
      return;
    }
    void props.act(() => changePerson(room, person.person, SHARED_ROLES.find((role) => role === chosen)));
  };
  return (
    <li class="share-row">
      <span class="avatar share-avatar" data-initials={initials(name())} aria-hidden="true" />
      <div class="share-who">
        <bdi>{name()}</bdi>
        <span class="share-detail">
          {props.person.lastSeenMs > 0 ? t("Last seen {time}", { time: ago(props.person.lastSeenMs) }) : t("Not seen yet")}
        </span>
      </div>
      <select
        class="field share-role"
        aria-label={t("Role of {name}", { name: name() })}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          // The list shows the new role when the server has it.
          event.currentTarget.value = props.person.role;
          change(chosen);
        }}
      >
        <For each={SHARED_ROLES}>{(role) => <option value={role} selected={role === props.person.role}>{roleName(role)}</option>}</For>
        <Show when={props.canTransfer}>
          <option value="owner">{t("Transfer ownership")}</option>
        </Show>
        <option value="none">{t("Remove access")}</option>
      </select>
    </li>
  );
}

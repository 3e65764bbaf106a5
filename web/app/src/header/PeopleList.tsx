/** The list of the people in a workbook, with one's own name. */

import type { Person } from "@quadrille/protocol";
import { Show } from "solid-js";
import { Icon, KeyedFor } from "../components/index.ts";
import { t } from "../language/index.ts";
import { cleanName } from "../presence/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { Avatar } from "./Avatar.tsx";

/** The content of the popover of people. */
export function PeopleList(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const totalCount = () => Math.max(model.peopleCount(), model.people().length + 1);
  return (
    <>
      <OwnName model={model} />
      <Show when={totalCount() > model.people().length + 1}>
        <p class="popover-text">{t("{count} people are here. These are near you.", { count: totalCount() })}</p>
      </Show>
      <ul>
        <KeyedFor each={model.people()} by={({ session }) => session} fallback={<li class="people-none">{t("Nobody else is here. Share the link.")}</li>}>
          {(person) => <PersonRow model={model} person={person()} />}
        </KeyedFor>
      </ul>
    </>
  );
}

function OwnName(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <label class="own-name">
      <Show when={model.identity()} keyed>
        {(me) => <Avatar name={me.name} color={me.color} picture={model.access.identification.pictures.of(undefined)} />}
      </Show>
      <input
        class="field"
        aria-label={t("Your name")}
        maxLength={40}
        // The name of an account is changed on its own page.
        readOnly={model.accountName() !== undefined}
        value={model.identity().name}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.currentTarget.blur();
          }
        }}
        onChange={(event) => {
          const name = cleanName(event.currentTarget.value);
          if (name === "") {
            event.currentTarget.value = model.identity().name;
          } else {
            model.setIdentity({ ...model.identity(), name });
          }
        }}
      />
      <span class="own-note">{t("you")}</span>
    </label>
  );
}

function PersonRow(props: { readonly model: WorkbookModel; readonly person: Person }) {
  const sheetName = () => props.model.sheets().find((sheet) => sheet.id === props.person.sheet)?.name;
  const isFollowed = () => props.model.following.person()?.session === props.person.session;
  return (
    <li class="person-row">
      <button
        type="button"
        class="person"
        disabled={!props.person.selection || sheetName() === undefined}
        onClick={() => {
          const { sheet, selection } = props.person;
          if (sheet !== null && selection) {
            props.model.openSheet(sheet);
            props.model.goTo(selection);
          }
        }}
      >
        <Avatar name={props.person.name} color={props.person.color} picture={props.model.access.identification.pictures.of(props.person.session)} />
        <span class="person-details">
          <span class="person-name" dir="auto">{props.person.name}</span>{" "}
          <span class="person-sheet" dir="auto">{sheetName()}</span>
        </span>
      </button>
      <button
        type="button"
        class="tool is-small"
        aria-pressed={isFollowed()}
        aria-label={t("Follow {name}", { name: props.person.name })}
        title={t("Follow {name}", { name: props.person.name })}
        onClick={() => (isFollowed() ? props.model.following.stop() : props.model.following.start(props.person.session))}
      >
        <Icon name="eye" />
      </button>
    </li>
  );
}

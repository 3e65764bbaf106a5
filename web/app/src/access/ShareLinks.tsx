/** Share links: the list, and the form for a new one. */

import { createSignal, Show } from "solid-js";
import { CopyButton, FormField, KeyedFor } from "../components/index.ts";
import { ago, moment, t } from "../language/index.ts";
import { addLink, changeLink, revokeLink, type ShareLink, type SharedRole } from "./access-api.ts";
import { roomAddress } from "./invite.ts";
import { RoleSelect } from "./RoleSelect.tsx";
import type { Act } from "./act.ts";

/** As the server requires (`crates/server/src/access/password.rs`). */
const PASSWORD_MIN = 8;
const LABEL_MAX = 200;

/** The share links of a workbook. */
export function ShareLinks(props: { readonly room: string; readonly links: readonly ShareLink[]; readonly act: Act }) {
  const [isAdding, setIsAdding] = createSignal(false);
  return (
    <section class="share-section" aria-labelledby="share-links">
      <h3 id="share-links">{t("Share links")}</h3>
      <p class="panel-note">{t("A share link gives its role to whoever has it, even if general access is restricted.")}</p>
      <ul class="share-list">
        <KeyedFor each={props.links} by={({ id }) => id}>
          {(link) => <LinkRow room={props.room} link={link()} act={props.act} />}
        </KeyedFor>
      </ul>
      <Show
        when={isAdding()}
        fallback={
          <button type="button" class="button" onClick={() => setIsAdding(true)}>
            {t("Create link…")}
          </button>
        }
      >
        <NewLink room={props.room} act={props.act} onClose={() => setIsAdding(false)} />
      </Show>
    </section>
  );
}

function LinkRow(props: { readonly room: string; readonly link: ShareLink; readonly act: Act }) {
  const name = () => (props.link.label === "" ? t("Link created {time}", { time: ago(props.link.createdMs) }) : props.link.label);
  const expiry = () => {
    const { expiresMs } = props.link;
    return expiresMs === null ? undefined : expiresMs <= Date.now() ? t("Expired") : t("Expires {time}", { time: moment(expiresMs) });
  };
  const details = () =>
    [
      props.link.uses === 0 ? t("Not used yet") : t("Used {count} times, last {time}", { count: props.link.uses, time: ago(props.link.lastUsedMs) }),
      props.link.hasPassword ? t("Password") : undefined,
      expiry(),
    ].filter((text) => text !== undefined);
  return (
    <li class="share-row">
      <div class="share-who">
        <span dir="auto">{name()}</span>
        <span class="share-detail">{details().join(" · ")}</span>
      </div>
      <RoleSelect label={t("Role of {name}", { name: name() })} value={props.link.role} onChange={(role) => void props.act(() => changeLink(props.room, props.link.id, { role }))} />
      <button type="button" class="button" aria-label={t("Revoke {name}", { name: name() })} onClick={() => void props.act(() => revokeLink(props.room, props.link.id))}>
        {t("Revoke")}
      </button>
    </li>
  );
}

function NewLink(props: { readonly room: string; readonly act: Act; readonly onClose: () => void }) {
  const [role, setRole] = createSignal<SharedRole>("view");
  const [label, setLabel] = createSignal("");
  const [expires, setExpires] = createSignal("");
  const [password, setPassword] = createSignal("");
  const [address, setAddress] = createSignal<string>();
  const expiresMs = () => (expires() === "" ? undefined : new Date(`${expires()}T23:59:59`).getTime());
  const expiryError = () => {
    const chosen = expiresMs();
    return chosen !== undefined && !(chosen > Date.now()) ? t("Choose a date in the future.") : undefined;
  };
  const passwordError = () =>
    password() !== "" && [...password()].length < PASSWORD_MIN ? t("Use at least {min} characters.", { min: PASSWORD_MIN }) : undefined;
  const create = async (): Promise<void> => {
    await props.act(async () => {
      const end = expiresMs();
      const made = await addLink(props.room, {
        role: role(),
        label: label().trim(),
        ...(end === undefined ? {} : { expiresMs: end }),
        ...(password() === "" ? {} : { password: password() }),
      });
      setAddress(`${roomAddress(props.room)}#link=${made.link}`);
    });
  };
  let field!: HTMLInputElement;
  return (
    <Show
      when={address()}
      fallback={
        <form
          class="share-new-link"
          onSubmit={(event) => {
            event.preventDefault();
            if (expiryError() === undefined && passwordError() === undefined) {
              void create();
            }
          }}
        >
          <label class="form-label">
            {t("Label")}
            <input ref={(element) => queueMicrotask(() => element.focus())} class="field" dir="auto" maxLength={LABEL_MAX} value={label()} onInput={(event) => setLabel(event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Role")}
            <RoleSelect label={t("Role")} value={role()} onChange={setRole} />
          </label>
          <FormField label={t("Expires on (optional)")} errorText={expiryError()}>
            {(attributes) => <input {...attributes} class="field" type="date" value={expires()} onInput={(event) => setExpires(event.currentTarget.value)} />}
          </FormField>
          <FormField label={t("Password (optional)")} errorText={passwordError()}>
            {(attributes) => (
              <input {...attributes} class="field" type="password" autocomplete="new-password" dir="ltr" value={password()} onInput={(event) => setPassword(event.currentTarget.value)} />
            )}
          </FormField>
          <div class="modal-buttons">
            <button type="button" class="button" onClick={() => props.onClose()}>
              {t("Cancel")}
            </button>
            <button type="submit" class="button is-main">
              {t("Create link")}
            </button>
          </div>
        </form>
      }
    >
      {(made) => (
        <div class="share-made-link">
          <p role="status">{t("Copy the link now. It cannot be shown again.")}</p>
          <div class="share-copy">
            <input ref={field} class="field" dir="ltr" readOnly aria-label={t("Share link")} value={made()} onFocus={() => field.select()} />
            <CopyButton text={made} label={t("Copy link")} />
            <button type="button" class="button" onClick={() => props.onClose()}>
              {t("Close")}
            </button>
          </div>
        </div>
      )}
    </Show>
  );
}

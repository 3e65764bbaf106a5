/** Name and e-mail address of the own account. */

import { createSignal, For, Show } from "solid-js";
import { FormField } from "../components/index.ts";
import { t } from "../language/index.ts";
import { type AccountDetails, renameAccount } from "./account-data.ts";
import { notify } from "./Notice.tsx";
import { failureText } from "./request.ts";
import { Section } from "./Section.tsx";
import { reloadSession } from "./session.ts";

/** Name and e-mail address. */
export function ProfileSection(props: { readonly account: AccountDetails; readonly onChanged: () => void }) {
  const [name, setName] = createSignal(props.account.name);
  const [failure, setFailure] = createSignal<string>();
  const [isSending, setIsSending] = createSignal(false);
  /** Identities of a proxy, and of providers that the server no longer offers. */
  const others = () => props.account.identities.filter(({ provider }) => provider === null);
  const isChanged = () => name().trim() !== props.account.name;
  const save = async (): Promise<void> => {
    if (name().trim() === "") {
      setFailure(t("Enter a name."));
      return;
    }
    setIsSending(true);
    setFailure(undefined);
    try {
      await renameAccount(name().trim());
      await reloadSession();
      props.onChanged();
      notify(t("Your name was changed."));
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Section id="profile" title={t("Profile")} note={t("Others see your name in workbooks, comments and the chat.")}>
      <form
        class="account-inline-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <FormField label={t("Name")} errorText={failure()}>
          {(attributes) => <input class="field" dir="auto" autocomplete="name" maxLength={100} value={name()} onInput={(event) => setName(event.currentTarget.value)} {...attributes} />}
        </FormField>
        <button type="submit" class="button is-main" disabled={isSending() || !isChanged()}>
          {t("Save")}
        </button>
      </form>
      <dl class="account-facts">
        <Show when={props.account.email}>
          <div>
            <dt>{t("Email address")}</dt>
            <dd>
              <span dir="ltr">{props.account.email}</span> <span class="badge">{props.account.isEmailVerified ? t("Verified") : t("Not verified")}</span>
            </dd>
          </div>
        </Show>
        <Show when={others().length > 0}>
          <div>
            <dt>{t("Signs in with")}</dt>
            <dd>
              <For each={others()}>
                {({ issuer }) => (
                  <span class="account-issuer" dir="ltr">
                    {issuer}
                  </span>
                )}
              </For>
            </dd>
          </div>
        </Show>
      </dl>
    </Section>
  );
}

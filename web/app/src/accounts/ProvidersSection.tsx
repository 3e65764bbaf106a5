/** The OpenID providers by which the person signs in to the own account. */

import { createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { addIdentity, type Identity, removeIdentity } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { notify } from "./Notice.tsx";
import { failureText } from "./request.ts";
import { Row, Section } from "./Section.tsx";
import type { Provider } from "./session.ts";

/** Connects and disconnects providers. */
export function ProvidersSection(props: { readonly identities: readonly Identity[]; readonly providers: readonly Provider[]; readonly onChanged: () => void }) {
  const [removed, setRemoved] = createSignal<Provider>();
  const [failure, setFailure] = createSignal<string>();
  const isConnected = ({ id }: Provider): boolean => props.identities.some(({ provider }) => provider === id);
  const connect = async ({ id }: Provider): Promise<void> => {
    setFailure(undefined);
    try {
      location.assign(await addIdentity(id));
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  return (
    <Section id="providers" title={t("Sign-in providers")} note={t("Sign in to this account with one of these providers, beside your other ways to sign in.")}>
      <Show when={failure()}>
        <p class="form-error" role="alert">
          {failure()}
        </p>
      </Show>
      <ul class="account-rows">
        <For each={props.providers}>
          {(provider) => (
            <Row
              title={<bdi>{provider.name}</bdi>}
              facts={<span>{isConnected(provider) ? t("Connected") : t("Not connected")}</span>}
              actions={
                <Show
                  when={isConnected(provider)}
                  fallback={
                    <button type="button" class="button" aria-label={t("Connect: {name}", { name: provider.name })} onClick={() => void connect(provider)}>
                      {t("Connect")}
                    </button>
                  }
                >
                  <button type="button" class="button" aria-label={t("Disconnect: {name}", { name: provider.name })} onClick={() => setRemoved(provider)}>
                    {t("Disconnect")}
                  </button>
                </Show>
              }
            />
          )}
        </For>
      </ul>
      <Show when={removed()} keyed>
        {(provider) => (
          <ConfirmDialog
            title={t("Disconnect {name}?", { name: provider.name })}
            action={t("Disconnect")}
            onConfirm={() => removeIdentity(provider.id)}
            conflict={t("You could no longer sign in. Set a password or add a passkey first.")}
            onClose={(isDone) => {
              setRemoved(undefined);
              if (isDone) {
                notify(t("The provider was disconnected."));
                props.onChanged();
              }
            }}
          >
            <p>{t("You can no longer sign in with {name}.", { name: provider.name })}</p>
          </ConfirmDialog>
        )}
      </Show>
    </Section>
  );
}

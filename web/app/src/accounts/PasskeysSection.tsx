/** The passkeys of the own account. */

import { createSignal, For, Show } from "solid-js";
import { DialogButtons, FormField, Icon, Modal } from "../components/index.ts";
import { ago, t } from "../language/index.ts";
import { addPasskey, type Passkey, removePasskey } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { notify } from "./Notice.tsx";
import { failureText } from "./request.ts";
import { Row, Section } from "./Section.tsx";
import { browserAndSystem } from "./user-agent.ts";
import { createPasskey, PasskeyExists, supportsPasskeys } from "./webauthn.ts";

/** Adds and removes passkeys. */
export function PasskeysSection(props: { readonly passkeys: readonly Passkey[]; readonly onChanged: () => void }) {
  const [isAdding, setIsAdding] = createSignal(false);
  const [removed, setRemoved] = createSignal<Passkey>();
  return (
    <Section
      id="passkeys"
      title={t("Passkeys")}
      note={t("Sign in with your fingerprint, face, screen lock or a security key instead of a password.")}
      action={
        <Show when={supportsPasskeys()}>
          <button type="button" class="button" onClick={() => setIsAdding(true)}>
            <Icon name="plus" />
            {t("Add a passkey")}
          </button>
        </Show>
      }
    >
      <Show when={!supportsPasskeys()}>
        <p class="account-note">{t("This browser cannot use passkeys on this page. They need HTTPS, a domain name and a current browser.")}</p>
      </Show>
      <ul class="account-rows">
        <For each={props.passkeys} fallback={<li class="account-empty">{t("No passkeys yet")}</li>}>
          {(passkey) => (
            <Row
              title={<bdi>{passkey.label}</bdi>}
              facts={
                <>
                  <span>{t("Created {time}", { time: ago(passkey.createdMs) })}</span>
                  <span>{passkey.lastUsedMs > 0 ? t("Last used {time}", { time: ago(passkey.lastUsedMs) }) : t("Never used")}</span>
                </>
              }
              actions={
                <button type="button" class="button" aria-label={t("Remove: {name}", { name: passkey.label })} onClick={() => setRemoved(passkey)}>
                  {t("Remove")}
                </button>
              }
            />
          )}
        </For>
      </ul>
      <Show when={isAdding()}>
        <AddPasskey
          onClose={(isDone) => {
            setIsAdding(false);
            if (isDone) {
              notify(t("The passkey was added."));
              props.onChanged();
            }
          }}
        />
      </Show>
      <Show when={removed()} keyed>
        {(passkey) => (
          <ConfirmDialog
            title={t("Remove this passkey?")}
            action={t("Remove")}
            onConfirm={() => removePasskey(passkey.id)}
            conflict={t("You could no longer sign in. Set a password or add another passkey first.")}
            onClose={(isDone) => {
              setRemoved(undefined);
              if (isDone) {
                notify(t("The passkey was removed."));
                props.onChanged();
              }
            }}
          >
            <p>{t("You can no longer sign in with {name}. Delete it on the device too.", { name: passkey.label })}</p>
          </ConfirmDialog>
        )}
      </Show>
    </Section>
  );
}

function AddPasskey(props: { readonly onClose: (isDone: boolean) => void }) {
  const { browser, system } = browserAndSystem(navigator.userAgent);
  const [label, setLabel] = createSignal([browser, system].filter(Boolean).join(", "));
  const [isChecked, setIsChecked] = createSignal(false);
  const [isRunning, setIsRunning] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const add = async (): Promise<void> => {
    setIsChecked(true);
    if (label().trim() === "") {
      return;
    }
    setIsRunning(true);
    setFailure(undefined);
    try {
      const created = await createPasskey();
      if (created) {
        await addPasskey(label().trim(), created);
        props.onClose(true);
        return;
      }
      setFailure(t("No passkey was created. Try again."));
    } catch (error) {
      setFailure(error instanceof PasskeyExists ? t("This device already has a passkey for your account.") : failureText(error));
    }
    setIsRunning(false);
  };
  return (
    <Modal isOpen title={t("Add a passkey")} onClose={() => props.onClose(false)}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <p>{t("Your browser asks next where to store the passkey.")}</p>
        <FormField label={t("Name of the passkey")} errorText={isChecked() && label().trim() === "" ? t("Enter a name.") : undefined}>
          {(attributes) => <input class="field" dir="auto" autocomplete="off" maxLength={100} value={label()} onInput={(event) => setLabel(event.currentTarget.value)} {...attributes} />}
        </FormField>
        <Show when={failure()}>
          <p class="form-error" role="alert">
            {failure()}
          </p>
        </Show>
        <DialogButtons onCancel={() => props.onClose(false)} label={t("Continue")} isDisabled={isRunning()} />
      </form>
    </Modal>
  );
}

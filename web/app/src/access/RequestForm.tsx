/** The form by which somebody asks the owners of a workbook for access. */

import { createResource, createSignal, Show } from "solid-js";
import { FormField } from "../components/index.ts";
import { t } from "../language/index.ts";
import { AccessRefused, askForAccess } from "./access-api.ts";
import { sessionInfo } from "./session-info.ts";

const MESSAGE_MAX = 200;

/** The form; after it was sent, a confirmation. */
export function RequestForm(props: { readonly room: string; readonly name: string; readonly onCancel?: () => void; readonly onSent?: () => void }) {
  const [session] = createResource(sessionInfo);
  const [name, setName] = createSignal(props.name);
  const [email, setEmail] = createSignal("");
  const [message, setMessage] = createSignal("");
  const [failure, setFailure] = createSignal<string>();
  const [emailError, setEmailError] = createSignal<string>();
  const [state, setState] = createSignal<"open" | "sending" | "sent">("open");
  const account = () => session()?.account ?? undefined;
  const send = async (): Promise<void> => {
    if (email() !== "" && !/^[^\s@]+@[^\s@]+$/.test(email().trim())) {
      setEmailError(t("Enter an e-mail address."));
      return;
    }
    setEmailError(undefined);
    setFailure(undefined);
    setState("sending");
    try {
      await askForAccess(props.room, account()?.name ?? name().trim(), email().trim(), message().trim());
      setState("sent");
      props.onSent?.();
    } catch (error) {
      setFailure(error instanceof AccessRefused ? error.message : String(error));
      setState("open");
    }
  };
  return (
    <Show
      when={state() !== "sent"}
      fallback={
        <p class="request-sent" role="status">
          {t("Your request was sent. The owner decides; open this page again later.")}
        </p>
      }
    >
      <form
        class="form request-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Show when={!account()}>
          <label class="form-label">
            {t("Your name")}
            <input class="field" dir="auto" required maxLength={MESSAGE_MAX} autocomplete="name" value={name()} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <FormField label={t("Your e-mail address (optional)")} errorText={emailError()}>
            {(attributes) => (
              <input {...attributes} class="field" type="text" inputMode="email" autocomplete="email" dir="ltr" maxLength={254} value={email()} onInput={(event) => setEmail(event.currentTarget.value)} />
            )}
          </FormField>
        </Show>
        <label class="form-label">
          {t("Message to the owner (optional)")}
          <textarea class="field" dir="auto" rows={3} maxLength={MESSAGE_MAX} value={message()} onInput={(event) => setMessage(event.currentTarget.value)} />
        </label>
        <Show when={failure()}>
          <p class="import-failure" role="alert">
            {failure()}
          </p>
        </Show>
        <div class="modal-buttons">
          <Show when={props.onCancel}>
            {(cancel) => (
              <button type="button" class="button" onClick={() => cancel()()}>
                {t("Cancel")}
              </button>
            )}
          </Show>
          <button type="submit" class="button is-main" disabled={state() === "sending" || (account() === undefined && name().trim() === "")}>
            {t("Request access")}
          </button>
        </div>
      </form>
    </Show>
  );
}

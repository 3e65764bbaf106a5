/** A forgotten password: asking for a link, and choosing a new password with one. */

import { createSignal, Show } from "solid-js";
import { serverPath } from "../base-path.ts";
import { focusInvalidField } from "../components/index.ts";
import { t } from "../language/index.ts";
import { type Attempts, createAttempts } from "./attempts.ts";
import { EmailField } from "./EmailField.tsx";
import { PASSWORD_CHARACTERS_MIN, PasswordField } from "./PasswordField.tsx";
import { request } from "./request.ts";
import type { SessionState } from "./session.ts";

const PATH = serverPath("/api/v1/session/recovery");

function Failure(props: { readonly attempts: Attempts }) {
  return (
    <Show when={props.attempts.error()}>
      <p class="account-error" role="alert">
        {props.attempts.error()}
      </p>
    </Show>
  );
}

/** Asks for a link. The server does not tell whether there is an account. */
export function ForgottenPassword(props: { readonly email: string; readonly onBack: () => void }) {
  const [email, setEmail] = createSignal(props.email);
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [isSent, setIsSent] = createSignal(false);
  const attempts = createAttempts();
  let form!: HTMLFormElement;
  const emailError = () => (isChecked() && !/^[^@\s]+@[^@\s]+$/.test(email().trim()) ? t("Enter your email address.") : undefined);
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    attempts.clear();
    if (emailError()) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    try {
      await request("POST", PATH, { email: email().trim() });
      setIsSent(true);
    } catch (error) {
      attempts.fail(error, "Enter your email address.");
    }
    setIsSending(false);
  };
  return (
    <>
      <h1>{t("Reset your password")}</h1>
      <Failure attempts={attempts} />
      <Show
        when={!isSent()}
        fallback={<p role="status">{t("If there is an account with this address, a message with a link is on its way. The link works once, for one hour.")}</p>}
      >
        <p class="account-card-note">{t("Enter your email address. We send you a link with which you choose a new password.")}</p>
        <form
          ref={form}
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <EmailField autocomplete="username" value={email()} onInput={setEmail} errorText={emailError()} />
          <button type="submit" class="button is-main" disabled={isSending() || attempts.isWaiting()}>
            {t("Send link")}
          </button>
        </form>
      </Show>
      <button type="button" class="account-back" onClick={() => props.onBack()}>
        {t("Back to sign-in")}
      </button>
    </>
  );
}

/** Chooses a new password with a link, which signs in too. */
export function NewPassword(props: { readonly link: string; readonly onDone: (state: SessionState) => void }) {
  const [password, setPassword] = createSignal("");
  const [again, setAgain] = createSignal("");
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const attempts = createAttempts();
  let form!: HTMLFormElement;
  const passwordError = () => (isChecked() && [...password()].length < PASSWORD_CHARACTERS_MIN ? t("Use at least {count} characters.", { count: PASSWORD_CHARACTERS_MIN }) : undefined);
  const againError = () => (isChecked() && passwordError() === undefined && password() !== again() ? t("The passwords do not match.") : undefined);
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    attempts.clear();
    if (passwordError() ?? againError()) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    try {
      props.onDone(await request<SessionState>("PUT", PATH, { link: props.link, password: password() }));
    } catch (error) {
      attempts.fail(error, "This link was used already or has expired. Ask for a new one on the sign-in page.");
      setIsSending(false);
    }
  };
  return (
    <>
      <h1>{t("Choose a new password")}</h1>
      <p class="account-card-note">{t("You will be signed out in all other browsers.")}</p>
      <Failure attempts={attempts} />
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <PasswordField label={t("New password")} name="new" autocomplete="new-password" value={password()} onInput={setPassword} errorText={passwordError()} />
        <PasswordField label={t("Confirm new password")} name="again" autocomplete="new-password" value={again()} onInput={setAgain} errorText={againError()} />
        <button type="submit" class="button is-main" disabled={isSending() || attempts.isWaiting()}>
          {t("Change password")}
        </button>
      </form>
      <a class="account-back" href={serverPath("/_sign-in")}>
        {t("Back to sign-in")}
      </a>
    </>
  );
}

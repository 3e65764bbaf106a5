/** The password of the own account. */

import { createSignal, Show } from "solid-js";
import { focusInvalidField } from "../components/index.ts";
import { t } from "../language/index.ts";
import { type AccountDetails, changePassword } from "./account-data.ts";
import { notify } from "./Notice.tsx";
import { PASSWORD_CHARACTERS_MIN, PasswordField } from "./PasswordField.tsx";
import { failureText, RequestFailed } from "./request.ts";
import { Section } from "./Section.tsx";

/** Sets or changes the password. */
export function PasswordSection(props: { readonly account: AccountDetails; readonly onChanged: () => void }) {
  const [current, setCurrent] = createSignal("");
  const [next, setNext] = createSignal("");
  const [again, setAgain] = createSignal("");
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [isCurrentWrong, setIsCurrentWrong] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  let form!: HTMLFormElement;
  const currentError = () =>
    isCurrentWrong() ? t("Wrong password. Try again.") : isChecked() && props.account.hasPassword && current() === "" ? t("Enter your current password.") : undefined;
  const nextError = () => (isChecked() && [...next()].length < PASSWORD_CHARACTERS_MIN ? t("Use at least {count} characters.", { count: PASSWORD_CHARACTERS_MIN }) : undefined);
  const againError = () => (isChecked() && nextError() === undefined && next() !== again() ? t("The passwords do not match.") : undefined);
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    setIsCurrentWrong(false);
    setFailure(undefined);
    if (currentError() ?? nextError() ?? againError()) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    try {
      await changePassword(props.account.hasPassword ? current() : null, next());
      setCurrent("");
      setNext("");
      setAgain("");
      setIsChecked(false);
      notify(t("Your password was changed. You were signed out in other browsers."));
      props.onChanged();
    } catch (error) {
      if (error instanceof RequestFailed && error.code === "sign_in_failed") {
        setIsCurrentWrong(true);
        focusInvalidField(form);
      } else {
        setFailure(failureText(error));
      }
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Section
      id="password"
      title={t("Password")}
      note={props.account.hasPassword ? t("Changing the password signs you out in other browsers.") : t("You have no password yet. With one you can sign in by your email address.")}
    >
      <form
        ref={form}
        class="form is-narrow"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {/* Tells password managers which account the password belongs to. */}
        <input type="text" autocomplete="username" hidden readOnly value={props.account.email ?? props.account.id} />
        <Show when={props.account.hasPassword}>
          <PasswordField label={t("Current password")} name="current" autocomplete="current-password" value={current()} onInput={setCurrent} errorText={currentError()} />
        </Show>
        <PasswordField label={t("New password")} name="new" autocomplete="new-password" value={next()} onInput={setNext} errorText={nextError()} />
        <PasswordField label={t("Confirm new password")} name="again" autocomplete="new-password" value={again()} onInput={setAgain} errorText={againError()} />
        <Show when={failure()}>
          <p class="form-error" role="alert">
            {failure()}
          </p>
        </Show>
        <button type="submit" class="button is-main" disabled={isSending()}>
          {props.account.hasPassword ? t("Change password") : t("Set password")}
        </button>
      </form>
    </Section>
  );
}

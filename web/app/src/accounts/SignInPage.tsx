/** The sign-in page: password, passkey, OpenID providers, and one-time links. */

import { serverPath } from "../base-path.ts";
import { createSignal, For, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { focusInvalidField, Icon, Logo } from "../components/index.ts";
import { t } from "../language/index.ts";
import { type Attempts, createAttempts } from "./attempts.ts";
import { EmailField } from "./EmailField.tsx";
import { PasswordField } from "./PasswordField.tsx";
import { ForgottenPassword, NewPassword } from "./RecoveryForms.tsx";
import { failureText, request, RequestFailed } from "./request.ts";
import { returnPath } from "./return-path.ts";
import { canSignIn, session, type SessionState, setSession, signOut } from "./session.ts";
import { signInWithPasskey, suggestsPasskeys, supportsPasskeys } from "./webauthn.ts";

const TARGET = returnPath(location.search, location.origin);
/** Somebody who is signed in has to sign in again to change the account. */
const IS_AGAIN = new URLSearchParams(location.search).has("again");

/** Reads and removes the secret of a link from the address: one that signs in once, or one for a new password. */
function takeLink(): { readonly once: string | undefined; readonly recover: string | undefined } {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const [once, recover] = [parameters.get("once") ?? undefined, parameters.get("recover") ?? undefined];
  if (once !== undefined || recover !== undefined) {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return { once, recover };
}

/** The sign-in page. */
export function SignInPage() {
  const { once, recover } = takeLink();
  const [isSwitching, setIsSwitching] = createSignal(IS_AGAIN);
  const [newPasswordLink, setNewPasswordLink] = createSignal(recover);
  /** The address that was entered before the password turned out to be forgotten. */
  const [forgottenBy, setForgottenBy] = createSignal<string>();
  const account = () => (isSwitching() ? undefined : session()?.account);
  return (
    <div class="account-card is-sign-in">
      <Logo sizePx={48} />
      <Switch fallback={<SignIn onForgotten={setForgottenBy} />}>
        <Match when={newPasswordLink()}>{(link) => <NewPassword link={link()} onDone={proceed} />}</Match>
        <Match when={once}>{(link) => <OneTimeLink link={link()} onNewPassword={() => setNewPasswordLink(link())} />}</Match>
        <Match when={account()}>{(current) => <SignedIn name={current().name} email={current().email} onSwitch={() => setIsSwitching(true)} />}</Match>
        <Match when={forgottenBy() !== undefined}>
          <ForgottenPassword email={forgottenBy() ?? ""} onBack={() => setForgottenBy(undefined)} />
        </Match>
      </Switch>
    </div>
  );
}

/** Leaves the page after signing in. */
function proceed(state: SessionState): void {
  setSession(state);
  location.replace(TARGET);
}

function SignIn(props: { readonly onForgotten: (email: string) => void }) {
  const methods = () => session()?.signIn ?? { password: false, passkey: false, header: false, recovery: false, providers: [] };
  const hasPasskeys = () => methods().passkey && supportsPasskeys();
  const attempts = createAttempts();
  let suggestion = new AbortController();
  onCleanup(() => suggestion.abort());

  /** Lets the browser suggest passkeys in the e-mail field. */
  const suggest = async (): Promise<void> => {
    suggestion = new AbortController();
    if (methods().password && methods().passkey && (await suggestsPasskeys())) {
      try {
        const state = await signInWithPasskey(suggestion.signal, true);
        if (state) {
          proceed(state);
        }
      } catch (error) {
        if (error instanceof RequestFailed && error.code === "sign_in_failed") {
          attempts.fail(error, "This passkey is not known here. Use another way to sign in.");
        }
      }
    }
  };
  onMount(() => void suggest());

  const usePasskey = async (): Promise<void> => {
    attempts.clear();
    // Only one request for passkeys can be active.
    suggestion.abort();
    try {
      const state = await signInWithPasskey(new AbortController().signal, false);
      if (state) {
        proceed(state);
        return;
      }
    } catch (error) {
      attempts.fail(error, "This passkey is not known here. Use another way to sign in.");
    }
    void suggest();
  };

  return (
    <>
      <h1>{t("Sign in")}</h1>
      <p class="account-card-note">{IS_AGAIN ? t("Sign in again to change your account. Your last sign-in was a while ago.") : t("to continue to Quadrille")}</p>
      <Show when={attempts.error()}>
        <p class="account-error" role="alert" id="sign-in-error">
          {attempts.error()}
        </p>
      </Show>
      <Show when={canSignIn(methods())} fallback={<p>{methods().header ? t("The proxy in front of this server signs people in. Reload the page.") : t("This server has no way to sign in.")}</p>}>
        <Show when={methods().password}>
          <PasswordForm attempts={attempts} onForgotten={methods().recovery ? props.onForgotten : undefined} />
        </Show>
        <Show when={methods().password && (hasPasskeys() || methods().providers.length > 0)}>
          <p class="account-or">{t("or")}</p>
        </Show>
        <div class="account-methods">
          <Show when={hasPasskeys()}>
            <button type="button" class="button" onClick={() => void usePasskey()}>
              <Icon name="lock" />
              {t("Sign in with a passkey")}
            </button>
          </Show>
          <For each={methods().providers}>
            {({ id, name }) => (
              <a class="button" href={`${serverPath("/_sign-in")}/${encodeURIComponent(id)}?return=${encodeURIComponent(TARGET)}`}>
                {t("Continue with {name}", { name })}
              </a>
            )}
          </For>
        </div>
      </Show>
      <a class="account-back" href={serverPath("/")}>
        {t("Start page")}
      </a>
    </>
  );
}

function PasswordForm(props: {
  readonly attempts: Attempts;
  /** Absent where the server sends no links for forgotten passwords. */
  readonly onForgotten: ((email: string) => void) | undefined;
}) {
  const [email, setEmail] = createSignal("");
  const [password, setPassword] = createSignal("");
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const { attempts } = props;
  let form!: HTMLFormElement;
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    attempts.clear();
    if (email().trim() === "" || password() === "") {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    try {
      proceed(await request<SessionState>("POST", serverPath("/api/v1/session"), { email: email().trim(), password: password() }));
    } catch (error) {
      attempts.fail(error, "Wrong email address or password. Try again.");
      setIsSending(false);
      form.querySelector<HTMLInputElement>('[name="password"]')?.select();
    }
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      method="post"
      aria-describedby={attempts.error() === undefined ? undefined : "sign-in-error"}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <EmailField autocomplete="username webauthn" value={email()} onInput={setEmail} errorText={isChecked() && email().trim() === "" ? t("Enter your email address.") : undefined} />
      <PasswordField
        label={t("Password")}
        name="password"
        autocomplete="current-password"
        value={password()}
        onInput={setPassword}
        errorText={isChecked() && password() === "" ? t("Enter your password.") : undefined}
      />
      <button type="submit" class="button is-main" disabled={isSending() || attempts.isWaiting()}>
        {t("Sign in")}
      </button>
      <Show when={props.onForgotten}>
        {(onForgotten) => (
          <button type="button" class="account-forgotten" onClick={() => onForgotten()(email().trim())}>
            {t("Forgot your password?")}
          </button>
        )}
      </Show>
    </form>
  );
}

/** The page for somebody who is signed in already. */
function SignedIn(props: { readonly name: string; readonly email: string | null; readonly onSwitch: () => void }) {
  const [failure, setFailure] = createSignal<string>();
  const change = async (): Promise<void> => {
    try {
      await signOut();
      props.onSwitch();
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  return (
    <>
      <h1>{t("You are signed in")}</h1>
      <Who name={props.name} email={props.email} />
      <Show when={failure()}>
        <p class="account-error" role="alert">
          {failure()}
        </p>
      </Show>
      <div class="account-methods">
        <a class="button is-main" href={TARGET}>
          {t("Continue")}
        </a>
        <button type="button" class="button" onClick={() => void change()}>
          {t("Use another account")}
        </button>
      </div>
    </>
  );
}

function Who(props: { readonly name: string; readonly email: string | null }): JSX.Element {
  return (
    <p class="account-card-note">
      <strong dir="auto">{props.name}</strong>
      <Show when={props.email}>
        <br />
        <span dir="ltr">{props.email}</span>
      </Show>
    </p>
  );
}

/**
 * The page of a one-time link. It waits for a press, so that a program which opens links of messages
 * does not use it up.
 */
function OneTimeLink(props: { readonly link: string; readonly onNewPassword: () => void }) {
  const attempts = createAttempts();
  const [isSending, setIsSending] = createSignal(false);
  const use = async (): Promise<void> => {
    attempts.clear();
    setIsSending(true);
    try {
      setSession(await request<SessionState>("POST", serverPath("/api/v1/session"), { link: props.link }));
      location.replace(serverPath("/_account#password"));
    } catch (error) {
      attempts.fail(error, "This link was used already or has expired. Ask an administrator for a new one.");
      setIsSending(false);
    }
  };
  return (
    <>
      <h1>{t("Welcome to Quadrille")}</h1>
      <p class="account-card-note">{t("This link signs you in once. Then choose a password or add a passkey, so that you can sign in again.")}</p>
      <Show when={attempts.error()}>
        <p class="account-error" role="alert">
          {attempts.error()}
        </p>
      </Show>
      <div class="account-methods">
        <button type="button" class="button is-main" autofocus disabled={isSending() || attempts.isWaiting()} onClick={() => void use()}>
          {t("Sign in")}
        </button>
        <Show when={session()?.signIn.password}>
          <button type="button" class="button" onClick={() => props.onNewPassword()}>
            {t("Choose a new password")}
          </button>
        </Show>
        <a class="button" href={serverPath("/_sign-in")}>
          {t("Sign in another way")}
        </a>
      </div>
    </>
  );
}

/** The sign-in page: password, passkey, OpenID providers, and one-time links. */

import { createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { focusInvalidField, FormField, Icon, Logo } from "../components/index.ts";
import { type Message, t } from "../language/index.ts";
import { PasswordField } from "./PasswordField.tsx";
import { failureText, request, RequestFailed } from "./request.ts";
import { returnPath } from "./return-path.ts";
import { canSignIn, session, type SessionState, setSession, signOut } from "./session.ts";
import { signInWithPasskey, suggestsPasskeys, supportsPasskeys } from "./webauthn.ts";

const TARGET = returnPath(location.search, location.origin);

/** Reads and removes the secret of a one-time link from the address. */
function takeOneTimeLink(): string | undefined {
  const secret = new URLSearchParams(location.hash.slice(1)).get("once") ?? undefined;
  if (secret !== undefined) {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return secret;
}

/** The sign-in page. */
export function SignInPage() {
  const oneTimeLink = takeOneTimeLink();
  const [isSwitching, setIsSwitching] = createSignal(false);
  const account = () => (isSwitching() ? undefined : session()?.account);
  return (
    <div class="account-card is-sign-in">
      <Logo sizePx={48} />
      <Show when={oneTimeLink} fallback={<Show when={account()} fallback={<SignIn />}>{(current) => <SignedIn name={current().name} email={current().email} onSwitch={() => setIsSwitching(true)} />}</Show>}>
        {(link) => <OneTimeLink link={link()} />}
      </Show>
    </div>
  );
}

/** Leaves the page after signing in. */
function proceed(state: SessionState): void {
  setSession(state);
  location.replace(TARGET);
}

/** The error of an attempt, and whether the next one has to wait. */
function createAttempts() {
  const [error, setError] = createSignal<string>();
  const [isWaiting, setIsWaiting] = createSignal(false);
  let timer = 0;
  onCleanup(() => window.clearTimeout(timer));
  return {
    error,
    isWaiting,
    clear: () => setError(undefined),
    fail: (cause: unknown, wrong: Message) => {
      const isWrong = cause instanceof RequestFailed && (cause.code === "sign_in_failed" || cause.code === "bad_credentials");
      setError(isWrong ? t(wrong) : failureText(cause));
      if (cause instanceof RequestFailed && cause.retryAfterS !== undefined) {
        setIsWaiting(true);
        timer = window.setTimeout(() => {
          setIsWaiting(false);
          setError(t("You can try again now."));
        }, cause.retryAfterS * 1_000);
      }
    },
  };
}

function SignIn() {
  const methods = () => session()?.signIn ?? { password: false, passkey: false, header: false, providers: [] };
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
      <p class="account-card-note">{t("to continue to Quadrille")}</p>
      <Show when={attempts.error()}>
        <p class="account-error" role="alert" id="sign-in-error">
          {attempts.error()}
        </p>
      </Show>
      <Show when={canSignIn(methods())} fallback={<p>{methods().header ? t("The proxy in front of this server signs people in. Reload the page.") : t("This server has no way to sign in.")}</p>}>
        <Show when={methods().password}>
          <PasswordForm attempts={attempts} />
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
              <a class="button" href={`/_sign-in/${encodeURIComponent(id)}?return=${encodeURIComponent(TARGET)}`}>
                {t("Continue with {name}", { name })}
              </a>
            )}
          </For>
        </div>
      </Show>
      <a class="account-back" href="/">
        {t("Start page")}
      </a>
    </>
  );
}

function PasswordForm(props: { readonly attempts: ReturnType<typeof createAttempts> }) {
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
      proceed(await request<SessionState>("POST", "/api/v1/session", { email: email().trim(), password: password() }));
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
      <FormField label={t("Email address")} errorText={isChecked() && email().trim() === "" ? t("Enter your email address.") : undefined}>
        {(attributes) => (
          <input
            class="field"
            type="email"
            name="username"
            dir="ltr"
            autocomplete="username webauthn"
            autocapitalize="none"
            spellcheck={false}
            autofocus
            value={email()}
            onInput={(event) => setEmail(event.currentTarget.value)}
            {...attributes}
          />
        )}
      </FormField>
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
function OneTimeLink(props: { readonly link: string }) {
  const attempts = createAttempts();
  const [isSending, setIsSending] = createSignal(false);
  const use = async (): Promise<void> => {
    attempts.clear();
    setIsSending(true);
    try {
      setSession(await request<SessionState>("POST", "/api/v1/session", { link: props.link }));
      location.replace("/_account#password");
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
        <a class="button" href="/_sign-in">
          {t("Sign in another way")}
        </a>
      </div>
    </>
  );
}

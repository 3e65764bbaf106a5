/**
 * The account menu at the end of a header: who is signed in, with links to the account and to
 * administration, or a link for signing in. Empty on a server without accounts.
 */

import "../style/account-menu.css";
import { serverPath } from "../base-path.ts";
import { createEffect, createSignal, Match, onMount, Show, Switch } from "solid-js";
import { Icon, Popover } from "../components/index.ts";
import { initials } from "../presence/index.ts";
import { t } from "../language/index.ts";
import { failureText } from "./request.ts";
import { type Account, canSignIn, loadSession, type Provider, session, signInPath, signOut } from "./session.ts";

/** The account menu. */
export function AccountMenu(props: {
  /** Called to move the focus when the menu has closed. */
  readonly onClosed?: () => void;
  /** Called with the signed-in person, if there is one. */
  readonly onSignedIn?: (account: Account) => void;
  /** The page to show after signing out; this one by default. */
  readonly pathSignedOut?: string;
}) {
  onMount(() => {
    loadSession().catch((error: unknown) => {
      // The page works without; the next page tries again.
      console.warn("quadrille: the session could not be loaded:", error);
    });
  });
  createEffect(() => {
    const account = session()?.account;
    if (account) {
      props.onSignedIn?.(account);
    }
  });
  const offersSignIn = () => {
    const current = session();
    return current !== undefined && (current.access === "accounts" || canSignIn(current.signIn));
  };
  return (
    <Switch>
      <Match when={session()?.account}>{(account) => <SignedIn account={account()} {...props} />}</Match>
      <Match when={offersSignIn()}>
        <a class="button account-sign-in" href={signInPath(location.pathname + location.search + location.hash)} aria-label={t("Sign in")} title={t("Sign in")}>
          <Icon name="people" />
          <span class="button-text">{t("Sign in")}</span>
        </a>
      </Match>
    </Switch>
  );
}

function SignedIn(props: { readonly account: Account; readonly onClosed?: () => void; readonly pathSignedOut?: string }) {
  const [failure, setFailure] = createSignal<string>();
  /** Signs out, and at the provider too if there is one. */
  const leave = async (provider?: Provider): Promise<void> => {
    try {
      await signOut();
    } catch (error) {
      setFailure(failureText(error));
      return;
    }
    if (provider) {
      location.assign(serverPath(`/_sign-in/${encodeURIComponent(provider.id)}/sign-out`));
    } else if (props.pathSignedOut === undefined) {
      location.reload();
    } else {
      location.assign(props.pathSignedOut);
    }
  };
  return (
    <Popover
      isForViewers
      label={t("Account: {name}", { name: props.account.name })}
      hint={[props.account.name, props.account.email].filter(Boolean).join("\n")}
      buttonClass="account-button"
      placement="bottom-end"
      button={<AccountAvatar name={props.account.name} />}
      class="account-menu"
      onClosed={() => props.onClosed?.()}
    >
      {() => (
        <>
          <div class="account-who">
            <AccountAvatar name={props.account.name} />
            <p>
              <strong dir="auto">{props.account.name}</strong>
              <Show when={props.account.email}>
                <span dir="ltr">{props.account.email}</span>
              </Show>
            </p>
          </div>
          <ul>
            <li>
              <a class="menu-item" href={serverPath("/_account")}>
                <Icon name="people" />
                {t("Account")}
              </a>
            </li>
            <Show when={props.account.isAdmin}>
              <li>
                <a class="menu-item" href={serverPath("/_admin")}>
                  <Icon name="list" />
                  {t("Administration")}
                </a>
              </li>
            </Show>
            <li>
              <button type="button" class="menu-item" onClick={() => void leave()}>
                <Icon name="lock" />
                {t("Sign out")}
              </button>
            </li>
            <Show when={session()?.provider}>
              {(provider) => (
                <li>
                  <button type="button" class="menu-item" onClick={() => void leave(provider())}>
                    <Icon name="lock" />
                    {t("Sign out of {name} too", { name: provider().name })}
                  </button>
                </li>
              )}
            </Show>
          </ul>
          <Show when={failure()}>
            <p class="form-error" role="alert">
              {failure()}
            </p>
          </Show>
        </>
      )}
    </Popover>
  );
}

/** A circle with the initials of an account. */
export function AccountAvatar(props: { readonly name: string }) {
  return <span class="account-avatar" data-initials={initials(props.name)} aria-hidden="true" />;
}

/** The pages for sign-in, the own account and administration: their frame, and who may see them. */

import "../style/overlays.css";
import "../style/forms.css";
import "../style/accounts.css";
import { serverPath } from "../base-path.ts";
import { type Component, createEffect, createSignal, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { LanguageField, LazyBoundary, lazyComponent, LoadError, Logo } from "../components/index.ts";
import { type Message, t } from "../language/index.ts";
import { AccountMenu } from "./AccountMenu.tsx";
import { Notice } from "./Notice.tsx";
import type { AccountPageName } from "./page-paths.ts";
import { failureText, onSignedOut, onSignInAgain } from "./request.ts";
import { forgetAccount, loadSession, reloadSession, session, signInAgainPath, signInPath } from "./session.ts";

/** Loads the texts of these pages; must complete before a page is rendered. */
export { startAccountTexts } from "../language/index.ts";

const SignInPage = lazyComponent(() => import("./SignInPage.tsx").then((module) => module.SignInPage));
const PAGES: Readonly<Record<Exclude<AccountPageName, "sign-in">, Component>> = {
  account: lazyComponent(() => import("./AccountPage.tsx").then((module) => module.AccountPage)),
  admin: lazyComponent(() => import("./admin/AdminPage.tsx").then((module) => module.AdminPage)),
};
const TITLES: Readonly<Record<AccountPageName, Message>> = { "sign-in": "Sign in", account: "Account", admin: "Administration" };

/** One of these pages. */
export function AccountPages(props: { readonly page: AccountPageName }) {
  const [failure, setFailure] = createSignal<string>();
  /** Whether somebody was signed in since the page was opened. */
  const [wasSignedIn, setWasSignedIn] = createSignal(false);
  createEffect(() => {
    document.title = `${t(TITLES[props.page])} – Quadrille`;
  });
  createEffect(() => {
    if (session()?.account) {
      setWasSignedIn(true);
    }
  });
  const load = (): void => {
    setFailure(undefined);
    loadSession().catch((error: unknown) => setFailure(failureText(error)));
  };
  onMount(load);
  onCleanup(onSignedOut(forgetAccount));
  onCleanup(onSignInAgain(() => location.assign(signInAgainPath(location.pathname + location.hash))));
  // The session may have been ended in another window while this one was in the background.
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible" && session()) {
        reloadSession().catch(() => {
          // The next request reports the failure.
        });
      }
    },
    { signal: controller.signal },
  );
  const isAllowed = () => session()?.account != null && (props.page !== "admin" || session()?.account?.isAdmin === true);
  return (
    <div class="accounts">
      <Show when={props.page !== "sign-in"}>
        <header class="accounts-header">
          <a href={serverPath("/")} aria-label={t("Quadrille: start page")} title={t("Start page")}>
            <Logo sizePx={28} />
          </a>
          <h1>{t(TITLES[props.page])}</h1>
          <AccountMenu pathSignedOut={serverPath("/")} />
        </header>
      </Show>
      <main class="accounts-main">
        <LazyBoundary waiting={<Loading />} failed={(retry) => <LoadError onRetry={retry} />}>
          <Switch
            fallback={
              <Show when={failure()} fallback={<Loading />}>
                {(text) => (
                  <div class="account-card" role="alert">
                    <Show when={props.page === "sign-in"} fallback={<h2>{t("This page could not be loaded")}</h2>}>
                      <h1>{t("This page could not be loaded")}</h1>
                    </Show>
                    <p>{text()}</p>
                    <button type="button" class="button is-main" onClick={load}>
                      {t("Try again")}
                    </button>
                  </div>
                )}
              </Show>
            }
          >
            <Match when={session() && props.page === "sign-in"}>
              <SignInPage />
            </Match>
            <Match when={session() && isAllowed()}>
              <Page page={props.page} />
            </Match>
            <Match when={session()}>
              <NotAllowed page={props.page} wasSignedIn={wasSignedIn()} />
            </Match>
          </Switch>
        </LazyBoundary>
      </main>
      <footer class="accounts-footer">
        <LanguageField />
      </footer>
      <Notice />
    </div>
  );
}

function Page(props: { readonly page: AccountPageName }) {
  const Content = props.page === "sign-in" ? SignInPage : PAGES[props.page];
  return <Content />;
}

function Loading() {
  return (
    <div class="accounts-loading" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>{t("Loading…")}</p>
    </div>
  );
}

/** The message for somebody who is not signed in, or not as an administrator. */
function NotAllowed(props: { readonly page: AccountPageName; readonly wasSignedIn: boolean }) {
  let heading!: HTMLHeadingElement;
  onMount(() => heading.focus());
  const isSignedIn = () => session()?.account != null;
  return (
    <div class="account-card">
      <h2 ref={heading} tabIndex={-1}>
        {isSignedIn() ? t("Only administrators can open this page") : props.wasSignedIn ? t("You were signed out") : t("Sign in to continue")}
      </h2>
      <p>
        {isSignedIn()
          ? t("Ask an administrator of this server to give you the right.")
          : props.wasSignedIn
            ? t("This session was ended. Sign in again to continue.")
            : t("This page is for people with an account.")}
      </p>
      <div class="account-card-buttons">
        <a class="button" href={serverPath("/")}>
          {t("Start page")}
        </a>
        <a class="button is-main" href={signInPath(location.pathname + location.hash)}>
          {isSignedIn() ? t("Use another account") : t("Sign in")}
        </a>
      </div>
    </div>
  );
}

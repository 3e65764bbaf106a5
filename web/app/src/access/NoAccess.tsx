/**
 * The page in place of a workbook that does not open: the link needs a password, has ended or was
 * revoked, or the person has no access. The server does not tell whether the workbook exists.
 */

import "../style/share.css";
import { serverPath } from "../base-path.ts";
import { createResource, createSignal, Match, onMount, Show, Switch } from "solid-js";
import { FormField, Logo } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { AccessRefused, linkState, unlock } from "./access-api.ts";
import { keepUnlock, linkOf } from "./credentials.ts";
import { RequestForm } from "./RequestForm.tsx";
import { sessionInfo, signInPath } from "./session-info.ts";

/** The page "You need access". */
export function NoAccess(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const link = linkOf(model.room);
  const [state] = createResource(() => (link === undefined ? Promise.resolve("none" as const) : linkState(model.room, link).catch(() => "none" as const)));
  const [session] = createResource(sessionInfo);
  let heading!: HTMLHeadingElement;
  onMount(() => heading.focus());
  const title = (): string => {
    switch (state()) {
      case "locked":
        return t("This link needs a password");
      case "ended":
        return t("This link no longer works");
      default:
        return model.access.hasJoined() ? t("You no longer have access") : t("You need access");
    }
  };
  return (
    <main class="no-access" aria-labelledby="no-access-title">
      <div class="no-access-card">
        <Logo sizePx={40} />
        <h1 id="no-access-title" ref={heading} tabIndex={-1}>
          <Show when={state.state === "ready"} fallback={t("Opening the workbook…")}>
            {title()}
          </Show>
        </h1>
        <Switch>
          <Match when={state() === "locked" && link}>{(locked) => <PasswordForm model={model} link={locked()} />}</Match>
          <Match when={state() === "ended"}>
            <p>{t("The link has expired or was revoked. Ask whoever gave it to you for a new one, or request access.")}</p>
            <Ask model={model} />
          </Match>
          <Match when={state.state === "ready"}>
            <p>
              {model.access.hasJoined()
                ? t("Your access was removed while the workbook was open. Changes that were already saved are kept.")
                : t("Ask the owner for access, or open the workbook with a link that you were given.")}
            </p>
            <Ask model={model} />
          </Match>
        </Switch>
        <p class="no-access-links">
          <Show when={session()?.access === "accounts"}>
            <a class="button" href={signInPath()}>
              {session()?.account ? t("Use another account") : t("Sign in")}
            </a>
          </Show>
          <a class="button" href={serverPath("/")}>
            {t("Start page")}
          </a>
        </p>
        <Show when={session()?.account}>{(account) => <p class="panel-note">{t("You are signed in as {name}.", { name: account().email ?? account().name })}</p>}</Show>
      </div>
    </main>
  );
}

function Ask(props: { readonly model: WorkbookModel }) {
  return <RequestForm room={props.model.room} name={props.model.identity().name} />;
}

function PasswordForm(props: { readonly model: WorkbookModel; readonly link: string }) {
  const { model } = props;
  const [password, setPassword] = createSignal("");
  const [error, setError] = createSignal<string>();
  const [isChecking, setIsChecking] = createSignal(false);
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  const open = async (): Promise<void> => {
    setIsChecking(true);
    setError(undefined);
    try {
      keepUnlock(props.link, await unlock(model.room, props.link, password()));
      location.reload();
    } catch (refused) {
      const isWrong = refused instanceof AccessRefused && refused.code === "forbidden";
      setError(isWrong ? t("Wrong password. Try again.") : refused instanceof Error ? refused.message : String(refused));
      field.select();
    } finally {
      setIsChecking(false);
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void open();
      }}
    >
      <FormField label={t("Password")} errorText={error()}>
        {(attributes) => (
          <input
            {...attributes}
            ref={field}
            class="field"
            type="password"
            autocomplete="off"
            dir="ltr"
            value={password()}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </FormField>
      <button type="submit" class="button is-main" disabled={isChecking() || password() === ""}>
        {t("Open")}
      </button>
    </form>
  );
}

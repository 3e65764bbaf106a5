/** A section of the account page or of administration, and the states of its data. */

import { createUniqueId, type JSX, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { Remote } from "./remote.ts";
import { failureText } from "./request.ts";

/** A section with a heading and, beside it, its main action. */
export function Section(props: { readonly id?: string; readonly title: string; readonly note?: string; readonly action?: JSX.Element; readonly children: JSX.Element }) {
  const headingId = createUniqueId();
  return (
    <section class="account-section" id={props.id} aria-labelledby={headingId}>
      <div class="account-section-header">
        <div>
          <h2 id={headingId} tabIndex={-1}>
            {props.title}
          </h2>
          <Show when={props.note}>
            <p class="account-note">{props.note}</p>
          </Show>
        </div>
        {props.action}
      </div>
      {props.children}
    </section>
  );
}

/** Shows data once it is loaded; while loading a spinner, after a failure an error with a retry. */
export function Loaded<Data>(props: { readonly of: Remote<Data>; readonly children: (data: () => NonNullable<Data>) => JSX.Element }) {
  return (
    <>
      <Show when={props.of.error()}>{(error) => <Failure error={error()} onRetry={() => void props.of.reload()} />}</Show>
      <Show
        when={props.of.data() as NonNullable<Data> | undefined}
        fallback={
          <Show when={props.of.error() === undefined}>
            <p class="account-waiting" role="status">
              <span class="spinner is-small" aria-hidden="true" /> {t("Loading…")}
            </p>
          </Show>
        }
      >
        {(loaded) => props.children(loaded)}
      </Show>
    </>
  );
}

/** The error of a request with a button that repeats it. */
export function Failure(props: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <div class="account-error" role="alert">
      <p>{failureText(props.error)}</p>
      <button type="button" class="button" onClick={() => props.onRetry()}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** A row of a list: title, facts, and actions. */
export function Row(props: { readonly title: JSX.Element; readonly badges?: JSX.Element; readonly facts: JSX.Element; readonly actions?: JSX.Element }) {
  return (
    <li class="account-row">
      <div class="account-row-texts">
        <p class="account-row-title">
          {props.title} {props.badges}
        </p>
        <p class="account-row-facts">{props.facts}</p>
      </div>
      <div class="account-row-actions">{props.actions}</div>
    </li>
  );
}

/** A list of API tokens that can be revoked: those of one account, or of all. */

import { createSignal, For, type JSX, Show } from "solid-js";
import { ago, type Message, moment, t } from "../language/index.ts";
import type { ApiToken, Scope } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { notify } from "./Notice.tsx";
import { Row } from "./Section.tsx";

/** Names of the scopes. */
const SCOPES: Readonly<Record<Scope, Message>> = { read: "Read", write: "Read and write", admin: "Full access" };

/** Scope, workbooks and times of a token. */
function TokenFacts(props: { readonly token: ApiToken }) {
  const rooms = () => props.token.rooms;
  return (
    <>
      <span>{t(SCOPES[props.token.scope])}</span>
      <Show when={rooms()} fallback={<span>{t("All workbooks")}</span>}>
        {(names) => <bdi>{names().join(", ")}</bdi>}
      </Show>
      <span>{props.token.expiresMs === null ? t("Does not expire") : props.token.expiresMs < Date.now() ? t("Expired {time}", { time: moment(props.token.expiresMs) }) : t("Expires {time}", { time: moment(props.token.expiresMs) })}</span>
      <span>{props.token.lastUsedMs > 0 ? t("Last used {time}", { time: ago(props.token.lastUsedMs) }) : t("Never used")}</span>
    </>
  );
}

/** The tokens, and the question before one is revoked. */
export function TokenList<Token extends ApiToken>(props: {
  readonly tokens: readonly Token[];
  /** Shown before the facts of a token. */
  readonly owner?: (token: Token) => JSX.Element;
  readonly revoke: (id: string) => Promise<unknown>;
  readonly onRevoked: () => void;
}) {
  const [revoked, setRevoked] = createSignal<Pick<ApiToken, "id" | "label">>();
  return (
    <>
      <ul class="account-rows">
        <For each={props.tokens} fallback={<li class="account-empty">{t("No tokens yet")}</li>}>
          {(token) => (
            <Row
              title={<bdi>{token.label}</bdi>}
              facts={
                <>
                  {props.owner?.(token)}
                  <TokenFacts token={token} />
                </>
              }
              actions={
                <button type="button" class="button" aria-label={t("Revoke: {name}", { name: token.label })} onClick={() => setRevoked({ id: token.id, label: token.label })}>
                  {t("Revoke")}
                </button>
              }
            />
          )}
        </For>
      </ul>
      <Show when={revoked()} keyed>
        {(token) => (
          <ConfirmDialog
            title={t("Revoke this token?")}
            action={t("Revoke")}
            onConfirm={() => props.revoke(token.id)}
            onClose={(isDone) => {
              setRevoked(undefined);
              if (isDone) {
                notify(t("The token was revoked."));
                props.onRevoked();
              }
            }}
          >
            <p>{t("Programs that use {name} lose access at once.", { name: token.label })}</p>
          </ConfirmDialog>
        )}
      </Show>
    </>
  );
}

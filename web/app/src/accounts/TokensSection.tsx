/** The API tokens of the own account. */

import { createSignal, For, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { ago, type Message, moment, t } from "../language/index.ts";
import { type ApiToken, readTokens, revokeToken, type Scope } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { notify } from "./Notice.tsx";
import { createRemote } from "./remote.ts";
import { Loaded, Row, Section } from "./Section.tsx";
import { TokenDialog } from "./TokenDialog.tsx";

/** Names of the scopes. */
export const SCOPES: Readonly<Record<Scope, Message>> = { read: "Read", write: "Read and write", admin: "Full access" };

/** Scope, workbooks and times of a token. */
export function TokenFacts(props: { readonly token: ApiToken }) {
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

/** Creates and revokes tokens. */
export function TokensSection() {
  const tokens = createRemote(readTokens);
  const [isCreating, setIsCreating] = createSignal(false);
  const [revoked, setRevoked] = createSignal<ApiToken>();
  return (
    <Section
      id="tokens"
      title={t("API tokens")}
      note={t("With a token, a program uses the REST API in your name.")}
      action={
        <button type="button" class="button" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          {t("Create token")}
        </button>
      }
    >
      <Loaded of={tokens}>
        {(list) => (
          <ul class="account-rows">
            <For each={list()} fallback={<li class="account-empty">{t("No tokens yet")}</li>}>
              {(token) => (
                <Row
                  title={<bdi>{token.label}</bdi>}
                  facts={<TokenFacts token={token} />}
                  actions={
                    <button type="button" class="button" aria-label={t("Revoke: {name}", { name: token.label })} onClick={() => setRevoked(token)}>
                      {t("Revoke")}
                    </button>
                  }
                />
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <Show when={isCreating()}>
        <TokenDialog
          onClose={(isDone) => {
            setIsCreating(false);
            if (isDone) {
              void tokens.reload();
            }
          }}
        />
      </Show>
      <Show when={revoked()} keyed>
        {(token) => (
          <ConfirmDialog
            title={t("Revoke this token?")}
            action={t("Revoke")}
            onConfirm={() => revokeToken(token.id)}
            onClose={(isDone) => {
              setRevoked(undefined);
              if (isDone) {
                notify(t("The token was revoked."));
                void tokens.reload();
              }
            }}
          >
            <p>{t("Programs that use {name} lose access at once.", { name: token.label })}</p>
          </ConfirmDialog>
        )}
      </Show>
    </Section>
  );
}

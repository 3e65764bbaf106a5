/** The API tokens of all accounts. */

import { createSignal, For, Show } from "solid-js";
import { t } from "../../language/index.ts";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { notify } from "../Notice.tsx";
import { createRemoteList } from "../remote.ts";
import { Loaded, Row, Section } from "../Section.tsx";
import { TokenFacts } from "../TokensSection.tsx";
import { type ManagedToken, readAllTokens, revokeAnyToken } from "./admin-data.ts";
import { MoreButton } from "./MoreButton.tsx";

/** Lists and revokes the API tokens of all accounts. */
export function AllTokensSection() {
  const tokens = createRemoteList(
    () => undefined,
    (_, after) => readAllTokens(after),
  );
  const [revoked, setRevoked] = createSignal<ManagedToken>();
  return (
    <Section title={t("API tokens")} note={t("Keys by which programs act in the name of accounts.")}>
      <Loaded of={tokens}>
        {(page) => (
          <ul class="account-rows">
            <For each={page().items} fallback={<li class="account-empty">{t("No tokens yet")}</li>}>
              {(token) => (
                <Row
                  title={<bdi>{token.label}</bdi>}
                  facts={
                    <>
                      <bdi>{token.account.name}</bdi>
                      <TokenFacts token={token} />
                    </>
                  }
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
      <MoreButton of={tokens} />
      <Show when={revoked()} keyed>
        {(token) => (
          <ConfirmDialog
            title={t("Revoke this token?")}
            action={t("Revoke")}
            onConfirm={() => revokeAnyToken(token.id)}
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

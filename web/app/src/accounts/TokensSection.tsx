/** The API tokens of the own account. */

import { createSignal, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import { readTokens, revokeToken } from "./account-data.ts";
import { createRemote } from "./remote.ts";
import { Loaded, Section } from "./Section.tsx";
import { TokenDialog } from "./TokenDialog.tsx";
import { TokenList } from "./TokenList.tsx";

/** Creates and revokes tokens. */
export function TokensSection() {
  const tokens = createRemote(readTokens);
  const [isCreating, setIsCreating] = createSignal(false);
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
        {(list) => <TokenList tokens={list()} revoke={revokeToken} onRevoked={() => void tokens.reload()} />}
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
    </Section>
  );
}

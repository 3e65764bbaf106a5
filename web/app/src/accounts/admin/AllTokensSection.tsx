/** The API tokens of all accounts. */

import { t } from "../../language/index.ts";
import { createRemoteList } from "../remote.ts";
import { Loaded, Section } from "../Section.tsx";
import { TokenList } from "../TokenList.tsx";
import { readAllTokens, revokeAnyToken } from "./admin-data.ts";
import { MoreButton } from "./MoreButton.tsx";

/** Lists and revokes the API tokens of all accounts. */
export function AllTokensSection() {
  const tokens = createRemoteList(
    () => undefined,
    (_, after) => readAllTokens(after),
  );
  return (
    <Section title={t("API tokens")} note={t("Keys by which programs act in the name of accounts.")}>
      <Loaded of={tokens}>
        {(page) => <TokenList tokens={page().items} owner={(token) => <bdi>{token.account.name}</bdi>} revoke={revokeAnyToken} onRevoked={() => void tokens.reload()} />}
      </Loaded>
      <MoreButton of={tokens} />
    </Section>
  );
}

/** The page of the own account, `/_account`. */

import { serverPath } from "../base-path.ts";
import { createSignal, onMount, Show } from "solid-js";
import { t } from "../language/index.ts";
import { readAccount } from "./account-data.ts";
import { DataSection } from "./DataSection.tsx";
import { NotificationsSection } from "./NotificationsSection.tsx";
import { PasskeysSection } from "./PasskeysSection.tsx";
import { PasswordSection } from "./PasswordSection.tsx";
import { ProfileSection } from "./ProfileSection.tsx";
import { ProvidersSection } from "./ProvidersSection.tsx";
import { createRemote } from "./remote.ts";
import { Loaded } from "./Section.tsx";
import { session } from "./session.ts";
import { SessionsSection } from "./SessionsSection.tsx";
import { TokensSection } from "./TokensSection.tsx";

/** The page of the own account. */
export function AccountPage() {
  const account = createRemote(readAccount);
  /** Rises when sessions may have changed. */
  const [sessionChanges, setSessionChanges] = createSignal(0);
  const signIn = () => session()?.signIn;
  return (
    <div class="account-sections">
      <Loaded of={account}>
        {(details) => {
          onMount(() => {
            // The sections exist only now.
            const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
            target?.scrollIntoView();
            target?.querySelector<HTMLElement>("h2")?.focus();
          });
          return (
            <>
              <ProfileSection account={details()} onChanged={() => void account.reload()} />
              <Show when={signIn()?.password || details().hasPassword}>
                <PasswordSection
                  account={details()}
                  onChanged={() => {
                    void account.reload();
                    setSessionChanges((count) => count + 1);
                  }}
                />
              </Show>
              <Show when={signIn()?.passkey || details().passkeys.length > 0}>
                <PasskeysSection passkeys={details().passkeys} onChanged={() => void account.reload()} />
              </Show>
              <Show when={(signIn()?.providers.length ?? 0) > 0}>
                <ProvidersSection identities={details().identities} providers={signIn()?.providers ?? []} onChanged={() => void account.reload()} />
              </Show>
              <Show when={details().canGetNotificationMail}>
                <NotificationsSection account={details()} onChanged={account.set} />
              </Show>
              <SessionsSection changes={sessionChanges()} />
              <TokensSection />
              <DataSection account={details()} />
            </>
          );
        }}
      </Loaded>
      <a class="account-back" href={serverPath("/")}>
        {t("Start page")}
      </a>
    </div>
  );
}

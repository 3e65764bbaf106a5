/** The sessions of all accounts. */

import { For } from "solid-js";
import { t } from "../../language/index.ts";
import { notify } from "../Notice.tsx";
import { createRemoteList } from "../remote.ts";
import { failureText } from "../request.ts";
import { Loaded, Row, Section } from "../Section.tsx";
import { deviceName, SessionFacts } from "../SessionsSection.tsx";
import { endAnySession, type ManagedSession, readAllSessions } from "./admin-data.ts";
import { MoreButton } from "./MoreButton.tsx";

/** Lists and ends the sessions of all accounts. */
export function AllSessionsSection() {
  const sessions = createRemoteList(
    () => undefined,
    (_, after) => readAllSessions(after),
  );
  const end = async (session: ManagedSession): Promise<void> => {
    try {
      await endAnySession(session.id);
      notify(t("The session was ended."));
    } catch (error) {
      notify(failureText(error));
    }
    await sessions.reload();
  };
  return (
    <Section title={t("Sessions")} note={t("Browsers in which people are signed in.")}>
      <Loaded of={sessions}>
        {(page) => (
          <ul class="account-rows">
            <For each={page().items} fallback={<li class="account-empty">{t("Nobody is signed in")}</li>}>
              {(session) => (
                <Row
                  title={<bdi>{session.account.name}</bdi>}
                  facts={
                    <>
                      <span>{deviceName(session)}</span>
                      <SessionFacts session={session} />
                    </>
                  }
                  actions={
                    <button type="button" class="button" aria-label={t("End session: {name}", { name: session.account.name })} onClick={() => void end(session)}>
                      {t("End session")}
                    </button>
                  }
                />
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <MoreButton of={sessions} />
    </Section>
  );
}

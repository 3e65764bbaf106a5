/** The browsers in which the own account is signed in. */

import { createEffect, createSignal, For, on, Show } from "solid-js";
import { ago, moment, t } from "../language/index.ts";
import { type BrowserSession, endOtherSessions, endSession, readSessions } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { notify } from "./Notice.tsx";
import { createRemote } from "./remote.ts";
import { failureText } from "./request.ts";
import { Loaded, Row, Section } from "./Section.tsx";
import { browserAndSystem } from "./user-agent.ts";

/** The browser and system of a session, as one name. */
export function deviceName({ userAgent }: Pick<BrowserSession, "userAgent">): string {
  const { browser, system } = browserAndSystem(userAgent);
  return browser && system ? t("{browser} on {system}", { browser, system }) : (browser ?? system ?? t("Unknown device"));
}

/** Times and address of a session. */
export function SessionFacts(props: { readonly session: BrowserSession }) {
  return (
    <>
      <span>{t("Last active {time}", { time: ago(Math.max(props.session.lastUsedMs, props.session.createdMs)) })}</span>
      <span>{t("Signed in {time}", { time: moment(props.session.createdMs) })}</span>
      <Show when={props.session.address}>
        <span dir="ltr">{props.session.address}</span>
      </Show>
    </>
  );
}

/** Lists sessions and ends them. */
export function SessionsSection(props: { readonly changes: number }) {
  const sessions = createRemote(readSessions);
  const [isEndingOthers, setIsEndingOthers] = createSignal(false);
  createEffect(on(() => props.changes, () => void sessions.reload(), { defer: true }));
  const end = async (ended: BrowserSession): Promise<void> => {
    try {
      await endSession(ended.id);
      notify(t("The session was ended."));
    } catch (error) {
      notify(failureText(error));
    }
    await sessions.reload();
  };
  const others = () => (sessions.data() ?? []).filter((session) => session.isCurrent !== true);
  return (
    <Section
      id="sessions"
      title={t("Your devices")}
      note={t("Browsers in which you are signed in. End a session that you do not recognize, and change your password.")}
      action={
        <Show when={others().length > 0}>
          <button type="button" class="button" onClick={() => setIsEndingOthers(true)}>
            {t("Sign out everywhere else")}
          </button>
        </Show>
      }
    >
      <Loaded of={sessions}>
        {(list) => (
          <ul class="account-rows">
            <For each={list()}>
              {(session) => (
                <Row
                  title={deviceName(session)}
                  badges={
                    <Show when={session.isCurrent}>
                      <span class="badge is-accent">{t("This device")}</span>
                    </Show>
                  }
                  facts={<SessionFacts session={session} />}
                  actions={
                    <Show when={!session.isCurrent}>
                      <button type="button" class="button" aria-label={t("Sign out: {name}", { name: deviceName(session) })} onClick={() => void end(session)}>
                        {t("Sign out")}
                      </button>
                    </Show>
                  }
                />
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <Show when={isEndingOthers()}>
        <ConfirmDialog
          title={t("Sign out everywhere else?")}
          action={t("Sign out")}
          onConfirm={endOtherSessions}
          onClose={(isDone) => {
            setIsEndingOthers(false);
            if (isDone) {
              notify(t("You were signed out in all other browsers."));
              void sessions.reload();
            }
          }}
        >
          <p>{t("All sessions except this one end at once.")}</p>
        </ConfirmDialog>
      </Show>
    </Section>
  );
}

/** The audit log of the server. */

import { createEffect, createSignal, For, Show } from "solid-js";
import { Icon } from "../../components/index.ts";
import { type Message, moment, t } from "../../language/index.ts";
import { createDelayed, createRemoteList } from "../remote.ts";
import { Loaded, Section } from "../Section.tsx";
import { accountIdOf, type AuditEntry, auditDownloadPath, readAudit } from "./admin-data.ts";
import { EVENTS, eventText } from "./audit-events.ts";
import { MoreButton } from "./MoreButton.tsx";
import { SearchField } from "./SearchField.tsx";

const ACTORS: Readonly<Record<string, Message>> = {
  anonymous: "Anonymous",
  ownerKey: "Owner link",
  link: "Share link",
  token: "API token",
  host: "Host application",
  operator: "Command line",
  server: "Server",
};

function actorText({ actor }: AuditEntry): string {
  const kind = ACTORS[actor.kind];
  return [kind && t(kind), actor.name ?? (kind ? undefined : actor.id)].filter(Boolean).join(" · ");
}

/** Lists the entries of the audit log, newest first. */
export function AuditSection() {
  const [event, setEvent] = createSignal("");
  const [room, setRoom] = createSignal("");
  const [account, setAccount] = createSignal("");
  const typedRoom = createDelayed(() => room().trim());
  const typedAccount = createDelayed(() => account().trim());
  /** The account of the filter; `undefined` when none has the typed name. */
  const [accountId, setAccountId] = createSignal<string | undefined>("");
  createEffect(() => {
    const text = typedAccount();
    void accountIdOf(text)
      .catch(() => undefined)
      .then((id) => {
        if (text === typedAccount()) {
          setAccountId(id);
        }
      });
  });
  const filter = () => ({ event: event(), room: typedRoom(), account: accountId() ?? "" });
  const entries = createRemoteList(
    () => ({ filter: filter(), isEmpty: accountId() === undefined }),
    async (query, before) => (query.isEmpty ? { items: [], next: null } : readAudit(query.filter, before)),
  );
  const isFiltered = () => accountId() === undefined || Object.values(filter()).some((value) => value !== "");
  return (
    <Section
      title={t("Audit log")}
      note={t("Who changed access, accounts and tokens, and who exported or deleted workbooks. It contains no cells.")}
      action={
        <a class="button" href={auditDownloadPath(filter())} download="">
          <Icon name="download" />
          {t("Download")}
        </a>
      }
    >
      <div class="admin-filters">
        <select class="field" aria-label={t("Event")} onChange={(change) => setEvent(change.currentTarget.value)}>
          <option value="">{t("All events")}</option>
          <For each={EVENTS}>{(name) => <option value={name}>{eventText(name)}</option>}</For>
        </select>
        <SearchField label={t("Workbook")} value={room()} onInput={setRoom} />
        <SearchField label={t("Account or email address")} value={account()} onInput={setAccount} />
      </div>
      <Loaded of={entries}>
        {(page) => (
          <Show when={page().items.length > 0} fallback={<p class="account-empty">{isFiltered() ? t("Nothing found") : t("No entries yet")}</p>}>
            <div class="admin-table-scroll" tabIndex={0} role="group" aria-label={t("Audit log")}>
              <table class="admin-table">
                <thead>
                  <tr>
                    <th scope="col">{t("Time")}</th>
                    <th scope="col">{t("Person")}</th>
                    <th scope="col">{t("Event")}</th>
                    <th scope="col">{t("Workbook")}</th>
                    <th scope="col">{t("Details")}</th>
                    <th scope="col">{t("Address")}</th>
                  </tr>
                </thead>
                <tbody>
                  <For each={page().items}>
                    {(entry) => (
                      <tr>
                        <td>{moment(entry.timeMs)}</td>
                        <td dir="auto">{actorText(entry)}</td>
                        <td>{eventText(entry.event)}</td>
                        <td dir="ltr">{entry.room}</td>
                        <td dir="auto">{entry.target}</td>
                        <td dir="ltr">{entry.address}</td>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </div>
          </Show>
        )}
      </Loaded>
      <MoreButton of={entries} />
    </Section>
  );
}

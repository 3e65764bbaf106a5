/** Numbers of the whole server. */

import { For, Show } from "solid-js";
import { type Message, showNumber, t } from "../../language/index.ts";
import { createRemote } from "../remote.ts";
import { Loaded, Section } from "../Section.tsx";
import { type Overview, readOverview } from "./admin-data.ts";
import { showBytes } from "./bytes.ts";

const FIGURES: readonly (readonly [name: keyof Overview, label: Message, section?: string])[] = [
  ["accounts", "Accounts", "accounts"],
  ["admins", "Administrators", "accounts"],
  ["disabledAccounts", "Disabled accounts", "accounts"],
  ["workbooks", "Workbooks", "workbooks"],
  ["trashedWorkbooks", "In the trash", "workbooks"],
  ["storedBytes", "Storage used"],
  ["openRooms", "Open workbooks"],
  ["people", "People connected"],
  ["sessions", "Sessions", "sessions"],
  ["tokens", "API tokens", "tokens"],
];

/** Numbers of the whole server. */
export function OverviewSection() {
  const overview = createRemote(readOverview);
  return (
    <Section title={t("Overview")}>
      <Loaded of={overview}>
        {(data) => (
          <>
            <dl class="admin-figures">
              <For each={FIGURES.filter(([name]) => data()[name] !== undefined)}>
                {([name, label, section]) => {
                  const value = () => Number(data()[name]);
                  return (
                    <div>
                      <dt>
                        <Show when={section} fallback={t(label)}>
                          <a href={`#${section ?? ""}`}>{t(label)}</a>
                        </Show>
                      </dt>
                      <dd>{name === "storedBytes" ? showBytes(value()) : showNumber(value())}</dd>
                    </div>
                  );
                }}
              </For>
            </dl>
            <Show when={data().version}>
              <p class="account-note">{t("Version {version}", { version: data().version ?? "" })}</p>
            </Show>
          </>
        )}
      </Loaded>
    </Section>
  );
}

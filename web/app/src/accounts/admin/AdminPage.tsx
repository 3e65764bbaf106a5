/** The administration of the server, `/_admin#section`. */

import { type Component, createEffect, createSignal, For, on, onCleanup } from "solid-js";
import { type Message, t } from "../../language/index.ts";
import { AccountsSection } from "./AccountsSection.tsx";
import { AllSessionsSection } from "./AllSessionsSection.tsx";
import { AllTokensSection } from "./AllTokensSection.tsx";
import { AuditSection } from "./AuditSection.tsx";
import { OverviewSection } from "./OverviewSection.tsx";
import { TenantsSection } from "./TenantsSection.tsx";
import { WorkbooksSection } from "./WorkbooksSection.tsx";

const SECTIONS: readonly (readonly [name: string, title: Message, component: Component])[] = [
  ["overview", "Overview", OverviewSection],
  ["accounts", "Accounts", AccountsSection],
  ["workbooks", "Workbooks", WorkbooksSection],
  ["sessions", "Sessions", AllSessionsSection],
  ["tokens", "API tokens", AllTokensSection],
  ["tenants", "Tenants and quotas", TenantsSection],
  ["audit", "Audit log", AuditSection],
];

function sectionOfHash(): string {
  const name = location.hash.slice(1);
  return SECTIONS.some(([known]) => known === name) ? name : "overview";
}

/** The administration page: sections that a list of links opens. */
export function AdminPage() {
  const [section, setSection] = createSignal(sectionOfHash());
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  window.addEventListener("hashchange", () => setSection(sectionOfHash()), { signal: controller.signal });
  let content!: HTMLDivElement;
  createEffect(
    on(
      section,
      () => {
        window.scrollTo(0, 0);
        content.querySelector<HTMLElement>("h2")?.focus();
      },
      { defer: true },
    ),
  );
  return (
    <div class="admin">
      <nav class="admin-nav" aria-label={t("Administration")}>
        <ul>
          <For each={SECTIONS}>
            {([name, title]) => (
              <li>
                <a
                  href={`#${name}`}
                  aria-current={section() === name ? "page" : undefined}
                  ref={(link) =>
                    // On phones the links are in one line that scrolls.
                    createEffect(() => {
                      if (section() === name) {
                        link.scrollIntoView({ block: "nearest", inline: "center" });
                      }
                    })
                  }
                >
                  {t(title)}
                </a>
              </li>
            )}
          </For>
        </ul>
      </nav>
      <div class="account-sections" ref={content}>
        <For each={SECTIONS.filter(([name]) => name === section())}>{([, , Content]) => <Content />}</For>
      </div>
    </div>
  );
}

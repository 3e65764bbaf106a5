/** The workbooks that may import from this one. */

import { Show } from "solid-js";
import { KeyedFor } from "../components/index.ts";
import { ago, t } from "../language/index.ts";
import type { Act } from "./act.ts";
import { type AllowedImport, revokeImport } from "./access-api.ts";

/** The list of workbooks that may import; nothing while there are none. */
export function Imports(props: { readonly room: string; readonly imports: readonly AllowedImport[]; readonly act: Act }) {
  return (
    <Show when={props.imports.length > 0}>
      <section class="share-section" aria-labelledby="share-imports">
        <h3 id="share-imports">{t("Imports")}</h3>
        <p class="panel-note">{t("These workbooks show cells of this one to everybody who opens them.")}</p>
        <ul class="share-list">
          <KeyedFor each={props.imports} by={({ room }) => room}>
            {(allowed) => (
              <li class="share-row">
                <div class="share-who">
                  <span dir="auto">{allowed().room}</span>
                  <span class="share-detail">{details(allowed())}</span>
                </div>
                <button
                  type="button"
                  class="button"
                  aria-label={t("Revoke the access of {name}", { name: allowed().room })}
                  onClick={() => void props.act(() => revokeImport(props.room, allowed().room))}
                >
                  {t("Revoke")}
                </button>
              </li>
            )}
          </KeyedFor>
        </ul>
      </section>
    </Show>
  );
}

function details(allowed: AllowedImport): string {
  const time = ago(allowed.createdMs);
  return allowed.allowedBy === null ? t("Allowed {time}", { time }) : t("Allowed by {name}, {time}", { name: allowed.allowedBy, time });
}

/** The general access of a workbook. */

import { Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import { setGeneral, type WorkbookAccess } from "./access-api.ts";
import { RoleSelect } from "./RoleSelect.tsx";
import { generalOf, generalRole, generalText } from "./roles.ts";
import type { Act } from "./act.ts";

/** The menus of the general access. */
export function GeneralAccessForm(props: { readonly room: string; readonly access: WorkbookAccess; readonly act: Act }) {
  const role = () => generalRole(props.access);
  return (
    <section class="share-section" aria-labelledby="share-general">
      <h3 id="share-general">{t("General access")}</h3>
      <div class="share-row">
        <span class="share-badge" aria-hidden="true">
          <Icon name={role() === undefined ? "lock" : "people"} />
        </span>
        <div class="share-who">
          <select
            class="field share-general"
            aria-label={t("General access")}
            onChange={(event) => {
              const isRestricted = event.currentTarget.value === "restricted";
              void props.act(() => setGeneral(props.room, isRestricted ? "restricted" : generalOf(role() ?? "view")));
            }}
          >
            <option value="restricted" selected={role() === undefined}>
              {t("Restricted")}
            </option>
            <option value="anyone" selected={role() !== undefined}>
              {t("Anyone with the link")}
            </option>
          </select>
          <p class="panel-note">
            {generalText(role())} <Show when={props.access.general === "default"}>{t("This is the default of the server.")}</Show>
          </p>
        </div>
        <Show when={role()}>
          {(given) => (
            <RoleSelect
              label={t("Role of anyone with the link")}
              value={given()}
              onChange={(chosen) => void props.act(() => setGeneral(props.room, chosen))}
            />
          )}
        </Show>
      </div>
    </section>
  );
}

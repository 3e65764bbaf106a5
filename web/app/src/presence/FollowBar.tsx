/** Over the sheet while somebody is followed: who it is, and the way out. */

import { cssColor, lightened } from "@quadrille/grid";
import { Show } from "solid-js";
import { t } from "../language/language.ts";
import { isDark } from "../theme/color-scheme.ts";
import type { WorkbookModel } from "../state/workbook-model.ts";

export function FollowBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  /** As the person's frame in the sheet. */
  const shown = (color: number): string => {
    model.schemeChanges();
    return cssColor(isDark() ? lightened(color) : color);
  };
  return (
    <Show when={model.following.person()}>
      {(person) => (
        <section class="follow-bar" aria-label={t("Following somebody")} style={{ "--person": shown(person().color) }}>
          <span role="status">{t("Following {name}", { name: person().name })}</span>
          <button type="button" class="button is-quiet" onClick={() => model.following.stop()}>
            {t("Stop")}
          </button>
        </section>
      )}
    </Show>
  );
}

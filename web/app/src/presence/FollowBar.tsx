/** Over the sheet while somebody is followed: who it is, and the way out. */

import { cssColor, lightenedForDark } from "@quadrille/grid";
import { Show } from "solid-js";
import { t } from "../language/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";

export function FollowBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  /** As the person's frame in the sheet. */
  const shown = (color: number): string => {
    model.schemeChanges();
    return cssColor(isDark() ? lightenedForDark(color) : color);
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

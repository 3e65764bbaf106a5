/** The bar above the sheet while a person is followed: the name, and a button to stop. */

import { cssColor, lightenedForDark } from "@quadrille/grid";
import { Show } from "solid-js";
import { t } from "../language/index.ts";
import { isDark } from "../theme/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Shows who is followed. */
export function FollowBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  /** The color of the frame of the person in the sheet. */
  const frameColor = (color: number): string => {
    model.schemeChanges();
    return cssColor(isDark() ? lightenedForDark(color) : color);
  };
  return (
    <Show when={model.following.person()}>
      {(person) => (
        <section class="follow-bar" aria-label={t("Following a user")} style={{ "--person": frameColor(person().color) }}>
          <span role="status">{t("Following {name}", { name: person().name })}</span>
          <button type="button" class="button is-quiet" onClick={() => model.following.stop()}>
            {t("Stop following")}
          </button>
        </section>
      )}
    </Show>
  );
}

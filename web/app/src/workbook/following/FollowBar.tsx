/** Over the sheet while somebody is followed: who it is, and the way out. */

import { cssColor } from "@quadrille/grid";
import { Show } from "solid-js";
import { t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";

export function FollowBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <Show when={model.following.person()}>
      {(person) => (
        <section class="follow-bar" aria-label={t("Following somebody")} style={{ "--person": cssColor(person().color) }}>
          <span role="status">{t("Following {name}", { name: person().name })}</span>
          <button type="button" class="button is-quiet" onClick={() => model.following.stop()}>
            {t("Stop")}
          </button>
        </section>
      )}
    </Show>
  );
}

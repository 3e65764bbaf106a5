/** The bar above the sheet while edits become suggestions, with the way back to editing. */

import { Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The bar of the suggestion mode. */
export function SuggestionBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <Show when={model.suggestions.isSwitchedOn() && model.suggestions.isOn()}>
      <section class="view-bar" aria-label={t("Suggesting")}>
        <Icon name="edit" />
        <strong>{t("Suggesting")}</strong>
        <span class="view-note">{t("What you enter is a suggestion until somebody accepts it.")}</span>
        <span class="view-buttons">
          <button type="button" class="button is-quiet" onClick={() => model.openPanel("suggestions")}>
            {t("Suggestions|of edits")}
          </button>
          <button type="button" class="button is-main" onClick={() => model.suggestions.switchTo(false)}>
            {t("Back to editing")}
          </button>
        </span>
      </section>
    </Show>
  );
}

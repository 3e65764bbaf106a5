/** The menu entries that answer the suggestions for the active cell. */

import { Show } from "solid-js";
import { MenuItem } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { suggestionsAt } from "../suggestions/index.ts";

/** The entries; none while the active cell has no suggestion. */
export function SuggestionEntries(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const answers = () => import("../suggestions/answer.ts");
  const suggestions = () => suggestionsAt(model);
  return (
    <Show when={suggestions().length > 0}>
      <MenuItem icon="check" isForCommenters onSelect={() => void answers().then(({ accept }) => accept(model, suggestions()))}>
        {t("Accept suggestion")}
      </MenuItem>
      <MenuItem icon="close" isForCommenters onSelect={() => void answers().then(({ reject }) => reject(model, suggestions()))}>
        {t("Reject suggestion")}
      </MenuItem>
    </Show>
  );
}

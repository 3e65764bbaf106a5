/** The suggestions for the active cell, on a card below it. */

import "../style/suggestions.css";
import "../style/comments.css";
import { createMemo, For, Show } from "solid-js";
import { direction, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { SuggestionCard } from "./SuggestionCard.tsx";
import { suggestionsAt } from "./suggestions.ts";

const GAP_PX = 6;
const WIDTH_PX = 280;

/** Shows the card while the active cell has suggestions and is not edited. */
export function CellSuggestions(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const suggestions = createMemo(() => (model.cellEdit.edit() ? [] : suggestionsAt(model)));
  const position = createMemo(() => {
    model.layout();
    const boxes = model.cellBox(model.selection().active);
    if (!boxes) {
      return undefined;
    }
    const { box, cells } = boxes;
    const isVisible = box.y + box.height > cells.y && box.y < cells.y + cells.height;
    const x = Math.max(cells.x, Math.min(box.x, cells.x + cells.width - WIDTH_PX));
    return isVisible ? `translate(${Math.round(x)}px, ${Math.round(box.y + box.height + GAP_PX)}px)` : undefined;
  });
  const present = () => model.selectionDetails.text();
  return (
    <Show when={position() !== undefined && model.panel() !== "suggestions" && suggestions().length > 0}>
      <div class="suggestion-card grid-overlay" dir={direction()} role="group" aria-label={t("Suggestions|of edits")} style={{ transform: position() ?? "" }}>
        <For each={suggestions()}>{(suggestion) => <SuggestionCard model={model} suggestion={suggestion} present={present()} />}</For>
      </div>
    </Show>
  );
}

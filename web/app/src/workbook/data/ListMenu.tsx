/** The values that a cell may have, to choose from. */

import { type Cell, cellName, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createResource, For } from "solid-js";
import { t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";
import { placeOf } from "../places.ts";

/** The validation of a cell; of several the last one made. */
export function validationAt(model: WorkbookModel, cell: Cell): ItemDetails | undefined {
  return model.items.ofKind("validation").findLast((item) =>
    item.anchors.some((anchor) => {
      const range = parseRange(anchor);
      return range !== undefined && contains(range, cell);
    }),
  );
}

/** Written down with the rule, or in the cells that it names. */
export async function choicesOf(model: WorkbookModel, item: ItemDetails): Promise<readonly string[]> {
  const { choices, formula1 } = item.fields;
  if (Array.isArray(choices)) {
    return choices.filter((choice) => typeof choice === "string");
  }
  const place = typeof formula1 === "string" ? placeOf(formula1, model.sheets()) : undefined;
  if (!place) {
    return [];
  }
  const { range, sheet = model.sheetId() } = place;
  const values = await model.session.ask({ type: "columnValues", sheet, range, column: range.left });
  return values
    .filter(({ text }) => text !== "")
    .sort((a, b) => (a.rows[0]?.[0] ?? 0) - (b.rows[0]?.[0] ?? 0))
    .map(({ text }) => text);
}

export function ListMenu(props: { readonly model: WorkbookModel; readonly cell: Cell; readonly onClose: () => void }) {
  const { model, cell } = props;
  const [choices] = createResource(async () => {
    const item = validationAt(model, cell);
    return item ? choicesOf(model, item) : [];
  });
  const pick = (text: string): void => {
    model.command({ type: "typeText", sheet: model.sheetId(), cell: cellName(cell), text });
    props.onClose();
  };
  const keys = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      const options = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
      const at = options.findIndex((option) => option === document.activeElement);
      options[(at + by + options.length) % options.length]?.focus();
    }
  };
  return (
    <div class="cell-list" role="menu" aria-label={t("Choices")} onKeyDown={keys}>
      <For each={choices()} fallback={<p class="cell-list-none">{t("There is nothing to choose from.")}</p>}>
        {(choice, index) => (
          <button
            type="button"
            role="menuitem"
            class="menu-item"
            dir="auto"
            ref={(button) => index() === 0 && queueMicrotask(() => button.focus())}
            onClick={() => pick(choice)}
          >
            {choice}
          </button>
        )}
      </For>
    </div>
  );
}

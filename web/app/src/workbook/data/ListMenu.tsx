/** The values that a cell may have, to choose from. */

import { type Cell, cellName } from "@quadrille/grid";
import { createResource, For } from "solid-js";
import { t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";
import { choicesOf, validationAt } from "./lists.ts";

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

/** The values that a cell may have, to choose from. */

import { type Cell, cellName } from "@quadrille/grid";
import { createSignal, For, onMount } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { choicesOf, validationAt } from "./list-values.ts";

export function ListMenu(props: { readonly model: WorkbookModel; readonly cell: Cell; readonly onClose: () => void }) {
  const { model, cell } = props;
  // Not a resource: waiting for one would put the whole page aside.
  const [choices, setChoices] = createSignal<readonly string[]>();
  let list!: HTMLDivElement;
  /** Keys that come before the choices do count. */
  let steps = 0;
  let isPicked = false;
  const own = model.textOf(cell);

  const options = (): readonly HTMLElement[] => [...list.querySelectorAll<HTMLElement>("button")];
  const pick = (text: string): void => {
    model.command({ type: "typeText", sheet: model.sheetId(), cell: cellName(cell), text });
    props.onClose();
  };
  /** Goes on from the first, or from what the cell holds, as far as the arrow keys said. */
  const chosen = (found: readonly string[]): number => (found.length === 0 ? 0 : ((steps % found.length) + found.length) % found.length);
  const item = validationAt(model, cell);
  void (item ? choicesOf(model, item) : Promise.resolve([])).then((found) => {
    setChoices(found);
    steps += Math.max(0, found.indexOf(own));
    options()[chosen(found)]?.focus();
    pickChosen();
  });
  const pickChosen = (): void => {
    const found = choices();
    const choice = found?.[chosen(found)];
    if (isPicked && choice !== undefined) {
      pick(choice);
    }
  };
  const keys = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      const all = options();
      const at = all.findIndex((option) => option === document.activeElement);
      steps = (at < 0 ? steps : at) + by;
      all[chosen(choices() ?? [])]?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const at = options().findIndex((option) => option === document.activeElement);
      steps = at < 0 ? steps : at;
      isPicked = true;
      pickChosen();
    }
  };
  onMount(() => list.focus());
  return (
    <div
      class="cell-list"
      role="menu"
      aria-label={t("Choices")}
      tabIndex={-1}
      ref={list}
      onKeyDown={keys}
    >
      <For
        each={choices()}
        fallback={<p class="cell-list-none">{choices() ? t("There is nothing to choose from.") : t("Looking for the cells…")}</p>}
      >
        {(choice) => (
          <button type="button" role="menuitem" class="menu-item" aria-current={choice === own ? "true" : undefined} onClick={() => pick(choice)}>
            <span class="menu-text" dir="auto">
              {choice}
            </span>
          </button>
        )}
      </For>
    </div>
  );
}

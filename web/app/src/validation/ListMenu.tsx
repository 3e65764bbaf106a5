/** The list of values of a data validation rule. */

import { type Cell, cellName } from "@quadrille/grid";
import { createSignal, For, onMount } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { choicesOfControl, controlAt, setValue } from "../form-controls/index.ts";
import { choicesOf, validationAt } from "./list-values.ts";

/** The values below the arrow of a cell. */
export function ListMenu(props: { readonly model: WorkbookModel; readonly cell: Cell; readonly onClose: () => void }) {
  const { model, cell } = props;
  // Not a resource: that would suspend the whole page.
  const [choices, setChoices] = createSignal<readonly string[]>();
  let list!: HTMLDivElement;
  /** Arrow keys pressed before the values arrive. */
  let steps = 0;
  let isConfirmed = false;
  const currentText = model.textOf(cell);

  const options = (): readonly HTMLElement[] => [...list.querySelectorAll<HTMLElement>("button")];
  const enterValue = (text: string): void => {
    const sheet = model.sheetId();
    model.command(control ? setValue(sheet, cell, control, text) : { type: "typeText", sheet, cell: cellName(cell), text });
    props.onClose();
  };
  /**
   * Index of the value that the arrow keys select, starting from the first or the current value.
   */
  const selectedIndex = (values: readonly string[]): number => (values.length === 0 ? 0 : ((steps % values.length) + values.length) % values.length);
  /** The form control with the list, if it is not a rule. */
  let control: Awaited<ReturnType<typeof controlAt>>;
  const load = async (): Promise<readonly string[]> => {
    const item = validationAt(model, cell);
    if (item) {
      return choicesOf(model, item);
    }
    control = await controlAt(model, model.sheetId(), cell);
    return control ? choicesOfControl(model, control) : [];
  };
  void load().then((values) => {
    setChoices(values);
    steps += Math.max(0, values.indexOf(currentText));
    options()[selectedIndex(values)]?.focus();
    pickSelected();
  });
  const pickSelected = (): void => {
    const values = choices();
    const choice = values?.[selectedIndex(values)];
    if (isConfirmed && choice !== undefined) {
      enterValue(choice);
    }
  };
  const handleKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      const all = options();
      const index = all.findIndex((option) => option === document.activeElement);
      steps = (index < 0 ? steps : index) + by;
      all[selectedIndex(choices() ?? [])]?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const index = options().findIndex((option) => option === document.activeElement);
      steps = index < 0 ? steps : index;
      isConfirmed = true;
      pickSelected();
    }
  };
  onMount(() => list.focus());
  return (
    <div
      class="cell-list"
      role="menu"
      aria-label={t("Dropdown list")}
      tabIndex={-1}
      ref={list}
      onKeyDown={handleKey}
    >
      <For
        each={choices()}
        fallback={<p class="cell-list-none">{choices() ? t("The list is empty.") : t("Searching…")}</p>}
      >
        {(choice) => (
          <button type="button" role="menuitem" class="menu-item" aria-current={choice === currentText ? "true" : undefined} onClick={() => enterValue(choice)}>
            <span class="menu-text" dir="auto">
              {choice}
            </span>
          </button>
        )}
      </For>
    </div>
  );
}

/** The values of a slicer as buttons. */

import type { SlicerDetails } from "@quadrille/protocol";
import { createSignal, Index, Show } from "solid-js";
import { t } from "../language/index.ts";
import { ownEvents } from "./own-events.ts";
import type { SlicerChoice } from "./slicers.ts";

/** Number of values that are drawn; the filter menu finds the others. */
const LISTED_MAX = 500;

interface ValueListProps {
  readonly details: SlicerDetails;
  /** Whether a press adds a value to the selection, as with the control key, instead of replacing it. */
  readonly isMultiple: boolean;
  readonly canFilter: boolean;
  readonly label: string;
  /** The number of columns of buttons. */
  readonly columns: number;
  readonly onSelect: (choice: SlicerChoice) => void;
}

/** The buttons of the values; the arrow keys move between them. */
export function ValueList(props: ValueListProps) {
  const [focused, setFocused] = createSignal(0);
  const keys = (): readonly string[] => props.details.values.map(({ known }) => known);
  const selected = (): ReadonlySet<string> => new Set(props.details.shown ?? keys());
  const isSelected = (key: string): boolean => !props.details.hasOtherCondition && props.details.period === null && selected().has(key);

  const press = (key: string, isAdded: boolean): void => {
    const { shown } = props.details;
    if (!isAdded && shown?.length === 1 && shown[0] === key) {
      props.onSelect({});
      return;
    }
    const next = new Set(isAdded ? selected() : []);
    if (!next.delete(key)) {
      next.add(key);
    }
    const values = keys().filter((one) => next.has(one));
    // Without any value the data would disappear, and all of them are no condition.
    props.onSelect(values.length === 0 || values.length === keys().length ? {} : { shown: values });
  };

  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    ownEvents["on:keydown"](event);
    const count = Math.min(LISTED_MAX, keys().length);
    const forward = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
    const next = {
      ArrowDown: focused() + props.columns,
      ArrowUp: focused() - props.columns,
      ArrowRight: focused() + forward,
      ArrowLeft: focused() - forward,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      if (next >= 0 && next < count) {
        setFocused(next);
      }
      event.currentTarget.querySelectorAll("button")[focused()]?.focus();
    }
  };

  return (
    <Show when={props.details.values.length > 0} fallback={<p class="slicer-note">{t("The column has no values.")}</p>}>
      <div class="slicer-values" style={{ "grid-template-columns": `repeat(${props.columns}, minmax(0, 1fr))` }} role="group" aria-label={props.label} {...ownEvents} on:keydown={move} on:wheel={(event) => event.stopPropagation()}>
        {/* By position, so that the focus stays when the values are read again. */}
        <Index each={props.details.values.slice(0, LISTED_MAX)}>
          {(value, index) => (
            <button
              type="button"
              class="slicer-value"
              aria-pressed={isSelected(value().known)}
              tabIndex={index === focused() ? 0 : -1}
              disabled={!props.canFilter}
              onFocus={() => setFocused(index)}
              onClick={(event) => press(value().known, props.isMultiple || event.ctrlKey || event.metaKey)}
            >
              <Show when={value().text !== ""} fallback={<em>{t("Blank cells")}</em>}>
                <span dir="auto">{value().text}</span>
              </Show>
            </button>
          )}
        </Index>
        <Show when={props.details.values.length > LISTED_MAX}>
          <p class="slicer-note">{t("Only the first {count} values are shown.", { count: LISTED_MAX })}</p>
        </Show>
      </div>
    </Show>
  );
}

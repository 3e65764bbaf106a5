/** The colours of a column's cells, one of which is shown. */

import type { Range } from "@quadrille/grid";
import type { DisplayedColors } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { ColorRule } from "./filter.ts";

export interface Chosen {
  readonly rule: ColorRule;
  /** `null`: cells without a colour of their own. */
  readonly color: string | null;
}

export function FilterByColor(props: {
  readonly model: WorkbookModel;
  readonly range: Range;
  readonly column: number;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const { model, range, column } = props;
  const [colors, setColors] = createSignal<DisplayedColors>();
  void model.session.query({ type: "columnColors", sheet: model.sheetId(), range, column }).then(setColors);
  return (
    <Show when={colors()} fallback={<p class="cell-list-none">{t("Looking for the cells…")}</p>}>
      {(found) => (
        <>
          <Shown {...props} rule="color" name="Fill colour" none="No fill" colors={found().fills} />
          <Shown {...props} rule="textColor" name="Text colour" none="Automatic" colors={found().texts} />
        </>
      )}
    </Show>
  );
}

function Shown(props: {
  readonly rule: ColorRule;
  readonly name: Message;
  readonly none: Message;
  readonly colors: readonly (number | null)[];
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const css = (color: number | null): string | null => (color === null ? null : `#${color.toString(16).padStart(6, "0")}`);
  const isChosen = (color: string | null): boolean => props.chosen?.rule === props.rule && props.chosen.color === color;
  return (
    <fieldset class="filter-colors">
      <legend>{t(props.name)}</legend>
      <For each={props.colors.map(css)}>
        {(color) => (
          <label class="filter-color" classList={{ "is-none": color === null }}>
            <input
              type="radio"
              name="filter-color"
              aria-label={color ?? t(props.none)}
              checked={isChosen(color)}
              onChange={() => props.onChoose({ rule: props.rule, color })}
            />
            <Show when={color} fallback={<span>{t(props.none)}</span>} keyed>
              {(shown) => (
                <span
                  class="color-swatch"
                  ref={(element) => {
                    element.style.backgroundColor = shown;
                  }}
                />
              )}
            </Show>
          </label>
        )}
      </For>
    </fieldset>
  );
}

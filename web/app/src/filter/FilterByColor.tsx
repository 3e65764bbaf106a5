/** Filters a column by one of the colors of its cells. */

import type { Range } from "@quadrille/grid";
import type { DisplayedColors } from "@quadrille/protocol";
import { createSignal, For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { ColorRule } from "./filter.ts";

/** The chosen color and what it applies to. */
export interface ColorChoice {
  readonly rule: ColorRule;
  /** `#rrggbb`; `null` for cells without a color. */
  readonly color: string | null;
}

/** The colors of the column as radio buttons. */
export function FilterByColor(props: {
  readonly model: WorkbookModel;
  readonly range: Range;
  readonly column: number;
  readonly chosen: ColorChoice | undefined;
  readonly onChoose: (chosen: ColorChoice) => void;
}) {
  const { model, range, column } = props;
  const [colors, setColors] = createSignal<DisplayedColors>();
  void model.session.query({ type: "columnColors", sheet: model.sheetId(), range, column }).then(setColors);
  return (
    <Show when={colors()} fallback={<p class="cell-list-none">{t("Searching…")}</p>}>
      {(displayed) => (
        <>
          <ColorChoices {...props} rule="color" name="Fill colour" none="No fill" colors={displayed().fills} />
          <ColorChoices {...props} rule="textColor" name="Text colour" none="Automatic" colors={displayed().texts} />
        </>
      )}
    </Show>
  );
}

function ColorChoices(props: {
  readonly rule: ColorRule;
  readonly name: Message;
  readonly none: Message;
  readonly colors: readonly (number | null)[];
  readonly chosen: ColorChoice | undefined;
  readonly onChoose: (chosen: ColorChoice) => void;
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
              {(swatchColor) => (
                <span
                  class="color-swatch"
                  ref={(element) => {
                    element.style.backgroundColor = swatchColor;
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

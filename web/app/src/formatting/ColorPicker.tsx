/** A palette of colors, with a field for any other color. */

import { cssColor } from "@quadrille/grid";
import { For } from "solid-js";
import { t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import { Swatch } from "./Swatch.tsx";

/** Grays, then red, orange, yellow, green, teal, blue and violet from light to dark. */
const COLORS: readonly (readonly number[])[] = [
  [0x000000, 0x434a54, 0x6b7480, 0x9aa3ad, 0xc9cfd6, 0xe6e9ed, 0xf4f5f7, 0xffffff],
  [0xf4cccc, 0xfce0cc, 0xfff2cc, 0xd9ead3, 0xcfe8e0, 0xcfe2f3, 0xd9dcf7, 0xead7f0],
  [0xe99999, 0xf8bd91, 0xffdf80, 0xa8d19b, 0x8fd3c1, 0x9cc3ea, 0xa8aef0, 0xcda4dc],
  [0xcc3d3d, 0xe07a2f, 0xe0b020, 0x5a9e47, 0x2a917a, 0x3574c4, 0x5a63d8, 0x9b4fb5],
  [0x8f1d1d, 0x9c4a0f, 0x8a6a00, 0x2f6b1f, 0x1f6f5c, 0x1d4a8a, 0x3238a3, 0x6a2a82],
];

/** Properties of `ColorPicker`. */
export interface ColorPickerProps {
  readonly color: string | undefined;
  readonly noneLabel: string;
  readonly onPick: (color: string | null) => void;
}

/** A color picker; `onPick(null)` removes the color. */
export function ColorPicker(props: ColorPickerProps) {
  return (
    <>
      <button type="button" class="color-none" onClick={() => props.onPick(null)}>
        <Icon name="eraser" />
        {props.noneLabel}
      </button>
      <div class="color-grid">
        <For each={COLORS.flat()}>
          {(color) => (
            <button
              type="button"
              class="color"
              aria-label={cssColor(color)}
              aria-pressed={props.color === cssColor(color)}
              onClick={() => props.onPick(cssColor(color))}
            >
              <Swatch class="color-swatch" color={cssColor(color)} />
            </button>
          )}
        </For>
      </div>
      <label class="color-custom">
        {t("Custom colour")}
        <input type="color" value={props.color ?? "#1f6f5c"} onChange={(event) => props.onPick(event.currentTarget.value)} />
      </label>
    </>
  );
}

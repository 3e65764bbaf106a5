/** The fields that crop an image. */

import { For } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { Crop, ShapeAttributes } from "./shape-api.ts";

/** Percent that can be cut from two opposite sides together. */
const CUT_MAX = 99;
const NOTHING: Crop = { left: 0, top: 0, right: 0, bottom: 0 };

const SIDES: readonly (readonly [keyof Crop, keyof Crop, Message])[] = [
  ["left", "right", "Left"],
  ["right", "left", "Right"],
  ["top", "bottom", "Top"],
  ["bottom", "top", "Bottom"],
];

/** What is cut from the sides of an image, in percent of its width and height. */
export function CropFields(props: { readonly attributes: ShapeAttributes; readonly onChange: (change: ShapeAttributes) => void }) {
  const crop = () => props.attributes.crop ?? NOTHING;
  const percent = (side: keyof Crop): number => Math.round(crop()[side] * 10_000) / 100;
  const isChanged = () => SIDES.some(([side]) => crop()[side] !== 0) || [props.attributes.flipHorizontal, props.attributes.flipVertical].includes(true) || (props.attributes.rotation ?? 0) !== 0;
  return (
    <fieldset class="shape-crop">
      <legend>{t("Crop in percent")}</legend>
      <div class="form-pair">
        <For each={SIDES}>
          {([side, opposite, name]) => (
            <label class="form-label">
              {t(name)}
              <input
                class="field"
                type="number"
                min={0}
                max={CUT_MAX}
                step={1}
                value={percent(side)}
                onChange={(event) => {
                  const value = event.currentTarget.valueAsNumber;
                  // Pictures of imported files can have a margin instead of a cut.
                  if (value >= 0 && value + Math.max(0, percent(opposite)) <= CUT_MAX) {
                    const cut = { ...crop(), [side]: value / 100 };
                    props.onChange({ crop: { left: Math.max(0, cut.left), top: Math.max(0, cut.top), right: Math.max(0, cut.right), bottom: Math.max(0, cut.bottom) } });
                  } else {
                    event.currentTarget.value = String(percent(side));
                  }
                }}
              />
            </label>
          )}
        </For>
      </div>
      <p>
        <button
          type="button"
          class="button"
          disabled={!isChanged()}
          onClick={() => props.onChange({ crop: NOTHING, rotation: 0, flipHorizontal: false, flipVertical: false })}
        >
          {t("Reset image")}
        </button>
      </p>
    </fieldset>
  );
}

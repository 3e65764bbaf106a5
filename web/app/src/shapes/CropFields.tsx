/** The fields that crop an image. */

import { For } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { Crop, ShapeAttributes } from "./shape-api.ts";

/** Percent that can be cropped from two opposite sides together. */
const CROP_PERCENT_MAX = 99;
const UNCROPPED: Crop = { left: 0, top: 0, right: 0, bottom: 0 };

const SIDES: readonly (readonly [keyof Crop, keyof Crop, Message])[] = [
  ["left", "right", "Left"],
  ["right", "left", "Right"],
  ["top", "bottom", "Top"],
  ["bottom", "top", "Bottom"],
];

/** How much is cropped from each side of an image, in percent of its width or height. */
export function CropFields(props: { readonly attributes: ShapeAttributes; readonly onChange: (change: ShapeAttributes) => void }) {
  const crop = () => props.attributes.crop ?? UNCROPPED;
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
                max={CROP_PERCENT_MAX}
                step={1}
                value={percent(side)}
                onChange={(event) => {
                  const value = event.currentTarget.valueAsNumber;
                  // Pictures of imported files can have a margin instead of being cropped.
                  if (value >= 0 && value + Math.max(0, percent(opposite)) <= CROP_PERCENT_MAX) {
                    const cropped = { ...crop(), [side]: value / 100 };
                    props.onChange({ crop: { left: Math.max(0, cropped.left), top: Math.max(0, cropped.top), right: Math.max(0, cropped.right), bottom: Math.max(0, cropped.bottom) } });
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
          onClick={() => props.onChange({ crop: UNCROPPED, rotation: 0, flipHorizontal: false, flipVertical: false })}
        >
          {t("Reset image")}
        </button>
      </p>
    </fieldset>
  );
}

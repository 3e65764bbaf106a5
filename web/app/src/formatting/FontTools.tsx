/** The toolbar fields for font and font size. */

import { createMemo, For } from "solid-js";
import { t } from "../language/index.ts";
import { createAvailability } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { selectedFormat } from "./format-selection.ts";

/** Common fonts; browsers substitute missing ones by similar fonts. */
const FAMILIES = [
  "Arial",
  "Calibri",
  "Cambria",
  "Comic Sans MS",
  "Courier New",
  "Georgia",
  "Helvetica",
  "Noto Sans",
  "Noto Serif",
  "Tahoma",
  "Times New Roman",
  "Trebuchet MS",
  "Verdana",
] as const;
const SIZES = [6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 36, 48, 72] as const;

/** The toolbar fields for font and font size. */
export function FontTools(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const availability = createAvailability({});
  const format = createMemo(() => selectedFormat(model));
  const families = () => {
    const current = format().fontFamily;
    return current && !FAMILIES.some((family) => family === current) ? [current, ...FAMILIES] : FAMILIES;
  };
  const sizes = () => {
    const current = format().fontSize;
    return current && !SIZES.some((size) => size === current) ? [...SIZES, current].sort((a, b) => a - b) : SIZES;
  };
  return (
    <>
      <select
        class="tool-select is-font"
        aria-label={t("Font")}
        title={availability.hint(t("Font"))}
        disabled={availability.reason() !== undefined}
        onChange={(event) => model.format({ fontFamily: event.currentTarget.value === "" ? null : event.currentTarget.value })}
      >
        <option value="" selected={!format().fontFamily}>
          {t("Default font")}
        </option>
        <For each={families()}>
          {(family) => (
            <option value={family} selected={format().fontFamily === family}>
              {family}
            </option>
          )}
        </For>
      </select>
      <select
        class="tool-select"
        aria-label={t("Font size")}
        title={availability.hint(t("Font size"))}
        disabled={availability.reason() !== undefined}
        onChange={(event) => model.format({ fontSize: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}
      >
        <option value="" selected={!format().fontSize}>
          {t("Auto|size")}
        </option>
        <For each={sizes()}>
          {(size) => (
            <option value={size} selected={format().fontSize === size}>
              {size}
            </option>
          )}
        </For>
      </select>
    </>
  );
}

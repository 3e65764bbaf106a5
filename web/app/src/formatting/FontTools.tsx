/** Font and size of the selected cells. */

import { For } from "solid-js";
import { t } from "../language/index.ts";
import { createAvailability } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Fonts that one machine or another has under these names, or something like them. */
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

export function FontTools(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const block = createAvailability({});
  const format = () => model.selectionDetails.details()?.format ?? {};
  const families = () => {
    const own = format().fontFamily;
    return own && !FAMILIES.some((family) => family === own) ? [own, ...FAMILIES] : FAMILIES;
  };
  const sizes = () => {
    const own = format().fontSize;
    return own && !SIZES.some((size) => size === own) ? [...SIZES, own].sort((a, b) => a - b) : SIZES;
  };
  return (
    <>
      <select
        class="tool-select is-font"
        aria-label={t("Font")}
        title={block.hint(t("Font"))}
        disabled={block.reason() !== undefined}
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
        title={block.hint(t("Font size"))}
        disabled={block.reason() !== undefined}
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

/** The list of cell styles, each as a sample on the background of the sheet. */

import { createResource, For } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { CustomStyles } from "./CustomStyles.tsx";
import { StyleSample } from "./StyleSample.tsx";
import { CELL_STYLES } from "./cell-styles.ts";
import { applyBuiltinStyle, applyStyle, type CustomStyle, queryStyles } from "./custom-styles.ts";
import "../style/cell-styles.css";

/** Custom and built-in cell styles, with the style of the active cell marked; choosing one applies it to the selection. */
export function CellStyles(props: { readonly model: WorkbookModel; readonly close: () => void }) {
  const { model } = props;
  const [styles] = createResource(model.items.changes, () => queryStyles(model), { initialValue: [] });
  // The previous list stays visible while a new one is loaded.
  const changed = (id: number): CustomStyle | undefined => styles.latest.find((style) => style.id === id);
  const activeStyle = (): number | null => model.selectionDetails.details()?.format.cellStyle ?? null;
  const apply = (id: number): void => {
    props.close();
    applyStyle(model, id);
  };
  return (
    <div class="cell-styles">
      <CustomStyles model={model} styles={styles.latest} activeStyle={activeStyle()} apply={apply} />
      <For each={CELL_STYLES}>
        {(group) => (
          <div role="group" aria-label={t(group.name)}>
            <p class="cell-styles-name" aria-hidden="true">
              {t(group.name)}
            </p>
            <div class="cell-styles-samples">
              <For each={group.styles}>
                {(style) => (
                  <StyleSample
                    name={t(style.label)}
                    format={changed(style.id)?.format ?? style.format}
                    isActive={activeStyle() === style.id}
                    apply={() => {
                      props.close();
                      applyBuiltinStyle(model, style, changed(style.id) !== undefined);
                    }}
                  />
                )}
              </For>
            </div>
          </div>
        )}
      </For>
      <button
        type="button"
        class="button is-quiet"
        onClick={() => {
          props.close();
          model.clear("formats");
        }}
      >
        {t("Clear formats")}
      </button>
    </div>
  );
}

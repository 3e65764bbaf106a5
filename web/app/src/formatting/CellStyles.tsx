/** The list of cell styles, each as a sample on the background of the sheet. */

import type { FormatChange } from "@quadrille/protocol";
import { For } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { CustomStyles } from "./CustomStyles.tsx";
import { StyleSample } from "./StyleSample.tsx";
import { CELL_STYLES } from "./cell-styles.ts";
import "../style/cell-styles.css";

/** Custom and built-in cell styles; choosing one applies it to the selection. */
export function CellStyles(props: { readonly model: WorkbookModel; readonly close: () => void }) {
  const { model } = props;
  const apply = (format: FormatChange): void => {
    props.close();
    model.format(format);
  };
  return (
    <div class="cell-styles">
      <CustomStyles model={model} apply={apply} />
      <For each={CELL_STYLES}>
        {(group) => (
          <div role="group" aria-label={t(group.name)}>
            <p class="cell-styles-name" aria-hidden="true">
              {t(group.name)}
            </p>
            <div class="cell-styles-samples">
              <For each={group.styles}>
                {([name, format]) => <StyleSample name={t(name)} format={format} apply={() => apply(format)} />}
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

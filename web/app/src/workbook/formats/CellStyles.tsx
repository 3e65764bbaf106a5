/** Cell styles to choose from, each as it looks on this sheet's paper. */

import { inkOn } from "@quadrille/grid";
import type { BorderLook, BorderName, FormatChange } from "@quadrille/protocol";
import { For } from "solid-js";
import { t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";
import { CELL_STYLES } from "./styles.ts";
import "../../style/cell-styles.css";

/** Points of a sheet, so small that a title fits into its sample. */
const SIZE_SHARE = 0.75;

/** Those that styles have; CSS draws the others as the first. */
const LINES: Partial<Record<BorderName, string>> = { medium: "2px solid", thick: "3px solid", double: "3px double" };

export function CellStyles(props: { readonly model: WorkbookModel; readonly close: () => void }) {
  const { model } = props;
  const apply = (format: FormatChange): void => {
    props.close();
    model.format(format);
  };
  return (
    <div class="cell-styles">
      <For each={CELL_STYLES}>
        {(group) => (
          <div role="group" aria-label={t(group.name)}>
            <p class="cell-styles-name" aria-hidden="true">
              {t(group.name)}
            </p>
            <div class="cell-styles-samples">
              <For each={group.styles}>
                {([name, format]) => (
                  <button type="button" class="cell-style" onClick={() => apply(format)}>
                    <span ref={(sample) => dress(sample, format)} class="cell-style-sample">
                      {t(name)}
                    </span>
                  </button>
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

/** As the grid draws it: a fill has its ink, everything else the paper's. */
function dress(sample: HTMLElement, format: FormatChange): void {
  const { style } = sample;
  const { fillColor, textColor, fontSize } = format;
  if (fillColor) {
    style.backgroundColor = fillColor;
    style.color = inkOn(Number.parseInt(fillColor.slice(1), 16));
  }
  if (textColor) {
    style.color = textColor;
  }
  style.fontWeight = format.bold ? "700" : "";
  style.fontStyle = format.italic ? "italic" : "";
  style.fontSize = fontSize ? `${fontSize * SIZE_SHARE}pt` : "";
  style.borderTop = borderOf(format.borderTop);
  style.borderRight = borderOf(format.borderRight);
  style.borderBottom = borderOf(format.borderBottom);
  style.borderLeft = borderOf(format.borderLeft);
}

function borderOf(border: BorderLook | null | undefined): string {
  if (!border) {
    return "";
  }
  return `${LINES[border.style] ?? "1px solid"} ${border.color ?? "currentColor"}`;
}

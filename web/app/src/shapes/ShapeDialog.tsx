/** The dialog "Insert shape": a gallery. */

import { For } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { insertShape } from "./insert-shape.ts";
import { SHAPE_PRESETS, type ShapePreset } from "./presets.ts";
import "../style/shapes.css";

/** Shapes in a row of the gallery. */
const COLUMNS = 6;

/** A gallery of shapes; arrow keys move between them. */
export function ShapeDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let gallery!: HTMLDivElement;
  const choose = (preset: ShapePreset): void => {
    model.closeDialog();
    void insertShape(model, preset);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const isRtl = getComputedStyle(gallery).direction === "rtl";
    const steps: Readonly<Record<string, number>> = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };
    const step = steps[event.key];
    const buttons = [...gallery.querySelectorAll("button")];
    const next = step === undefined ? undefined : buttons[buttons.findIndex((button) => button === document.activeElement) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  };
  return (
    <Modal isOpen title={t("Insert shape")} onClose={() => model.closeDialog()}>
      <div ref={gallery} class="shape-gallery" role="group" aria-label={t("Insert shape")} onKeyDown={handleKey}>
        <For each={SHAPE_PRESETS}>
          {(preset) => (
            <button type="button" class="shape-choice" aria-label={t(preset.name)} title={t(preset.name)} onClick={() => choose(preset)}>
              <svg viewBox="0 0 24 24" width="28" height="28" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">
                <path d={preset.icon} />
              </svg>
            </button>
          )}
        </For>
      </div>
    </Modal>
  );
}

/** How large the sheet is shown, for this person on this page. */

import { ZOOM_MAX, ZOOM_MIN } from "@quadrille/grid";
import { For } from "solid-js";
import { language, t } from "../language/index.ts";
import { createAvailability, ToolButton } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

const STEPS = [0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] as const;

export function ZoomControl(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  // What the server shows of the sheet while the engine is on its way has a size, too.
  const needsWorkbook = () => model.sheet() === undefined;
  const block = createAvailability({
    isForViewers: true,
    get needsWorkbook() {
      return needsWorkbook();
    },
  });
  // Wheel and fingers give sizes between the steps.
  const choices = () => [...new Set([...STEPS, model.zoom()])].sort((a, b) => a - b);
  const percent = (step: number): string => new Intl.NumberFormat(language(), { style: "percent" }).format(step);
  const next = (by: 1 | -1): number => {
    const further = STEPS.filter((step) => (step - model.zoom()) * by > 0.001);
    return (by > 0 ? further[0] : further.at(-1)) ?? model.zoom();
  };
  return (
    <div class="zoom" role="group" aria-label={t("Zoom")}>
      <ToolButton isSmall isForViewers needsWorkbook={needsWorkbook()} icon="minus" label={t("Smaller")} isDisabled={model.zoom() <= ZOOM_MIN} onPress={() => model.setZoom(next(-1))} />
      <select
        class="zoom-steps"
        aria-label={t("Zoom")}
        title={block.reason() && block.hint(t("Zoom"))}
        disabled={block.reason() !== undefined}
        onChange={(event) => {
          model.setZoom(choices()[event.currentTarget.selectedIndex] ?? 1);
          model.focusCells();
        }}
      >
        <For each={choices()}>{(step) => <option selected={step === model.zoom()}>{percent(step)}</option>}</For>
      </select>
      <ToolButton isSmall isForViewers needsWorkbook={needsWorkbook()} icon="plus" label={t("Larger")} isDisabled={model.zoom() >= ZOOM_MAX} onPress={() => model.setZoom(next(1))} />
    </div>
  );
}

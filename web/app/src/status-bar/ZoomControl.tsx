/** The zoom control, for this page only. */

import { ZOOM_MAX, ZOOM_MIN } from "@quadrille/grid";
import { For } from "solid-js";
import { language, t } from "../language/index.ts";
import { createAvailability, ToolButton } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

const STEPS = [0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] as const;

/** Buttons and a list for the zoom. */
export function ZoomControl(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  // The preview can be zoomed before the workbook is loaded.
  const needsWorkbook = () => model.sheet() === undefined;
  const availability = createAvailability({
    isForViewers: true,
    get needsWorkbook() {
      return needsWorkbook();
    },
  });
  // Wheel and touch zoom to values between the steps.
  const choices = () => [...new Set([...STEPS, model.zoom()])].sort((a, b) => a - b);
  const percent = (step: number): string => new Intl.NumberFormat(language(), { style: "percent" }).format(step);
  const next = (by: 1 | -1): number => {
    const candidates = STEPS.filter((step) => (step - model.zoom()) * by > 0.001);
    return (by > 0 ? candidates[0] : candidates.at(-1)) ?? model.zoom();
  };
  return (
    <div class="zoom" role="group" aria-label={t("Zoom")}>
      <ToolButton isSmall isForViewers needsWorkbook={needsWorkbook()} icon="minus" label={t("Zoom out")} isDisabled={model.zoom() <= ZOOM_MIN} onPress={() => model.setZoom(next(-1))} />
      <select
        class="zoom-steps"
        aria-label={t("Zoom")}
        title={availability.reason() && availability.hint(t("Zoom"))}
        disabled={availability.reason() !== undefined}
        onChange={(event) => {
          model.setZoom(choices()[event.currentTarget.selectedIndex] ?? 1);
          model.focusCells();
        }}
      >
        <For each={choices()}>{(step) => <option selected={step === model.zoom()}>{percent(step)}</option>}</For>
      </select>
      <ToolButton isSmall isForViewers needsWorkbook={needsWorkbook()} icon="plus" label={t("Zoom in")} isDisabled={model.zoom() >= ZOOM_MAX} onPress={() => model.setZoom(next(1))} />
    </div>
  );
}

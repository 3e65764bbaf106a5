/** The bar of a presentation: the sheet, the ones before and after it, full screen and the end. */

import "../style/presentation.css";
import { createSignal, onCleanup, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import { stepSheet } from "../sheets/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { fillScreen, stopPresentation } from "./presenting.ts";

/** Keys that turn to another sheet. */
const STEPS: Readonly<Record<string, number>> = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };

/** The bar of a presentation. */
export function PresentationBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isFull, setIsFull] = createSignal(document.fullscreenElement !== null);
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  document.addEventListener(
    "fullscreenchange",
    () => {
      // The browser takes Escape for itself in full screen.
      if (isFull() && !document.fullscreenElement) {
        stopPresentation();
      }
      setIsFull(document.fullscreenElement !== null);
    },
    { signal: controller.signal },
  );
  window.addEventListener("keydown", (event) => turn(model, event), { signal: controller.signal, capture: true });
  const sheets = () => model.sheets().filter(({ isHidden }) => !isHidden);
  const position = () => sheets().findIndex(({ id }) => id === model.sheet());
  const step = (by: number): void => {
    stepSheet(model, by);
    model.focusCells();
  };
  return (
    <div class="presentation-bar" role="toolbar" aria-label={t("Presentation")}>
      <button type="button" class="presentation-button is-previous" aria-label={t("Previous sheet")} disabled={position() <= 0} onClick={() => step(-1)}>
        <Icon name="chevron" />
      </button>
      <span class="presentation-sheet" role="status">
        <bdi>{sheets()[position()]?.name}</bdi> <span>{t("{position} of {count}", { position: position() + 1, count: sheets().length })}</span>
      </span>
      <button type="button" class="presentation-button is-next" aria-label={t("Next sheet")} disabled={position() + 1 >= sheets().length} onClick={() => step(1)}>
        <Icon name="chevron" />
      </button>
      <Show when={!isFull() && document.fullscreenEnabled}>
        <button type="button" class="presentation-button" onClick={() => void fillScreen()}>
          {t("Full screen")}
        </button>
      </Show>
      <button type="button" class="presentation-button" aria-label={t("End presentation")} onClick={() => stopPresentation()}>
        <Icon name="close" />
        <span class="presentation-end">{t("End presentation")}</span>
      </button>
    </div>
  );
}

/** Turns to another sheet or ends the presentation, unless a cell is edited or a list is open. */
function turn(model: WorkbookModel, event: KeyboardEvent): void {
  const isElsewhere = event.target instanceof Element && event.target.closest("input, select, [role=menu], [role=listbox], [role=dialog], dialog") !== null;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (isElsewhere || hasModifier || event.isComposing || model.cellEdit.edit() !== undefined || document.querySelector("dialog[open], [role=listbox], [role=menu]")) {
    return;
  }
  const step = STEPS[event.key];
  if (step !== undefined) {
    stepSheet(model, step);
  } else if (event.key === "Escape") {
    stopPresentation();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

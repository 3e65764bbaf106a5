/** The tool "Paint format": copies the format of the selected cells to the next selection. */

import { rangeName } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { forVisibleRows } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** State of the tool "Paint format". */
class FormatPainter {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal(false);
  readonly isOn = this.signal[0];
  private controller: AbortController | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Switches the tool off. */
  stop(): void {
    this.controller?.abort();
    this.controller = undefined;
    this.signal[1](false);
  }

  /** Takes the format of the selection, or switches the tool off. */
  toggle(): void {
    if (this.isOn()) {
      this.stop();
      return;
    }
    const { model } = this;
    const from = { sheet: model.sheetId(), range: rangeName(model.range) };
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.signal[1](true);
    // When the pointer is released over the sheet, the target cells are selected.
    let isPressed = false;
    window.addEventListener("pointerdown", (event) => (isPressed = event.target instanceof Element && event.target.closest(".grid") !== null), {
      signal,
      capture: true,
    });
    window.addEventListener(
      "pointerup",
      () => {
        if (isPressed) {
          this.stop();
          const sheet = model.sheetId();
          const target = rangeName(model.range);
          model.command(forVisibleRows(sheet, { type: "copyPaste", fromSheet: from.sheet, source: from.range, sheet, target, what: "formats" }));
        }
      },
      { signal },
    );
    window.addEventListener("keydown", (event) => event.key === "Escape" && this.stop(), { signal });
    model.focusCells();
  }
}

const formatPainterOfModels = new WeakMap<WorkbookModel, FormatPainter>();

/** The tool of an open workbook. */
export function formatPainter(model: WorkbookModel): FormatPainter {
  const known = formatPainterOfModels.get(model) ?? new FormatPainter(model);
  formatPainterOfModels.set(model, known);
  return known;
}

/** Shows the preview of the server in an open workbook until the engine is loaded. */

import { type Range, rangeName } from "@quadrille/grid";
import type { DecodedPreview } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { loadPreview, discardPreview, fetchPreview } from "./preview.ts";

/** Maximum size of one request. */
const ROWS_MAX = 300;
const COLUMNS_MAX = 60;

/** State of the preview. */
export class PreviewModel {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal(false);
  /** Whether the displayed cells come from the preview. */
  readonly isOn = this.signal[0];
  private latest: DecodedPreview | undefined;
  private hasEnded = false;
  private isRequesting = false;
  private pending: { readonly sheet: number; readonly range: Range } | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
    void loadPreview(model.room).then((response) => {
      if (response && !this.hasEnded) {
        this.signal[1](true);
        model.title.setFromPreview(response.description.title);
        model.showPreview(response.description.sheets, response.description.sheet);
        this.draw(response);
      }
    });
  }

  /** Ends the preview: the engine is loaded, or the page is closed. */
  end(): void {
    this.hasEnded = true;
    this.pending = undefined;
    this.latest = undefined;
    this.signal[1](false);
    discardPreview();
  }

  /** Requests visible cells; a later request replaces a pending one. */
  requestWindow(sheet: number, ranges: readonly Range[]): void {
    const [visible] = ranges;
    if (visible && this.isOn() && !this.covers(sheet)) {
      const { top, left } = visible;
      const bottom = Math.min(visible.bottom, top + ROWS_MAX - 1);
      const right = Math.min(visible.right, left + COLUMNS_MAX - 1);
      this.pending = { sheet, range: { top, left, bottom, right } };
      void this.request();
    }
  }

  /** Whether the last response covers the visible cells; prefetching is left to the engine. */
  private covers(sheet: number): boolean {
    const visible = this.model.grid?.view.visible;
    const window = this.latest?.window;
    return (
      visible !== undefined &&
      window?.sheet === sheet &&
      window.index(visible.top, visible.left) >= 0 &&
      window.index(visible.bottom, visible.right) >= 0
    );
  }

  private async request(): Promise<void> {
    const { model, pending } = this;
    const name = model.sheets().find(({ id }) => id === pending?.sheet)?.name;
    if (this.isRequesting || !pending || name === undefined) {
      return;
    }
    this.pending = undefined;
    this.isRequesting = true;
    const response = await fetchPreview(model.room, { sheet: name, range: rangeName(pending.range) });
    this.isRequesting = false;
    if (response && !this.hasEnded && response.description.sheet === model.sheet()) {
      this.draw(response);
    }
    void this.request();
  }

  private draw(response: DecodedPreview): void {
    const isSameSheet = this.latest?.description.sheet === response.description.sheet;
    this.latest = response;
    if (isSameSheet) {
      this.model.grid?.setWindows([response.window]);
    } else {
      this.redraw();
    }
  }

  /** Draws the last response on a new grid. */
  redraw(): void {
    const { grid } = this.model;
    if (this.latest && this.isOn() && grid) {
      grid.setShape(this.latest.shape);
      grid.setWindows([this.latest.window]);
    }
  }
}

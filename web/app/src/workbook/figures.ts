/** What is known of the active cell and of the selection as a whole; asked anew whenever either may have changed. */

import { type Cell, isSingleCell, sameCell } from "@quadrille/grid";
import type { CellDetails, Summary } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "./model.ts";

/** After the last change to the selection, before it is summed up. */
const SUMMARY_DELAY_MS = 80;

export class Figures {
  private readonly model: WorkbookModel;
  private readonly detailsSignal = createSignal<CellDetails>();
  private readonly summarySignal = createSignal<Summary>();
  readonly details = this.detailsSignal[0];
  readonly summary = this.summarySignal[0];
  private asked = 0;
  private detailsCell: { readonly sheet: number; readonly cell: Cell } | undefined;
  private summaryTimer = 0;
  private summaryAsked = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  dispose(): void {
    window.clearTimeout(this.summaryTimer);
  }

  /** What is known of a cell of this sheet; the details shown may still be those of the cell before. */
  detailsOf(cell: Cell): CellDetails | undefined {
    const known = this.detailsCell;
    return known && known.sheet === this.model.sheet() && sameCell(known.cell, cell) ? this.details() : undefined;
  }

  /** What is known is written otherwise from now on. */
  forget(): void {
    this.detailsCell = undefined;
  }

  /** Cells changed, or another sheet is shown. */
  changed(): void {
    this.askDetails();
    this.askSummary();
  }

  askDetails(): void {
    const sheet = this.model.sheet();
    if (sheet === undefined) {
      return;
    }
    this.asked += 1;
    const { asked } = this;
    const cell = this.model.selection().active;
    void this.model.session.ask({ type: "cell", sheet, cell }).then((details) => {
      if (asked === this.asked) {
        this.detailsCell = { sheet, cell };
        this.detailsSignal[1](details);
      }
    });
  }

  askSummary(): void {
    window.clearTimeout(this.summaryTimer);
    this.summaryTimer = window.setTimeout(() => {
      this.summaryAsked += 1;
      const asked = this.summaryAsked;
      const sheet = this.model.sheet();
      const selection = this.model.selection();
      if (sheet === undefined || isSingleCell(selection)) {
        this.summarySignal[1](undefined);
        return;
      }
      void this.model.session.ask({ type: "summarize", sheet, ranges: [...selection.ranges] }).then((summary) => {
        if (asked === this.summaryAsked) {
          this.summarySignal[1](summary);
        }
      });
    }, SUMMARY_DELAY_MS);
  }
}

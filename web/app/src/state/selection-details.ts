/** What is known of the active cell and of the selection as a whole; asked anew whenever either may have changed. */

import { type Cell, isSingleCell, sameCell } from "@quadrille/grid";
import type { CellDetails, Summary } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "./workbook-model.ts";

/** After the last change to the selection, before it is summed up. */
const SUMMARY_DELAY_MS = 80;
/** Three frames. Answers mostly come within one: without this the bar would be empty for a moment with every step through the cells. */
const OTHER_TEXT_MS_MAX = 50;

interface Place {
  readonly sheet: number;
  readonly cell: Cell;
}

export class SelectionDetails {
  private readonly model: WorkbookModel;
  private readonly detailsSignal = createSignal<CellDetails>();
  private readonly summarySignal = createSignal<Summary>();
  readonly details = this.detailsSignal[0];
  readonly summary = this.summarySignal[0];
  private readonly textSignal = createSignal("");
  /** The text of the active cell, as far as it is known. */
  readonly text = this.textSignal[0];
  /** Of which cell that text is. */
  private textCell: Place | undefined;
  private textTimer = 0;
  /** Answers to what was asked before `forget` are of no use. */
  private writing = 0;
  /** About which cell was asked last. */
  private askedCell: Place | undefined;
  private detailsCell: Place | undefined;
  private summaryTimer = 0;
  private summaryAsked = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  dispose(): void {
    window.clearTimeout(this.summaryTimer);
    this.saveText();
  }

  /** What is known of a cell of this sheet; the details shown may still be those of the cell before. */
  detailsOf(cell: Cell): CellDetails | undefined {
    const sheet = this.model.sheet();
    return sheet !== undefined && isSame(this.detailsCell, { sheet, cell }) ? this.details() : undefined;
  }

  /** What is known is written otherwise from now on. */
  forget(): void {
    this.writing += 1;
    this.detailsCell = undefined;
  }

  /** Cells changed, or another sheet is shown. */
  changed(): void {
    this.askDetails();
    this.askSummary();
  }

  /** Of a workbook that has not arrived the engine would say that its cells are blank. */
  askDetails(): void {
    const sheet = this.model.sheet();
    if (sheet === undefined || !this.model.status().isReady) {
      return;
    }
    const { writing } = this;
    const cell = this.model.selection().active;
    const asked = { sheet, cell };
    this.askedCell = asked;
    this.leaveText(asked);
    void this.model.session.query({ type: "cell", sheet, cell }).then((details) => {
      // An answer that is about to be followed by another counts, too: while there is one change after the other, every one is such.
      if (writing === this.writing && isSame(this.askedCell, asked)) {
        this.detailsCell = asked;
        this.detailsSignal[1](details);
        this.saveText();
        this.textCell = asked;
        this.textSignal[1](details.editText);
      }
    });
  }

  /** The text that shows goes when it is that of another cell, and the answer takes its time. */
  private leaveText(asked: Place): void {
    if (isSame(this.textCell, asked)) {
      this.saveText();
    } else if (this.textTimer === 0) {
      this.textTimer = window.setTimeout(() => {
        this.textTimer = 0;
        this.textCell = undefined;
        this.textSignal[1]("");
      }, OTHER_TEXT_MS_MAX);
    }
  }

  private saveText(): void {
    window.clearTimeout(this.textTimer);
    this.textTimer = 0;
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
      void this.model.session.query({ type: "summarize", sheet, ranges: [...selection.ranges] }).then((summary) => {
        if (asked === this.summaryAsked) {
          this.summarySignal[1](summary);
        }
      });
    }, SUMMARY_DELAY_MS);
  }
}

function isSame(one: Place | undefined, other: Place): boolean {
  return one !== undefined && one.sheet === other.sheet && sameCell(one.cell, other.cell);
}

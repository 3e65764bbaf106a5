/** Details of the active cell and a summary of the selection, queried after every change. */

import { type Cell, isSingleCell, sameCell } from "@quadrille/grid";
import type { CellDetails, Summary } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "./workbook-model.ts";

/** Delay of the summary after the last change of the selection. */
const SUMMARY_DELAY_MS = 80;
/**
 * Time for which the text of the previous cell stays (three frames). Most answers arrive within one
 * frame; without this the bar would flicker.
 */
const STALE_TEXT_MS_MAX = 50;

interface CellPosition {
  readonly sheet: number;
  readonly cell: Cell;
}

/** Details of the selection. */
export class SelectionDetails {
  private readonly model: WorkbookModel;
  private readonly detailsSignal = createSignal<CellDetails>();
  private readonly summarySignal = createSignal<Summary>();
  readonly details = this.detailsSignal[0];
  readonly summary = this.summarySignal[0];
  private readonly textSignal = createSignal("");
  /** Text of the active cell; that of the previous one until the answer arrives. */
  readonly text = this.textSignal[0];
  /** The cell that the text belongs to. */
  private textCell: CellPosition | undefined;
  private textTimer = 0;
  /** Counts locale changes; answers to earlier queries are discarded. */
  private localeVersion = 0;
  /** The cell of the last query. */
  private queriedCell: CellPosition | undefined;
  private detailsCell: CellPosition | undefined;
  private summaryTimer = 0;
  private summaryQueries = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  dispose(): void {
    window.clearTimeout(this.summaryTimer);
    this.keepText();
  }

  /** The details of a cell of this sheet, if they are loaded. */
  detailsOf(cell: Cell): CellDetails | undefined {
    const sheet = this.model.sheet();
    return sheet !== undefined && isSame(this.detailsCell, { sheet, cell }) ? this.details() : undefined;
  }

  /** Discards the details after a change of language or reference style. */
  forget(): void {
    this.localeVersion += 1;
    this.detailsCell = undefined;
  }

  /** Queries again after cells changed or another sheet was opened. */
  changed(): void {
    this.queryDetails();
    this.querySummary();
  }

  /** Queries the details; not before the workbook is loaded, when all cells seem blank. */
  queryDetails(): void {
    const sheet = this.model.sheet();
    if (sheet === undefined || !this.model.status().isReady) {
      return;
    }
    const { localeVersion } = this;
    const cell = this.model.selection().active;
    const queried = { sheet, cell };
    this.queriedCell = queried;
    this.expireText(queried);
    void this.model.session.query({ type: "cell", sheet, cell }).then((details) => {
      // An outdated answer for the same cell is used as well: during continuous changes every
      // answer is outdated.
      if (localeVersion === this.localeVersion && isSame(this.queriedCell, queried)) {
        this.detailsCell = queried;
        this.detailsSignal[1](details);
        this.keepText();
        this.textCell = queried;
        this.textSignal[1](details.editText);
      }
    });
  }

  /** Clears the text after a while if it belongs to another cell. */
  private expireText(queried: CellPosition): void {
    if (isSame(this.textCell, queried)) {
      this.keepText();
    } else if (this.textTimer === 0) {
      this.textTimer = window.setTimeout(() => {
        this.textTimer = 0;
        this.textCell = undefined;
        this.textSignal[1]("");
      }, STALE_TEXT_MS_MAX);
    }
  }

  private keepText(): void {
    window.clearTimeout(this.textTimer);
    this.textTimer = 0;
  }

  /** Queries the summary after a delay. */
  querySummary(): void {
    window.clearTimeout(this.summaryTimer);
    this.summaryTimer = window.setTimeout(() => {
      this.summaryQueries += 1;
      const query = this.summaryQueries;
      const sheet = this.model.sheet();
      const selection = this.model.selection();
      if (sheet === undefined || isSingleCell(selection)) {
        this.summarySignal[1](undefined);
        return;
      }
      void this.model.session.query({ type: "summarize", sheet, ranges: [...selection.ranges] }).then((summary) => {
        if (query === this.summaryQueries) {
          this.summarySignal[1](summary);
        }
      });
    }, SUMMARY_DELAY_MS);
  }
}

function isSame(one: CellPosition | undefined, other: CellPosition): boolean {
  return one !== undefined && one.sheet === other.sheet && sameCell(one.cell, other.cell);
}

/** Fits rows and columns to what was entered. `fit-sizes.ts` fits them on request. */

import { type Cell, type Dimension, ROW_HEIGHT_PX, type RowHeight } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** Time after the engine has processed an entry in which a displayed change is its result. */
const RESULT_WINDOW_MS = 1_000;
/** Maximum width of a fitted column. */
export const COLUMN_PX_MAX = 600;
/** Difference from the needed height at which a row still counts as fitted: fonts differ between devices. */
const FITTED_TOLERANCE_PX = 3;

/** Automatic sizes of rows and columns. */
export class AutoFit {
  private readonly model: WorkbookModel;
  /** The last entered cell. */
  private entered: { readonly cell: Cell; readonly untilMs: number } | undefined;
  /** The rows in view before a change of the user, and until when a displayed change is its result. */
  private before: { readonly rows: readonly RowHeight[]; readonly untilMs: number } | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Marks a cell as entered. */
  setEntered(cell: Cell): void {
    this.entered = { cell, untilMs: Number.POSITIVE_INFINITY };
  }

  /** Notes the heights of the rows in view: the user is about to change something. */
  beforeChange(): void {
    const isPending = this.before?.untilMs === Number.POSITIVE_INFINITY;
    if (this.model.grid && !isPending) {
      this.before = { rows: this.model.grid.fitting.rowHeights(), untilMs: Number.POSITIVE_INFINITY };
    }
  }

  /** Starts the time window for the result: the engine has processed the changes. */
  entryProcessed(): void {
    if (this.before?.untilMs === Number.POSITIVE_INFINITY) {
      this.before = { ...this.before, untilMs: performance.now() + RESULT_WINDOW_MS };
    }
    if (this.entered?.untilMs === Number.POSITIVE_INFINITY) {
      this.entered = { ...this.entered, untilMs: performance.now() + RESULT_WINDOW_MS };
    }
  }

  /** Forgets pending work when another sheet is shown. */
  reset(): void {
    this.entered = undefined;
    this.before = undefined;
  }

  /** Runs pending work when new cells have arrived. */
  windowArrived(): void {
    this.widenForEntry();
    this.fitChangedRows();
  }

  /**
   * Fits rows in view whose texts were changed, as Excel does: those that had the height of their texts, or
   * the default one. Rows with another height keep it.
   */
  private fitChangedRows(): void {
    const { fitting } = this.model.grid ?? {};
    if (!fitting || !this.before || performance.now() >= this.before.untilMs) {
      this.before = undefined;
      return;
    }
    const before = new Map(this.before.rows.map((height) => [height.row, height]));
    for (const { row, sizePx, neededPx } of fitting.rowHeights()) {
      const earlier = before.get(row);
      const wasFitted = earlier && (isNear(earlier.sizePx, ROW_HEIGHT_PX) || isNear(earlier.sizePx, earlier.neededPx));
      // Another height than before: the change was one of rows.
      if (wasFitted && isNear(sizePx, earlier.sizePx) && earlier.neededPx !== neededPx && !isNear(sizePx, neededPx)) {
        before.delete(row);
        this.resizeAutomatically("rows", row, neededPx > ROW_HEIGHT_PX ? neededPx : null);
      }
    }
    this.before = { ...this.before, rows: [...before.values()] };
  }

  /** Widens a column of default width for an entered number that does not fit, as Excel does. */
  private widenForEntry(): void {
    const { cell, untilMs } = this.entered ?? {};
    const isRecent = untilMs !== undefined && performance.now() < untilMs;
    const neededPx = cell && isRecent ? this.model.grid?.fitting.widthForNumberPx(cell) : undefined;
    if (cell && neededPx !== undefined) {
      this.entered = undefined;
      this.resizeAutomatically("columns", cell.column, Math.min(neededPx, COLUMN_PX_MAX));
    }
  }

  /** Sets a size that follows from a change: undoing the change does not have to undo it first. */
  private resizeAutomatically(dimension: Dimension, at: number, size: number | null): void {
    this.model.session.send({ type: "automatic", command: resizeCommand(this.model.sheetId(), dimension, at, 1, size) });
  }
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= FITTED_TOLERANCE_PX;
}

/** The command for the size of rows or columns; `null` is the default size. */
export function resizeCommand(sheet: number, dimension: Dimension, first: number, count: number, size: number | null): Command {
  return { type: "resize", sheet, dimension, first, count, size };
}

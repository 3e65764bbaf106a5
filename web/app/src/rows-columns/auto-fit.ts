/** Rows and columns that take the size of what they show. */

import type { Cell, Dimension } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";

/** What an entered formula shows is there this soon after the engine took it in; later changes are not the entry's. */
const ENTERED_MS = 1_000;
/** A column is fitted to what it shows, but not wider than this. */
const COLUMN_PX_MAX = 600;
const COLUMN_PX_MIN = 32;
/** More rows or columns at once keep their size. */
const ROWS_MAX = 200;
const COLUMNS_MAX = 200;

export class AutoFit {
  private readonly model: WorkbookModel;
  /** The cell that was typed into last. */
  private entered: { readonly cell: Cell; readonly untilMs: number } | undefined;
  /** Rows that wait for cells that show the last command's effect. */
  private rowsToFit: { readonly first: number; readonly last: number } | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  setEntered(cell: Cell): void {
    this.entered = { cell, untilMs: Number.POSITIVE_INFINITY };
  }

  /** The engine has taken in what was entered. */
  entryProcessed(): void {
    if (this.entered?.untilMs === Number.POSITIVE_INFINITY) {
      this.entered = { ...this.entered, untilMs: performance.now() + ENTERED_MS };
    }
  }

  /** Texts of these rows are wrapped from now on, or not any more. */
  wrapChanged(first: number, last: number): void {
    this.rowsToFit = { first, last: Math.min(last, first + ROWS_MAX - 1) };
  }

  /** Another sheet is shown. */
  reset(): void {
    this.entered = undefined;
    this.rowsToFit = undefined;
  }

  /** New cells are in the grid's hands. */
  windowArrived(): void {
    this.widenForEntry();
    if (this.rowsToFit) {
      const { first, last } = this.rowsToFit;
      this.rowsToFit = undefined;
      this.fitRows(first, last);
    }
  }

  /** A number just entered that a column of the default width cannot show makes it wider, as in Excel. */
  private widenForEntry(): void {
    const { cell, untilMs } = this.entered ?? {};
    const isFresh = untilMs !== undefined && performance.now() < untilMs;
    const neededPx = cell && isFresh ? this.model.grid?.widthForNumberPx(cell) : undefined;
    if (cell && neededPx !== undefined) {
      this.entered = undefined;
      this.resize("columns", cell.column, 1, Math.min(neededPx, COLUMN_PX_MAX));
    }
  }

  /** What a double press on a border does. */
  fit(dimension: Dimension, first: number, count: number): void {
    if (dimension === "rows") {
      this.fitRows(first, first + Math.min(count, ROWS_MAX) - 1);
    } else {
      void this.fitColumns(first, first + Math.min(count, COLUMNS_MAX) - 1);
    }
  }

  private async fitColumns(first: number, last: number): Promise<void> {
    const sheet = this.model.sheetId();
    for (let column = first; column <= last; column += 1) {
      const texts = await this.model.session.query({ type: "longestTexts", sheet, column });
      const neededPx = this.model.grid?.widthNeededPx(texts) ?? COLUMN_PX_MIN;
      const sizePx = Math.min(COLUMN_PX_MAX, Math.max(COLUMN_PX_MIN, neededPx));
      this.resize("columns", column, 1, texts.length === 0 ? null : sizePx);
    }
  }

  /** Wrapped texts need higher rows; rows of equal height go as one command. */
  private fitRows(first: number, last: number): void {
    const neededPx = (row: number): number | null => this.model.grid?.heightNeededPx(row) ?? null;
    let start = first;
    for (let row = first; row <= last; row += 1) {
      const sizePx = neededPx(row);
      if (row === last || neededPx(row + 1) !== sizePx) {
        this.resize("rows", start, row - start + 1, sizePx);
        start = row + 1;
      }
    }
  }

  private resize(dimension: Dimension, first: number, count: number, size: number | null): void {
    this.model.command({ type: "resize", sheet: this.model.sheetId(), dimension, first, count, size });
  }
}

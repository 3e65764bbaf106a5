/** Commands for rows and columns: insert, delete, move and hide. */

import {
  COLUMNS_MAX,
  type Dimension,
  isWholeColumns,
  isWholeRows,
  type Range,
  rowCount,
  shiftSelection,
  ROWS_MAX,
  selectCell,
  selectColumns,
  selectRows,
} from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { forVisibleRows } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { resizeCommand } from "./auto-fit.ts";

/** Maximum number of rows or columns inserted at once. */
const INSERTED_MAX = 1_000;

/** Changes rows and columns of the current sheet. */
export class RowsAndColumns {
  private readonly model: WorkbookModel;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Hides the selected rows or columns, or shows those within and adjacent to the selection. */
  hide(dimension: Dimension, hidden: boolean): void {
    const { model } = this;
    const { top, left, bottom, right } = model.range;
    const [from, to] = dimension === "rows" ? [top, bottom] : [left, right];
    const sheet = model.sheetId();
    const hide = (start: number, end: number): Command => {
      const first = hidden ? start : Math.max(0, start - 1);
      const last = hidden ? end : end + 1;
      return { type: "setHidden", sheet, dimension, first, count: last - first + 1, hidden };
    };
    const sorted = dimension === "rows" ? this.sortedRows() : undefined;
    const each = sorted?.map((rows) => hide(rows.top, rows.bottom));
    model.command(forVisibleRows(sheet, each ? { type: "many", commands: each } : hide(from, to)));
    model.focusCells();
  }

  /** Freezes the first rows and columns. */
  freeze(rows: number, columns: number): void {
    this.model.command({ type: "freezePanes", sheet: this.model.sheetId(), rows, columns });
  }

  /** Sets the size of the selected rows or columns in pixels; `null` is the default size. */
  resize(dimension: Dimension, sizePx: number | null): void {
    const { model } = this;
    const sheet = model.sheetId();
    const ranges = (dimension === "rows" ? this.sortedRows() : undefined) ?? model.selection().ranges;
    const commands = ranges.map(({ top, left, bottom, right }): Command => {
      const [first, last] = dimension === "rows" ? [top, bottom] : [left, right];
      return resizeCommand(sheet, dimension, first, last - first + 1, sizePx);
    });
    model.command(forVisibleRows(sheet, { type: "many", commands }));
  }

  /** The selected rows of a sorted view, from the bottom of the sheet, if they are apart there. */
  private sortedRows(): readonly Range[] | undefined {
    const { grid } = this.model;
    return grid?.sortedSelection && grid.selection.ranges.toSorted((a, b) => b.top - a.top);
  }

  /** Inserts as many rows or columns as are selected. */
  insert(dimension: Dimension, where: "before" | "after"): void {
    const { model } = this;
    const { top, left, bottom, right } = model.range;
    const sheet = model.sheetId();
    if (dimension === "rows") {
      const count = Math.min(bottom - top + 1, INSERTED_MAX);
      model.command({ type: "insertRows", sheet, at: where === "before" ? top : bottom + 1, count });
    } else {
      const count = Math.min(right - left + 1, INSERTED_MAX);
      model.command({ type: "insertColumns", sheet, at: where === "before" ? left : right + 1, count });
    }
    model.focusCells();
  }

  /** Moves the selected rows or columns by one. */
  moveSelected(dimension: Dimension, by: -1 | 1): void {
    const { top, left, bottom, right } = this.model.range;
    const [first, last, max] = dimension === "rows" ? [top, bottom, ROWS_MAX] : [left, right, COLUMNS_MAX];
    const to = by < 0 ? first - 1 : last + 2;
    if (to >= 0 && to <= max) {
      this.move(dimension, first, last - first + 1, to);
    }
  }

  /** Moves rows or columns; the selection moves along. */
  move(dimension: Dimension, first: number, count: number, to: number): void {
    const { model } = this;
    model.command({ type: "moveLines", sheet: model.sheetId(), dimension, first, count, to });
    const moved = { lines: dimension, first, count, isInsert: false, to };
    model.grid?.select(shiftSelection(model.selection(), moved));
    model.focusCells();
  }

  /** Deletes the selected rows or columns. */
  remove(dimension: Dimension): void {
    const { model } = this;
    const { range } = model;
    const { top, left, right } = range;
    const sheet = model.sheetId();
    const removeRows = (rows: Range): Command => ({ type: "deleteRows", sheet, at: rows.top, count: rowCount(rows) });
    const sorted = this.sortedRows();
    model.command(
      dimension === "rows"
        ? forVisibleRows(sheet, sorted ? { type: "many", commands: sorted.map(removeRows) } : removeRows(range))
        : { type: "deleteColumns", sheet, at: left, count: right - left + 1 },
    );
    model.grid?.select(
      dimension === "rows" && isWholeRows(range)
        ? selectRows(top, top)
        : dimension === "columns" && isWholeColumns(range)
          ? selectColumns(left, left)
          : selectCell({ row: top, column: left }),
      "none",
    );
    model.focusCells();
  }
}

/** Translates what `PositionGrid` reports by positions into rows of the sheet. */

import { type Cell, type Range } from "./address.ts";
import type { Dimension, GridListener, WindowPart } from "./grid-listener.ts";
import type { RowOrder } from "./row-order.ts";
import type { Selection } from "./selection.ts";

/** What the translation needs to know about the grid. */
export interface RowTranslation {
  order(): RowOrder | undefined;
  isHidden(position: number): boolean;
  /** Stores the new selection and returns it by rows. */
  selected(selection: Selection): Selection;
}

/** A listener by positions that reports to a listener by rows. */
export function listenerByRows(listener: GridListener, grid: RowTranslation): GridListener {
  const toRow = (cell: Cell): Cell => ({ row: grid.order()?.rowAt(cell.row) ?? cell.row, column: cell.column });
  const toRanges = (range: Range): readonly Range[] => grid.order()?.rangesOf(range) ?? [range];
  /** Calls `report` for each run of rows, or once for columns. */
  const eachRun = (dimension: Dimension, first: number, count: number, report: (first: number, count: number) => void): void => {
    if (dimension === "columns") {
      report(first, count);
    } else {
      toRanges({ top: first, bottom: first + count - 1, left: 0, right: 0 }).forEach(({ top, bottom }) => report(top, bottom - top + 1));
    }
  };
  return {
    get hasHeaders() {
      return listener.hasHeaders;
    },
    get isPage() {
      return listener.isPage;
    },
    get showsSelection() {
      return listener.showsSelection;
    },
    imageOf: (address, loaded) => listener.imageOf(address, loaded),
    windowsRequested: (ranges) => listener.windowsRequested(ranges.map((range) => windowPart(range, grid))),
    selectionChanged: (selection) => listener.selectionChanged(grid.selected(selection)),
    painted: () => listener.painted(),
    isPointing: () => listener.isPointing(),
    pointed: (range) => {
      const [only, ...others] = toRanges(range);
      // One reference cannot name rows that are apart in the sheet.
      listener.pointed(only && others.length === 0 ? only : cellRange(toRow({ row: range.top, column: range.left })));
    },
    referenceDragged: (reference, range, isDone) => {
      const [only, ...others] = toRanges(range);
      if (only && others.length === 0) {
        listener.referenceDragged(reference, only, isDone);
      } else if (isDone) {
        listener.apartRefused();
      }
    },
    pressed: () => listener.pressed(),
    editRequested: (cell) => listener.editRequested(toRow(cell)),
    resized: (dimension, first, count, sizePx) =>
      eachRun(dimension, first, count, (run, length) => listener.resized(dimension, run, length, sizePx)),
    autoFitRequested: (dimension, first, count) =>
      eachRun(dimension, first, count, (run, length) => listener.autoFitRequested(dimension, run, length)),
    unhideRequested: (dimension, first, count) =>
      eachRun(dimension, first, count, (run, length) => listener.unhideRequested(dimension, run, length)),
    filled: (source, target) => reportFill(listener, grid, source, target),
    fillDownWanted: (source) => (grid.order()?.touches(source) ? listener.apartRefused() : listener.fillDownWanted(source)),
    moved: (source, target, copies) => {
      const [from, to] = [toRanges(source), toRanges(target)];
      if (from[0] && to[0] && from.length === 1 && to.length === 1) {
        listener.moved(from[0], to[0], copies);
      } else {
        listener.apartRefused();
      }
    },
    dimensionMoved: (dimension, first, count, to) => {
      const order = dimension === "rows" ? grid.order() : undefined;
      if (order?.touches({ top: Math.min(first, to), bottom: Math.max(first + count - 1, to), left: 0, right: 0 })) {
        listener.apartRefused();
      } else {
        listener.dimensionMoved(dimension, first, count, to);
      }
    },
    textsChanged: (changed) => listener.textsChanged(changed.map(({ cell, text }) => ({ cell: toRow(cell), text }))),
    ariaUpdated: () => listener.ariaUpdated(),
    contextMenuRequested: (clientX, clientY, hit) => listener.contextMenuRequested(clientX, clientY, hit),
    controlPressed: (cell, control) => listener.controlPressed(toRow(cell), control),
    zoomRequested: (zoom) => listener.zoomRequested(zoom),
    layoutChanged: () => listener.layoutChanged(),
    apartRefused: () => listener.apartRefused(),
  };
}

/** A window to request: with the list of its rows if they are not in the order of the sheet. */
function windowPart(range: Range, grid: RowTranslation): WindowPart {
  const order = grid.order();
  if (!order?.touches(range)) {
    return range;
  }
  const rows = order.visibleRows(range.top, range.bottom, (position) => grid.isHidden(position));
  return { ...range, top: Math.min(range.top, order.first), bottom: Math.max(range.bottom, order.end - 1), rows };
}

/** Reports a fill: in sorted rows only downwards, from rows that follow each other in the sheet. */
function reportFill(listener: GridListener, grid: RowTranslation, source: Range, target: Range): void {
  const order = grid.order();
  if (!order?.touches(target)) {
    listener.filled(source, target);
    return;
  }
  const [from, ...others] = order.rangesOf(source);
  const isConsecutive = from !== undefined && others.length === 0 && order.rowAt(source.top) === from.top && order.rowAt(source.bottom) === from.bottom;
  if (!isConsecutive || target.top < source.top) {
    listener.apartRefused();
    return;
  }
  const rows = order.visibleRows(source.bottom + 1, target.bottom, (position) => grid.isHidden(position));
  const filled = { ...from, left: Math.min(source.left, target.left), right: Math.max(source.right, target.right) };
  listener.filled(from, { ...filled, bottom: from.bottom + rows.length }, rows.length > 0 ? rows : undefined);
}

function cellRange({ row, column }: Cell): Range {
  return { top: row, bottom: row, left: column, right: column };
}

/** Sizes that rows and columns need for their contents, at zoom 1. */

import { PLAIN, type SheetWindow, ValueKind } from "@quadrille/protocol";
import type { Cell } from "./address.ts";
import type { CellWindows } from "./cell-windows.ts";
import type { Painter } from "./painter.ts";
import { COLUMN_WIDTH_PX, ROW_HEIGHT_PX } from "./sheet-shape.ts";
import type { View } from "./view.ts";

/** The height of a row, and the one that its loaded texts need. */
export interface RowHeight {
  readonly row: number;
  readonly sizePx: number;
  readonly neededPx: number;
}

/** Measures the cells that a grid has loaded. */
export class Fitting {
  private readonly painter: Painter;
  private readonly cells: () => CellWindows;
  private readonly view: () => View;

  constructor(painter: Painter, cells: () => CellWindows, view: () => View) {
    this.painter = painter;
    this.cells = cells;
    this.view = view;
  }

  /** Width that the cell's number needs if the default column width is too narrow. */
  widthForNumberPx(cell: Cell): number | undefined {
    const loaded = this.cells().at(cell);
    if (!loaded || loaded.window.kind(loaded.index) !== ValueKind.Number) {
      return undefined;
    }
    const { columns, zoom } = this.view();
    const { window: cellWindow, index } = loaded;
    const resolved = this.painter.drawing.resolve(cellWindow.style(index));
    const neededPx = this.painter.widthNeededPx([cellWindow.text(index)], resolved) / zoom;
    const sizePx = columns.size(cell.column) / zoom;
    return Math.abs(sizePx - COLUMN_WIDTH_PX) < 1 && neededPx > sizePx ? Math.ceil(neededPx) : undefined;
  }

  /** Height that the loaded texts of a row need; `undefined` if the default suffices. */
  heightNeededPx(row: number): number | undefined {
    const { columns, zoom } = this.view();
    let neededPx: number | undefined;
    for (const cellWindow of this.cells().windows) {
      for (let column = cellWindow.firstColumn; column < cellWindow.firstColumn + cellWindow.columnCount; column += 1) {
        const index = cellWindow.index(row, column);
        if (index >= 0 && cellWindow.hasText(index) && !cellWindow.merge(index) && !isPlainLine(cellWindow, index)) {
          const resolved = this.painter.drawing.resolve(cellWindow.style(index));
          const px = Math.ceil(this.painter.heightNeededPx(cellWindow, index, columns.size(column), resolved) / zoom);
          neededPx = px > ROW_HEIGHT_PX ? Math.max(px, neededPx ?? 0) : neededPx;
        }
      }
    }
    return neededPx;
  }

  /** The rows in view that are not hidden. */
  rowHeights(): readonly RowHeight[] {
    const { panes, rows, zoom } = this.view();
    const shown = new Set<number>();
    for (const { visible } of panes) {
      for (let row = visible.top; row <= visible.bottom; row += 1) {
        shown.add(row);
      }
    }
    return [...shown].filter((row) => !rows.isHidden(row)).map((row) => ({
      row,
      sizePx: rows.size(row) / zoom,
      neededPx: this.heightNeededPx(row) ?? ROW_HEIGHT_PX,
    }));
  }

  /** Width that `texts` need in the default style. */
  widthNeededPx(texts: readonly string[]): number {
    return this.painter.widthNeededPx(texts, this.painter.drawing.resolve(PLAIN)) / this.view().zoom;
  }
}

/** Whether the cell shows one line of the default size, which needs no measuring. */
function isPlainLine(window: SheetWindow, index: number): boolean {
  const { wrap, rotation, fontSize } = window.style(index);
  return !wrap && rotation === 0 && fontSize === PLAIN.fontSize && window.mark(index) === undefined;
}

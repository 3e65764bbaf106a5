/** Requests and events of the grid, implemented by the client. */

import type { Cell, Range } from "./address.ts";
import type { Hit } from "./hit-test.ts";
import type { ChangedText } from "./aria-grid.ts";
import type { ReferenceBox } from "./render-state.ts";
import type { Selection } from "./selection.ts";

export type Dimension = "rows" | "columns";

/** A control drawn inside a cell. */
export type CellControl = "list" | "checkbox" | "filter" | "link" | "button" | "rating" | Star;

/** A star of a rating, counted from 1. Its press sets the rating; `rating` asks for a choice of stars. */
export type Star = number;

/** The cells of a window to request. */
export interface WindowPart extends Range {
  /** The rows in the order of the window; without it, the visible rows of the range. */
  readonly rows?: readonly number[];
}

/** Receives the grid's requests and events. */
export interface GridListener {
  /** Whether rows and columns have headers, and the sheet its gridlines. Read when the size changes. */
  readonly hasHeaders: boolean;
  /** Whether the sheet is shown as a page, where cells can be neither filled nor moved by dragging. */
  readonly isPage: boolean;
  /** Whether the selection of this user has its frame. */
  readonly showsSelection: boolean;
  /** The image at an address that a cell shows; `undefined` until `loaded` is called. */
  imageOf(address: string, loaded: () => void): ImageBitmap | undefined;
  /** Requests windows of these cells, to be passed to `setWindows` in this order. */
  windowsRequested(parts: readonly WindowPart[]): void;
  selectionChanged(selection: Selection): void;
  /** The latest windows were painted, or were outdated before they could be. */
  painted(): void;
  /**
   * Whether the editor is in point mode: a press on a cell inserts a reference instead of selecting
   * the cell.
   */
  isPointing(): boolean;
  pointed(range: Range): void;
  /** A reference of the edited formula is being dragged to `range`; `isDone` when the drag ends. */
  referenceDragged(reference: ReferenceBox, range: Range, isDone: boolean): void;
  /** A press is about to change the selection. */
  pressed(): void;
  editRequested(cell: Cell): void;
  resized(dimension: Dimension, first: number, count: number, sizePx: number): void;
  autoFitRequested(dimension: Dimension, first: number, count: number): void;
  /** A double click asks to unhide these rows or columns. */
  unhideRequested(dimension: Dimension, first: number, count: number): void;
  /**
   * Cells are to be filled from `source`. With `rows`, the rows of `target` below those of `source`
   * stand for these ones.
   */
  filled(source: Range, target: Range, rows?: readonly number[]): void;
  /** The fill handle was double-clicked. */
  fillDownWanted(source: Range): void;
  /** The selection was dragged by its frame; `copies` copies the cells instead of moving them. */
  moved(source: Range, target: Range, copies: boolean): void;
  /** Rows or columns were dragged by their headers; they go before index `to`. */
  dimensionMoved(dimension: Dimension, first: number, count: number, to: number): void;
  /** Visible cells have new texts; reported after the accessibility tree is updated. */
  textsChanged(changed: readonly ChangedText[]): void;
  /** The accessibility tree matches the visible cells again. */
  ariaUpdated(): void;
  contextMenuRequested(clientX: number, clientY: number, hitTest: Hit): void;
  controlPressed(cell: Cell, control: CellControl): void;
  zoomRequested(zoom: number): void;
  /** Something needs rows that follow each other in the sheet, but the user has sorted their view. */
  apartRefused(): void;
  /** Scrolling, resizing or a new shape moved the cells; overlays have to follow. */
  layoutChanged(): void;
}

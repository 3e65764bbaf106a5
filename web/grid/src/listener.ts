/** What the grid asks of and tells the page. */

import type { Cell, Range } from "./address.ts";
import type { Hit } from "./hit.ts";
import type { ChangedText } from "./mirror.ts";
import type { ReferenceBox } from "./scene.ts";
import type { Selection } from "./selection.ts";

export type Dimension = "rows" | "columns";

/** Something in a cell that can be pressed. */
export type Pressable = "list" | "checkbox" | "filter" | "link";

export interface GridListener {
  /** Give windows for these ranges, in this order, through `setWindows`. */
  windowsWanted(ranges: readonly Range[]): void;
  selectionChanged(selection: Selection): void;
  /** The newest windows are on screen. */
  painted(): void;
  /** Whether a press on a cell names it in a formula being typed instead of selecting it. */
  isPointing(): boolean;
  pointed(range: Range): void;
  /** A reference of the formula being typed was dragged to here; `isDone` when it is let go. */
  referenceDragged(reference: ReferenceBox, range: Range, isDone: boolean): void;
  /** The pointer is about to change the selection. */
  pressed(): void;
  editWanted(cell: Cell): void;
  resized(dimension: Dimension, first: number, count: number, sizePx: number): void;
  fitWanted(dimension: Dimension, first: number, count: number): void;
  /** Hidden lines are to be shown again. */
  showWanted(dimension: Dimension, first: number, count: number): void;
  filled(source: Range, target: Range): void;
  /** A double press on the fill handle. */
  fillDownWanted(source: Range): void;
  /** Cells were dragged by their frame; with `copies` they stay where they are as well. */
  moved(source: Range, target: Range, copies: boolean): void;
  /** Selected rows or columns were dragged to before the line `to`. */
  linesDragged(dimension: Dimension, first: number, count: number, to: number): void;
  /** Cells in sight show another text; told a moment after they do. */
  textsChanged(changed: readonly ChangedText[]): void;
  /** The nodes for screen readers are those of the cells in sight again. */
  mirrored(): void;
  menuWanted(clientX: number, clientY: number, hit: Hit): void;
  cellPressed(cell: Cell, what: Pressable): void;
  zoomWanted(zoom: number): void;
  /** Something that lies over cells has to move: scrolled, resized or reshaped. */
  layoutChanged(): void;
}

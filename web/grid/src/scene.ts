/** Everything a frame shows besides the sheet's cells. */

import type { SheetWindow } from "@quadrille/protocol";
import { type Cell, contains, type Range } from "./address.ts";
import type { Selection } from "./selection.ts";
import type { View } from "./view.ts";

/** Somebody else's selection on this sheet. */
export interface OtherSelection {
  /** Tells people apart who have the same name. */
  readonly id: string;
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
  readonly range: Range;
}

/** A reference to this sheet in the formula being typed. */
export interface ReferenceBox {
  /** Which of the formula's references. */
  readonly id: number;
  readonly range: Range;
  /** `0xRRGGBB`. */
  readonly color: number;
}

/** Cells that this person may not change. */
export interface Locks {
  readonly ranges: readonly Range[];
  /** The whole sheet but these cells. */
  readonly but: readonly Range[] | undefined;
}

export function isLocked({ ranges, but }: Locks, cell: Cell): boolean {
  return (but !== undefined && !but.some((open) => contains(open, cell))) || ranges.some((closed) => contains(closed, cell));
}

/** The line that follows the pointer while a row or column is resized. */
export interface Guide {
  readonly dimension: "rows" | "columns";
  readonly atPx: number;
}

export interface Scene {
  readonly view: View;
  /** Each holds all cells of some panes, once they are there. */
  readonly windows: readonly SheetWindow[];
  readonly selection: Selection;
  /** The active cell with those it is merged with. */
  readonly activeRange: Range;
  /** At whose corner the handles are. */
  readonly handleRange: Range;
  readonly others: readonly OtherSelection[];
  readonly references: readonly ReferenceBox[];
  readonly locks: Locks;
  /** Whose names show: of those who moved just now. */
  readonly named: ReadonlySet<string>;
  /** Copied or cut, shown by a dashed frame. */
  readonly copied: Range | undefined;
  /** Where the fill handle or a reference being pointed at would go. */
  readonly target: Range | undefined;
  readonly guide: Guide | undefined;
  /** Its text is drawn by the editor that lies over it. */
  readonly editing: Cell | undefined;
  /** Round handles for fingers instead of the fill handle. */
  readonly isTouch: boolean;
  readonly canFill: boolean;
  readonly hasFocus: boolean;
  readonly hasGridlines: boolean;
  /** What stands over a column. */
  readonly columnName: (column: number) => string;
}

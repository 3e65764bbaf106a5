/** Everything that one frame shows: cells, selections, references, protection and drag feedback. */

import type { SheetWindow } from "@quadrille/protocol";
import { type Cell, contains, type Range } from "./address.ts";
import type { Selection } from "./selection.ts";
import type { View } from "./view.ts";

/** The selection of another user on this sheet. */
export interface OtherSelection {
  /** Unique per session; names need not be. */
  readonly id: string;
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
  readonly range: Range;
}

/** A reference to this sheet in the edited formula. */
export interface ReferenceBox {
  /** Index of the reference in the formula. */
  readonly id: number;
  readonly range: Range;
  /** `0xRRGGBB`. */
  readonly color: number;
}

/** Protected cells. */
export interface Locks {
  readonly ranges: readonly Range[];
  /** If set, the whole sheet is protected except these ranges. */
  readonly except: readonly Range[] | undefined;
}

/** Whether `cell` is protected. */
export function isLocked({ ranges, except }: Locks, cell: Cell): boolean {
  return (except !== undefined && !except.some((open) => contains(open, cell))) || ranges.some((closed) => contains(closed, cell));
}

/** Contents that somebody suggests for a cell. */
export interface SuggestionMark {
  readonly cell: Cell;
  /** The suggested contents; empty if the cell is to be cleared. */
  readonly text: string;
  readonly isNumber: boolean;
  /** For screen readers. */
  readonly description: string;
}

/** The line at the pointer while a row or column is resized or moved. */
export interface Guide {
  readonly dimension: "rows" | "columns";
  readonly atPx: number;
}

/** Input of `Painter.paint`. */
export interface RenderState {
  readonly view: View;
  /** One window per pane, as far as loaded. */
  readonly windows: readonly SheetWindow[];
  readonly selection: Selection;
  /** The active cell, or the merged range that contains it. */
  readonly activeRange: Range;
  /** Range at whose corners the handles are. */
  readonly handleRange: Range;
  readonly others: readonly OtherSelection[];
  readonly references: readonly ReferenceBox[];
  readonly locks: Locks;
  readonly suggestions: readonly SuggestionMark[];
  /** Ids of the users whose name tags are visible. */
  readonly visibleNameTags: ReadonlySet<string>;
  /** The copied or cut range, with a dashed frame. */
  readonly copied: Range | undefined;
  /** Target range of the current fill, move or point mode. */
  readonly target: Range | undefined;
  readonly guide: Guide | undefined;
  /** The edited cell; the editor over it draws its text. */
  readonly editing: Cell | undefined;
  /** Draws round touch handles instead of the fill handle. */
  readonly isTouch: boolean;
  readonly canFill: boolean;
  readonly hasFocus: boolean;
  readonly hasGridlines: boolean;
  /** Header of a column. */
  readonly columnName: (column: number) => string;
  /** The row at a position. */
  readonly rowAt: (position: number) => number;
}

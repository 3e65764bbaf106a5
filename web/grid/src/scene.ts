/** Everything a frame shows besides the sheet's cells. */

import type { SheetWindow } from "@quadrille/protocol";
import type { Cell, Range } from "./address.ts";
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

/** The line that follows the pointer while a row or column is resized. */
export interface Guide {
  readonly dimension: "rows" | "columns";
  readonly atPx: number;
}

export interface Scene {
  readonly view: View;
  readonly window: SheetWindow | undefined;
  readonly selection: Selection;
  readonly others: readonly OtherSelection[];
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
  readonly hasFocus: boolean;
}

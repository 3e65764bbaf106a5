/** The cells in hand: one window, or one for each part that frozen rows and columns cut the sheet into. */

import { type Merge, type SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, type Range, rangeOf } from "./address.ts";
import type { View } from "./view.ts";

export class Cells {
  readonly windows: readonly SheetWindow[];

  constructor(windows: readonly SheetWindow[]) {
    this.windows = windows;
  }

  /** Whether every cell that shows is here. */
  covers(view: View): boolean {
    return view.panes.every(({ visible, rows }) => {
      // Hidden rows are in no window.
      const top = rows.shownFrom(visible.top, 1);
      const bottom = rows.shownFrom(visible.bottom, -1);
      return this.windows.some(
        (window) => window.index(top, visible.left) >= 0 && window.index(bottom, visible.right) >= 0,
      );
    });
  }

  at(cell: Cell): { readonly window: SheetWindow; readonly index: number } | undefined {
    for (const window of this.windows) {
      const index = window.index(cell.row, cell.column);
      if (index >= 0) {
        return { window, index };
      }
    }
    return undefined;
  }

  text(cell: Cell): string {
    const found = this.at(cell);
    return found ? found.window.text(found.index) : "";
  }

  isBlank(cell: Cell): boolean {
    const found = this.at(cell);
    return !found || found.window.kind(found.index) === ValueKind.Blank;
  }

  /** The cell with those that it is merged with. */
  whole(cell: Cell): Range {
    const found = this.at(cell);
    return found?.window.merge(found.index) ?? rangeOf(cell);
  }

  /** `range` with the whole of every merged range that it touches. */
  withMerged(range: Range): Range {
    const merges = this.windows.flatMap((window) => window.merges);
    let grown: Range = range;
    for (let isGrowing = merges.length > 0; isGrowing; ) {
      isGrowing = false;
      for (const merge of merges) {
        if (touches(merge, grown) && !holds(grown, merge)) {
          grown = union(grown, merge);
          isGrowing = true;
        }
      }
    }
    return grown;
  }
}

function touches(a: Merge, b: Range): boolean {
  return a.top <= b.bottom && a.bottom >= b.top && a.left <= b.right && a.right >= b.left;
}

function holds(outer: Range, inner: Merge): boolean {
  return (
    outer.top <= inner.top && outer.bottom >= inner.bottom && outer.left <= inner.left && outer.right >= inner.right
  );
}

function union(a: Range, b: Range): Range {
  return {
    top: Math.min(a.top, b.top),
    left: Math.min(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
  };
}

/** The loaded cell windows: one per pane, of which frozen rows and columns make up to four. */

import { type Merge, type SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, type Range, rangeOf } from "./address.ts";
import type { View } from "./view.ts";

/** Looks up cells in the loaded windows. */
export class CellWindows {
  readonly windows: readonly SheetWindow[];

  constructor(windows: readonly SheetWindow[]) {
    this.windows = windows;
  }

  /** Whether the windows hold every visible cell of `view`. */
  covers(view: View): boolean {
    return view.panes.every(({ visible, rows }) => {
      // Windows leave hidden rows out.
      const top = rows.nextVisible(visible.top, 1);
      const bottom = rows.nextVisible(visible.bottom, -1);
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
    const entry = this.at(cell);
    return entry ? entry.window.text(entry.index) : "";
  }

  isBlank(cell: Cell): boolean {
    const entry = this.at(cell);
    return !entry || entry.window.kind(entry.index) === ValueKind.Blank;
  }

  /** The merged range that contains `cell`, or the cell itself. */
  mergedRange(cell: Cell): Range {
    const entry = this.at(cell);
    return entry?.window.merge(entry.index) ?? rangeOf(cell);
  }

  /** The smallest range that contains `range` and all of every merged range it touches. */
  expandToMerges(range: Range): Range {
    const merges = this.windows.flatMap((window) => window.merges);
    let expanded: Range = range;
    for (let isGrowing = merges.length > 0; isGrowing; ) {
      isGrowing = false;
      for (const merge of merges) {
        if (touches(merge, expanded) && !holds(expanded, merge)) {
          expanded = union(expanded, merge);
          isGrowing = true;
        }
      }
    }
    return expanded;
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

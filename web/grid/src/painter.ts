/** Draws one frame as a function of the render state and the theme. */

import type { SheetWindow } from "@quadrille/protocol";
import { CellPainter } from "./paint-cells.ts";
import type { Star } from "./grid-listener.ts";
import { paintHeaders } from "./paint-headers.ts";
import { starAt } from "./paint-marks.ts";
import { paintLocks, paintSelections } from "./paint-selection.ts";
import { type ResolvedStyle, DrawingContext } from "./drawing-context.ts";
import { paintSuggestions } from "./paint-suggestions.ts";
import type { RenderState } from "./render-state.ts";
import type { Theme } from "./theme.ts";
import type { Box, Pane } from "./view.ts";

/** Owns the drawing context and the painters of cells. */
export class Painter {
  readonly drawing: DrawingContext;
  private readonly cells: CellPainter;

  constructor(context: CanvasRenderingContext2D, theme: Theme) {
    this.drawing = new DrawingContext(context, theme);
    this.cells = new CellPainter(this.drawing);
  }

  /**
   * Draws one frame. `dpr` is the number of device pixels per CSS pixel; the canvas has the view's
   * size times `dpr`.
   */
  paint(state: RenderState, theme: Theme, dpr: number): void {
    const { view } = state;
    const { drawing } = this;
    const { context } = drawing;
    drawing.theme = theme;
    drawing.dpr = dpr;
    drawing.zoom = view.zoom;
    drawing.forget();
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    drawing.fill(theme.paper, 0, 0, view.widthPx, view.heightPx);
    for (const pane of view.panes) {
      const { x, y, width, height } = pane.box;
      drawing.clipped(x, y, width, height, () => {
        this.cells.paint(pane, windowFor(state.windows, pane), state.editing, state.hasGridlines);
        drawing.forget();
        paintLocks(drawing, pane, state.locks);
        paintSuggestions(drawing, pane, state);
        paintSelections(drawing, pane, state);
      });
      drawing.forget();
    }
    if (state.view.hasHeaders) {
      paintHeaders(drawing, state);
    }
    if (state.guide) {
      const { dimension, atPx } = state.guide;
      const isRow = dimension === "rows";
      drawing.fill(theme.accent, isRow ? 0 : atPx, isRow ? atPx : 0, isRow ? view.widthPx : 1.5, isRow ? 1.5 : view.heightPx);
    }
  }

  /** Drawing styles of the window's cell styles. */
  resolvedStyles(window: SheetWindow): readonly ResolvedStyle[] {
    return this.cells.resolvedStyles(window);
  }

  /** The chip or star at a point of the cell, which has this box. */
  partAt({ window, index }: { readonly window: SheetWindow; readonly index: number }, box: Box, isMirrored: boolean, x: number, y: number): "list" | Star | undefined {
    if (window.mark(index)?.rating !== undefined) {
      return starAt(this.drawing, box, this.drawing.resolve(window.style(index)), isMirrored, x, y);
    }
    return this.cells.texts.isOnChip(window, index, box, isMirrored, x, y) ? "list" : undefined;
  }

  /** Width that a column needs for `texts` in this style, at the current zoom. */
  widthNeededPx(texts: readonly string[], resolved: ResolvedStyle): number {
    return this.cells.texts.widthNeededPx(texts, resolved);
  }

  /** Height that the text of a cell needs, at the current zoom. */
  heightNeededPx(window: SheetWindow, index: number, columnWidthPx: number, resolved: ResolvedStyle): number {
    return this.cells.texts.heightNeededPx(window, index, columnWidthPx, resolved);
  }
}

/** The window that holds all cells of the pane, or else one that holds some of them. */
export function windowFor(windows: readonly SheetWindow[], { visible }: Pane): SheetWindow | undefined {
  const holds = (window: SheetWindow, row: number, column: number): boolean => window.index(row, column) >= 0;
  return (
    windows.find(
      (window) => holds(window, visible.top, visible.left) && holds(window, visible.bottom, visible.right),
    ) ??
    windows.find(
      (window) =>
        window.firstRow <= visible.bottom &&
        window.firstRow + window.rowCount > visible.top &&
        window.firstColumn <= visible.right &&
        window.firstColumn + window.columnCount > visible.left,
    )
  );
}

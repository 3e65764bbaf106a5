/** Draws one frame: a function of the scene, the theme and nothing else. */

import type { SheetWindow } from "@quadrille/protocol";
import { CellPainter } from "./paint-cells.ts";
import { paintHeaders } from "./paint-headers.ts";
import { paintLocks, paintSelections } from "./paint-selection.ts";
import { type ResolvedStyle, Pen } from "./pen.ts";
import type { Scene } from "./scene.ts";
import type { Theme } from "./theme.ts";
import type { Pane } from "./view.ts";

export class Painter {
  readonly pen: Pen;
  private readonly cells: CellPainter;

  constructor(context: CanvasRenderingContext2D, theme: Theme) {
    this.pen = new Pen(context, theme);
    this.cells = new CellPainter(this.pen);
  }

  /** `dpr`: device pixels per CSS pixel. The canvas has the view's size times `dpr`. */
  paint(scene: Scene, theme: Theme, dpr: number): void {
    const { view } = scene;
    const { pen } = this;
    const { context } = pen;
    pen.theme = theme;
    pen.dpr = dpr;
    pen.zoom = view.zoom;
    pen.forget();
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.fill(theme.paper, 0, 0, view.widthPx, view.heightPx);
    for (const pane of view.panes) {
      const { x, y, width, height } = pane.box;
      pen.clipped(x, y, width, height, () => {
        this.cells.paint(pane, windowFor(scene.windows, pane), scene.editing, scene.hasGridlines);
        pen.forget();
        paintLocks(pen, pane, scene.locks);
        paintSelections(pen, pane, scene);
      });
      pen.forget();
    }
    paintHeaders(pen, scene);
    if (scene.guide) {
      const { dimension, atPx } = scene.guide;
      const isRow = dimension === "rows";
      pen.fill(theme.accent, isRow ? 0 : atPx, isRow ? atPx : 0, isRow ? view.widthPx : 1.5, isRow ? 1.5 : view.heightPx);
    }
  }

  looksOf(window: SheetWindow): readonly ResolvedStyle[] {
    return this.cells.looksOf(window);
  }

  /** Width that a column needs to show `texts` in this look, at zoom 1. */
  widthNeededPx(texts: readonly string[], look: ResolvedStyle): number {
    return this.cells.texts.widthNeededPx(texts, look);
  }

  /** Height that the text of a cell needs, at zoom 1. */
  heightNeededPx(window: SheetWindow, index: number, columnWidthPx: number, look: ResolvedStyle): number {
    return this.cells.texts.heightNeededPx(window, index, columnWidthPx, look);
  }
}

/** The window with the pane's cells: all of them, or as many as there are. */
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

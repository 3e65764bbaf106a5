/** Draws cells as SVG for printing, with the painters of the screen but without controls. */

import type { SheetWindow } from "@quadrille/protocol";
import type { Range } from "./address.ts";
import type { Axis } from "./axis.ts";
import { CellPainter } from "./paint-cells.ts";
import { DrawingContext } from "./drawing-context.ts";
import { SvgContext } from "./svg-context.ts";
import type { Theme } from "./theme.ts";
import type { Box, Pane } from "./view.ts";
import { columnX, rowY } from "./view.ts";

/** Resolution of lines: printed gridlines are thinner than a CSS pixel. */
const DOTS_PER_PX = 2;

/** A rectangle of cells on a page. */
export interface PrintRegion {
  /** Holds the range and cells beside it, whose texts may overflow into it. */
  readonly window: SheetWindow;
  readonly range: Range;
  /** Position on the page. For right-to-left sheets, counted from the right. */
  readonly x: number;
  readonly y: number;
}

/** Printed row or column headings. */
export interface Heading {
  readonly dimension: "rows" | "columns";
  readonly first: number;
  readonly last: number;
  readonly x: number;
  readonly y: number;
  readonly thicknessPx: number;
}

/** Properties of the printed sheet. */
export interface Paper {
  readonly rows: Axis;
  readonly columns: Axis;
  /** Width of the page's cells, used to mirror right-to-left sheets. */
  readonly widthPx: number;
  readonly isRightToLeft: boolean;
  readonly hasGridlines: boolean;
  /** Heading of a column. */
  readonly columnName: (column: number) => string;
  readonly theme: Theme;
}

/** Paints one page into an SVG element. */
export class PrintPainter {
  private readonly paper: Paper;
  private readonly drawing: DrawingContext;
  private readonly cells: CellPainter;

  constructor(parent: SVGElement, measure: CanvasRenderingContext2D, paper: Paper) {
    this.paper = paper;
    this.drawing = new DrawingContext(new SvgContext(parent, measure).asCanvas, paper.theme);
    this.drawing.dpr = DOTS_PER_PX;
    this.drawing.isPaper = true;
    this.cells = new CellPainter(this.drawing);
  }

  /** Position of a region on the page. Hidden rows and columns have size 0. */
  boxOf({ range, x, y }: Pick<PrintRegion, "range" | "x" | "y">): Box {
    const { rows, columns, isRightToLeft, widthPx } = this.paper;
    const width = columns.offset(range.right + 1) - columns.offset(range.left);
    const height = rows.offset(range.bottom + 1) - rows.offset(range.top);
    return { x: isRightToLeft ? widthPx - x - width : x, y, width, height };
  }

  /** Draws the cells of a region. */
  paint(part: PrintRegion): void {
    const { drawing } = this;
    const pane = this.paneOf(part);
    const { x, y, width, height } = pane.box;
    drawing.forget();
    // Half of an outer border is outside the region.
    drawing.clipped(x - 1.5, y - 1.5, width + 3, height + 3, () => {
      if (this.paper.hasGridlines) {
        drawing.fill(drawing.theme.line, x, y, width, 1 / DOTS_PER_PX);
        drawing.fill(drawing.theme.line, x, y, 1 / DOTS_PER_PX, height);
      }
      this.cells.paint(pane, part.window, undefined, this.paper.hasGridlines);
    });
    drawing.forget();
  }

  /** Draws row or column headings. */
  paintHeading(heading: Heading): void {
    const { drawing, paper } = this;
    const { theme } = drawing;
    const { dimension, first, last, x, y, thicknessPx } = heading;
    const isRows = dimension === "rows";
    const range = isRows ? { top: first, bottom: last, left: 0, right: 0 } : { top: 0, bottom: 0, left: first, right: last };
    const pane = this.paneOf({ range, x, y });
    const font = `11px ${theme.fontFamily}`;
    drawing.forget();
    for (let index = first; index <= last; index += 1) {
      const size = isRows ? paper.rows.size(index) : paper.columns.size(index);
      if (size === 0) {
        continue;
      }
      const sideX = paper.isRightToLeft ? paper.widthPx - x - thicknessPx : x;
      const box = isRows
        ? { x: sideX, y: rowY(pane, index), width: thicknessPx, height: size }
        : { x: columnX(pane, index), y, width: size, height: thicknessPx };
      const text = isRows ? String(index + 1) : paper.columnName(index);
      drawing.context.strokeStyle = theme.line;
      drawing.context.lineWidth = 1 / DOTS_PER_PX;
      drawing.context.strokeRect(box.x, box.y, box.width, box.height);
      const width = drawing.width(font, text);
      drawing.setFillColor(theme.ink);
      drawing.context.textAlign = "left";
      drawing.context.textBaseline = "alphabetic";
      drawing.context.fillText(text, box.x + (box.width - width) / 2, box.y + box.height / 2 + 4);
    }
    drawing.forget();
  }

  private paneOf(part: Pick<PrintRegion, "range" | "x" | "y">): Pane {
    const { rows, columns, isRightToLeft, widthPx } = this.paper;
    const { range, x, y } = part;
    return {
      box: this.boxOf(part),
      visible: range,
      rows,
      columns,
      originX: x - columns.offset(range.left),
      originY: y - rows.offset(range.top),
      mirrorPx: isRightToLeft ? widthPx : undefined,
    };
  }
}

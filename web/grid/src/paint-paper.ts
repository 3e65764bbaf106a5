/** Draws cells on paper: what shows on screen, without the marks that are for working with cells. */

import type { SheetWindow } from "@quadrille/protocol";
import type { Range } from "./address.ts";
import type { Axis } from "./axis.ts";
import { CellPainter } from "./paint-cells.ts";
import { Pen } from "./pen.ts";
import { SvgContext } from "./svg-context.ts";
import type { Theme } from "./theme.ts";
import type { Box, Pane } from "./view.ts";
import { columnX, rowY } from "./view.ts";

/** Lines between cells are thinner on paper than a pixel. */
const DOTS_PER_PX = 2;

/** Cells that lie next to each other on a page. */
export interface PaperPart {
  /** May hold more than the range: texts run over from there. */
  readonly window: SheetWindow;
  readonly range: Range;
  /** Where they are on the page; in a sheet from right to left, as if it ran from left to right. */
  readonly x: number;
  readonly y: number;
}

/** Headings of columns over the part, of rows beside it. */
export interface Heading {
  readonly dimension: "rows" | "columns";
  readonly first: number;
  readonly last: number;
  readonly x: number;
  readonly y: number;
  readonly thicknessPx: number;
}

export interface Paper {
  readonly rows: Axis;
  readonly columns: Axis;
  /** Of everything, for a sheet from right to left. */
  readonly widthPx: number;
  readonly isRightToLeft: boolean;
  readonly hasGridlines: boolean;
  /** What stands over a column, where headings are wanted. */
  readonly columnName: (column: number) => string;
  readonly theme: Theme;
}

export class PaperPainter {
  private readonly paper: Paper;
  private readonly pen: Pen;
  private readonly cells: CellPainter;

  constructor(parent: SVGElement, measure: CanvasRenderingContext2D, paper: Paper) {
    this.paper = paper;
    this.pen = new Pen(new SvgContext(parent, measure).asCanvas, paper.theme);
    this.pen.dpr = DOTS_PER_PX;
    this.pen.isPaper = true;
    this.cells = new CellPainter(this.pen);
  }

  /** Where it lies; sizes of hidden lines are nothing. */
  boxOf({ range, x, y }: Pick<PaperPart, "range" | "x" | "y">): Box {
    const { rows, columns, isRightToLeft, widthPx } = this.paper;
    const width = columns.offset(range.right + 1) - columns.offset(range.left);
    const height = rows.offset(range.bottom + 1) - rows.offset(range.top);
    return { x: isRightToLeft ? widthPx - x - width : x, y, width, height };
  }

  paint(part: PaperPart): void {
    const { pen } = this;
    const pane = this.paneOf(part);
    const { x, y, width, height } = pane.box;
    pen.forget();
    // Borders at the rim are half outside.
    pen.clipped(x - 1.5, y - 1.5, width + 3, height + 3, () => {
      if (this.paper.hasGridlines) {
        pen.fill(pen.theme.line, x, y, width, 1 / DOTS_PER_PX);
        pen.fill(pen.theme.line, x, y, 1 / DOTS_PER_PX, height);
      }
      this.cells.paint(pane, part.window, undefined, this.paper.hasGridlines);
    });
    pen.forget();
  }

  paintHeading(heading: Heading): void {
    const { pen, paper } = this;
    const { theme } = pen;
    const { dimension, first, last, x, y, thicknessPx } = heading;
    const isRows = dimension === "rows";
    const range = isRows ? { top: first, bottom: last, left: 0, right: 0 } : { top: 0, bottom: 0, left: first, right: last };
    const pane = this.paneOf({ range, x, y });
    const font = `11px ${theme.fontFamily}`;
    pen.forget();
    for (let line = first; line <= last; line += 1) {
      const size = isRows ? paper.rows.size(line) : paper.columns.size(line);
      if (size === 0) {
        continue;
      }
      const sideX = paper.isRightToLeft ? paper.widthPx - x - thicknessPx : x;
      const box = isRows
        ? { x: sideX, y: rowY(pane, line), width: thicknessPx, height: size }
        : { x: columnX(pane, line), y, width: size, height: thicknessPx };
      const text = isRows ? String(line + 1) : paper.columnName(line);
      pen.context.strokeStyle = theme.line;
      pen.context.lineWidth = 1 / DOTS_PER_PX;
      pen.context.strokeRect(box.x, box.y, box.width, box.height);
      const width = pen.width(font, text);
      pen.setInk(theme.ink);
      pen.context.textAlign = "left";
      pen.context.textBaseline = "alphabetic";
      pen.context.fillText(text, box.x + (box.width - width) / 2, box.y + box.height / 2 + 4);
    }
    pen.forget();
  }

  private paneOf(part: Pick<PaperPart, "range" | "x" | "y">): Pane {
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

/**
 * Draws cell borders. Where two cells define different borders for their common edge, the heavier
 * one is drawn.
 */

import { type Border, BorderLine, type CellStyle, type Merge, type SheetWindow } from "@quadrille/protocol";
import type { DrawingContext } from "./drawing-context.ts";
import { boxInPane, columnX, type Pane, rowY } from "./view.ts";

/** How a border line is drawn. */
export interface Stroke {
  readonly widthPx: number;
  /** Alternating lengths of dashes and gaps, in CSS pixels. */
  readonly dash: readonly number[];
  /** Precedence: heavier lines are drawn over lighter ones. */
  readonly weight: number;
}

/** Strokes of the border styles of ECMA-376, 18.18.3 (`ST_BorderStyle`). */
export const BORDER_STROKES: Readonly<Record<BorderLine, Stroke>> = {
  [BorderLine.None]: { widthPx: 0, dash: [], weight: 0 },
  [BorderLine.Hair]: { widthPx: 1, dash: [1, 1], weight: 1 },
  [BorderLine.Dotted]: { widthPx: 1, dash: [1, 2], weight: 2 },
  [BorderLine.DashDotDot]: { widthPx: 1, dash: [6, 2, 2, 2, 2, 2], weight: 3 },
  [BorderLine.DashDot]: { widthPx: 1, dash: [6, 2, 2, 2], weight: 4 },
  [BorderLine.Dashed]: { widthPx: 1, dash: [4, 2], weight: 5 },
  [BorderLine.Thin]: { widthPx: 1, dash: [], weight: 6 },
  [BorderLine.MediumDashDotDot]: { widthPx: 2, dash: [8, 3, 3, 3, 3, 3], weight: 7 },
  [BorderLine.SlantDashDot]: { widthPx: 2, dash: [9, 2, 4, 2], weight: 8 },
  [BorderLine.MediumDashDot]: { widthPx: 2, dash: [8, 3, 3, 3], weight: 9 },
  [BorderLine.MediumDashed]: { widthPx: 2, dash: [8, 3], weight: 10 },
  [BorderLine.Medium]: { widthPx: 2, dash: [], weight: 11 },
  [BorderLine.Thick]: { widthPx: 3, dash: [], weight: 12 },
  [BorderLine.Double]: { widthPx: 3, dash: [], weight: 13 },
};

interface Edge {
  readonly border: Border;
  readonly isRow: boolean;
  /** Start and end along the edge. */
  readonly from: number;
  readonly to: number;
  /** Position across the edge: the middle of the gridline. */
  readonly at: number;
}

/** Draws all borders of the window's cells inside `pane`. */
export function paintBorders(drawing: DrawingContext, pane: Pane, window: SheetWindow): void {
  const edges = [...findEdges(pane, window)];
  edges.sort((a, b) => BORDER_STROKES[a.border.line].weight - BORDER_STROKES[b.border.line].weight);
  const { context } = drawing;
  context.save();
  for (const edge of edges) {
    const stroke = BORDER_STROKES[edge.border.line];
    context.strokeStyle = drawing.lineColor(edge.border.color);
    context.setLineDash([...stroke.dash]);
    if (edge.border.line === BorderLine.Double) {
      context.lineWidth = 1;
      strokeLine(context, edge, -1);
      strokeLine(context, edge, 1);
    } else if (edge.border.line === BorderLine.SlantDashDot) {
      // Two lines of one pixel with an offset along the edge, which slants the ends of the dashes.
      context.lineWidth = 1;
      strokeLine(context, { ...edge, from: edge.from + 1 }, -1);
      strokeLine(context, edge, 0);
    } else {
      context.lineWidth = stroke.widthPx;
      // A line of even width covers the gridline's pixel and the one before it.
      strokeLine(context, edge, stroke.widthPx % 2 === 0 ? -0.5 : 0);
    }
  }
  context.restore();
}

/** Draws the diagonal borders of the window's cells inside `pane`. */
export function paintDiagonals(drawing: DrawingContext, pane: Pane, window: SheetWindow): void {
  const { visible } = pane;
  for (let row = visible.top; row <= visible.bottom; row += 1) {
    for (let column = visible.left; column <= visible.right; column += 1) {
      const index = window.index(row, column);
      if (index >= 0 && !window.merge(index) && !pane.rows.isHidden(row) && !pane.columns.isHidden(column)) {
        paintDiagonalsOf(drawing, pane, window.style(index), { top: row, left: column, bottom: row, right: column });
      }
    }
  }
  for (const merge of window.merges) {
    const index = window.visibleIndexOf(merge);
    if (index >= 0) {
      paintDiagonalsOf(drawing, pane, window.style(index), merge);
    }
  }
}

function paintDiagonalsOf(drawing: DrawingContext, pane: Pane, { diagonalUp, diagonalDown }: CellStyle, range: Merge): void {
  if (!diagonalUp && !diagonalDown) {
    return;
  }
  const { x, y, width, height } = boxInPane(pane, range);
  const { context } = drawing;
  const stroke = ({ line, color }: Border, fromY: number, toY: number): void => {
    const { widthPx, dash } = BORDER_STROKES[line];
    context.strokeStyle = drawing.lineColor(color);
    context.setLineDash([...dash]);
    context.lineWidth = line === BorderLine.Double ? 1 : widthPx;
    for (const offset of line === BorderLine.Double ? [-1, 1] : [0]) {
      context.beginPath();
      context.moveTo(x, fromY + offset);
      context.lineTo(x + width, toY + offset);
      context.stroke();
    }
  };
  drawing.clipped(x, y, width - 1, height - 1, () => {
    if (diagonalUp) {
      stroke(diagonalUp, y + height, y);
    }
    if (diagonalDown) {
      stroke(diagonalDown, y, y + height);
    }
  });
}

function strokeLine(context: CanvasRenderingContext2D, { isRow, from, to, at }: Edge, offset: number): void {
  context.beginPath();
  if (isRow) {
    context.moveTo(from, at + offset);
    context.lineTo(to, at + offset);
  } else {
    context.moveTo(at + offset, from);
    context.lineTo(at + offset, to);
  }
  context.stroke();
}

function* findEdges(pane: Pane, window: SheetWindow): Generator<Edge> {
  const { visible } = pane;
  // Cells just outside the view define borders of its outer edges.
  for (let row = Math.max(0, visible.top - 1); row <= visible.bottom + 1; row += 1) {
    if (pane.rows.isHidden(row)) {
      continue;
    }
    for (let column = Math.max(0, visible.left - 1); column <= visible.right + 1; column += 1) {
      const index = window.index(row, column);
      if (index < 0 || pane.columns.isHidden(column)) {
        continue;
      }
      const { top, right, bottom, left } = window.style(index);
      if (!(top ?? right ?? bottom ?? left)) {
        continue;
      }
      const merge = window.merge(index);
      const x = columnX(pane, column);
      const width = pane.columns.size(column);
      const y = rowY(pane, row) - 0.5;
      const height = pane.rows.size(row);
      const [startX, endX] = pane.mirrorPx === undefined ? [x - 0.5, x + width - 0.5] : [x + width + 0.5, x + 0.5];
      const across = { isRow: true, from: Math.min(startX, endX) - 0.5, to: Math.max(startX, endX) + 0.5 };
      const down = { isRow: false, from: y - 0.5, to: y + height + 0.5 };
      // Merged ranges have no inner borders.
      if (top && (!merge || row === merge.top)) {
        yield { ...across, border: top, at: y };
      }
      if (bottom && (!merge || row === merge.bottom)) {
        yield { ...across, border: bottom, at: y + height };
      }
      if (left && (!merge || column === merge.left)) {
        yield { ...down, border: left, at: startX };
      }
      if (right && (!merge || column === merge.right)) {
        yield { ...down, border: right, at: endX };
      }
    }
  }
}

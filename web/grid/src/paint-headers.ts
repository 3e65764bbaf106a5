/** Draws the column and row headers, with markers where rows or columns are hidden. */

import type { DrawingContext } from "./drawing-context.ts";
import type { RenderState } from "./render-state.ts";
import { COLUMN_HEADER_HEIGHT_PX, columnX, type Pane, rowY } from "./view.ts";

/** Draws all headers and the lines that end the frozen panes. */
export function paintHeaders(drawing: DrawingContext, state: RenderState): void {
  const { view } = state;
  const { theme } = drawing;
  const thin = 1 / drawing.dpr;
  const headerX = view.isRightToLeft ? view.widthPx - view.rowHeaderWidthPx : 0;
  drawing.fill(theme.headerPaper, 0, 0, view.widthPx, COLUMN_HEADER_HEIGHT_PX);
  drawing.fill(theme.headerPaper, headerX, 0, view.rowHeaderWidthPx, view.heightPx);
  drawing.context.textAlign = "left";
  drawing.context.textBaseline = "alphabetic";
  const lastColumns = view.panes.at(-1)?.visible.left;
  const lastRows = view.panes.at(-1)?.visible.top;
  for (const pane of view.panes) {
    // Panes in one column have the same columns, and panes in one row the same rows: draw each
    // header once.
    if (pane.visible.top === lastRows) {
      paintColumns(drawing, state, pane);
    }
    if (pane.visible.left === lastColumns) {
      paintRows(drawing, state, pane, headerX);
    }
  }
  drawing.fill(theme.headerPaper, headerX, 0, view.rowHeaderWidthPx, COLUMN_HEADER_HEIGHT_PX);
  drawing.fill(theme.line, 0, COLUMN_HEADER_HEIGHT_PX - thin, view.widthPx, thin);
  const edge = view.isRightToLeft ? headerX : view.rowHeaderWidthPx - thin;
  drawing.fill(theme.line, edge, 0, thin, view.heightPx);
  paintFreezes(drawing, state);
}

/** Draws the lines that end the frozen rows and columns. */
function paintFreezes(drawing: DrawingContext, { view }: RenderState): void {
  const color = drawing.theme.headerInk;
  drawing.context.globalAlpha = 0.5;
  if (view.frozenRows > 0) {
    drawing.fill(color, 0, COLUMN_HEADER_HEIGHT_PX + view.frozenHeightPx - 1.5, view.widthPx, 1.5);
  }
  if (view.frozenColumns > 0) {
    const at = view.rowHeaderWidthPx + view.frozenWidthPx;
    drawing.fill(color, view.isRightToLeft ? view.widthPx - at : at - 1.5, 0, 1.5, view.heightPx);
  }
  drawing.context.globalAlpha = 1;
}

function paintColumns(drawing: DrawingContext, { selection, columnName }: RenderState, pane: Pane): void {
  const { theme } = drawing;
  const thin = 1 / drawing.dpr;
  const font = `500 12px ${theme.fontFamily}`;
  const isMirrored = pane.mirrorPx !== undefined;
  drawing.clipped(pane.box.x, 0, pane.box.width, COLUMN_HEADER_HEIGHT_PX, () => {
    for (let column = pane.visible.left; column <= pane.visible.right; column += 1) {
      const width = pane.columns.size(column);
      if (width === 0) {
        continue;
      }
      const x = columnX(pane, column);
      const isSelected = selection.ranges.some((range) => column >= range.left && column <= range.right);
      if (isSelected) {
        drawing.fill(theme.headerSelectedPaper, x, 0, width, COLUMN_HEADER_HEIGHT_PX);
      }
      drawing.fill(theme.line, isMirrored ? drawing.snap(x) : drawing.snap(x + width) - thin, 0, thin, COLUMN_HEADER_HEIGHT_PX);
      const name = columnName(column);
      const nameWidth = drawing.width(font, name);
      if (nameWidth < width) {
        drawing.setFillColor(isSelected ? theme.headerSelectedInk : theme.headerInk);
        drawing.context.fillText(name, x + (width - nameWidth) / 2, COLUMN_HEADER_HEIGHT_PX - 8);
      }
      if (pane.columns.isHidden(column + 1) && column + 1 < pane.columns.count) {
        const at = isMirrored ? x : x + width;
        hiddenMark(drawing, at - 3, COLUMN_HEADER_HEIGHT_PX / 2, false);
      }
    }
  });
}

function paintRows(drawing: DrawingContext, { selection, view, rowAt }: RenderState, pane: Pane, headerX: number): void {
  const { theme } = drawing;
  const thin = 1 / drawing.dpr;
  const font = `500 12px ${theme.fontFamily}`;
  const headerWidth = view.rowHeaderWidthPx;
  drawing.clipped(headerX, pane.box.y, headerWidth, pane.box.height, () => {
    let y = rowY(pane, pane.visible.top);
    for (let row = pane.visible.top; row <= pane.visible.bottom; row += 1) {
      const height = pane.rows.size(row);
      if (height === 0) {
        continue;
      }
      const isSelected = selection.ranges.some((range) => row >= range.top && row <= range.bottom);
      if (isSelected) {
        drawing.fill(theme.headerSelectedPaper, headerX, y, headerWidth, height);
      }
      drawing.fill(theme.line, headerX, drawing.snap(y + height) - thin, headerWidth, thin);
      if (height >= 10) {
        const name = String(rowAt(row) + 1);
        const nameWidth = drawing.width(font, name);
        drawing.setFillColor(isSelected ? theme.headerSelectedInk : theme.headerInk);
        drawing.context.fillText(name, headerX + (headerWidth - nameWidth) / 2, y + height / 2 + 4);
      }
      y += height;
      if (pane.rows.isHidden(row + 1) && row + 1 < pane.rows.count) {
        // Left of the centred row number.
        hiddenMark(drawing, headerX + 7, y - 3, true);
      }
    }
  });
}

/** Draws two arrows that point apart, the marker of hidden rows or columns. */
function hiddenMark(drawing: DrawingContext, x: number, y: number, isRow: boolean): void {
  const { context, theme } = drawing;
  context.save();
  context.translate(x, y);
  if (isRow) {
    context.rotate(Math.PI / 2);
  }
  context.fillStyle = theme.accent;
  for (const direction of [-1, 1]) {
    context.beginPath();
    context.moveTo(direction * 1.5 + 2, -4);
    context.lineTo(direction * 5.5 + 2, 0);
    context.lineTo(direction * 1.5 + 2, 4);
    context.fill();
  }
  context.restore();
  drawing.forget();
}

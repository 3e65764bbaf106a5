/** Draws column letters, row numbers, and the marks where lines are hidden between them. */

import type { Pen } from "./pen.ts";
import type { Scene } from "./scene.ts";
import { COLUMN_HEADER_HEIGHT_PX, columnX, type Pane, rowY } from "./view.ts";

export function paintHeaders(pen: Pen, scene: Scene): void {
  const { view } = scene;
  const { theme } = pen;
  const thin = 1 / pen.dpr;
  const headerX = view.isRightToLeft ? view.widthPx - view.rowHeaderWidthPx : 0;
  pen.fill(theme.headerPaper, 0, 0, view.widthPx, COLUMN_HEADER_HEIGHT_PX);
  pen.fill(theme.headerPaper, headerX, 0, view.rowHeaderWidthPx, view.heightPx);
  pen.context.textAlign = "left";
  pen.context.textBaseline = "alphabetic";
  const lastColumns = view.panes.at(-1)?.visible.left;
  const lastRows = view.panes.at(-1)?.visible.top;
  for (const pane of view.panes) {
    // Panes below one another have the same columns, those beside one another the same rows.
    if (pane.visible.top === lastRows) {
      paintColumns(pen, scene, pane);
    }
    if (pane.visible.left === lastColumns) {
      paintRows(pen, scene, pane, headerX);
    }
  }
  pen.fill(theme.headerPaper, headerX, 0, view.rowHeaderWidthPx, COLUMN_HEADER_HEIGHT_PX);
  pen.fill(theme.line, 0, COLUMN_HEADER_HEIGHT_PX - thin, view.widthPx, thin);
  const edge = view.isRightToLeft ? headerX : view.rowHeaderWidthPx - thin;
  pen.fill(theme.line, edge, 0, thin, view.heightPx);
  paintFreezes(pen, scene);
}

/** Where the frozen part ends. */
function paintFreezes(pen: Pen, { view }: Scene): void {
  const color = pen.theme.headerInk;
  pen.context.globalAlpha = 0.5;
  if (view.frozenRows > 0) {
    pen.fill(color, 0, COLUMN_HEADER_HEIGHT_PX + view.frozenHeightPx - 1.5, view.widthPx, 1.5);
  }
  if (view.frozenColumns > 0) {
    const at = view.rowHeaderWidthPx + view.frozenWidthPx;
    pen.fill(color, view.isRightToLeft ? view.widthPx - at : at - 1.5, 0, 1.5, view.heightPx);
  }
  pen.context.globalAlpha = 1;
}

function paintColumns(pen: Pen, { selection, columnName }: Scene, pane: Pane): void {
  const { theme } = pen;
  const thin = 1 / pen.dpr;
  const font = `500 12px ${theme.fontFamily}`;
  const isMirrored = pane.mirrorPx !== undefined;
  pen.clipped(pane.box.x, 0, pane.box.width, COLUMN_HEADER_HEIGHT_PX, () => {
    for (let column = pane.visible.left; column <= pane.visible.right; column += 1) {
      const width = pane.columns.size(column);
      if (width === 0) {
        continue;
      }
      const x = columnX(pane, column);
      const isSelected = selection.ranges.some((range) => column >= range.left && column <= range.right);
      if (isSelected) {
        pen.fill(theme.headerSelectedPaper, x, 0, width, COLUMN_HEADER_HEIGHT_PX);
      }
      pen.fill(theme.line, isMirrored ? pen.snap(x) : pen.snap(x + width) - thin, 0, thin, COLUMN_HEADER_HEIGHT_PX);
      const name = columnName(column);
      const nameWidth = pen.width(font, name);
      if (nameWidth < width) {
        pen.setInk(isSelected ? theme.headerSelectedInk : theme.headerInk);
        pen.context.fillText(name, x + (width - nameWidth) / 2, COLUMN_HEADER_HEIGHT_PX - 8);
      }
      if (pane.columns.isHidden(column + 1) && column + 1 < pane.columns.count) {
        const at = isMirrored ? x : x + width;
        hiddenMark(pen, at - 3, COLUMN_HEADER_HEIGHT_PX / 2, false);
      }
    }
  });
}

function paintRows(pen: Pen, { selection, view }: Scene, pane: Pane, headerX: number): void {
  const { theme } = pen;
  const thin = 1 / pen.dpr;
  const font = `500 12px ${theme.fontFamily}`;
  const headerWidth = view.rowHeaderWidthPx;
  pen.clipped(headerX, pane.box.y, headerWidth, pane.box.height, () => {
    let y = rowY(pane, pane.visible.top);
    for (let row = pane.visible.top; row <= pane.visible.bottom; row += 1) {
      const height = pane.rows.size(row);
      if (height === 0) {
        continue;
      }
      const isSelected = selection.ranges.some((range) => row >= range.top && row <= range.bottom);
      if (isSelected) {
        pen.fill(theme.headerSelectedPaper, headerX, y, headerWidth, height);
      }
      pen.fill(theme.line, headerX, pen.snap(y + height) - thin, headerWidth, thin);
      if (height >= 10) {
        const name = String(row + 1);
        const nameWidth = pen.width(font, name);
        pen.setInk(isSelected ? theme.headerSelectedInk : theme.headerInk);
        pen.context.fillText(name, headerX + (headerWidth - nameWidth) / 2, y + height / 2 + 4);
      }
      y += height;
      if (pane.rows.isHidden(row + 1) && row + 1 < pane.rows.count) {
        // Beside the numbers, which stand in the middle.
        hiddenMark(pen, headerX + 7, y - 3, true);
      }
    }
  });
}

/** Two small arrows that point away from each other: lines are hidden here, and a double press shows them. */
function hiddenMark(pen: Pen, x: number, y: number, isRow: boolean): void {
  const { context, theme } = pen;
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
  pen.forget();
}

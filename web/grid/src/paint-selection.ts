/** Draws the overlays of one pane: selections of all users, references, frames and handles. */

import type { Range } from "./address.ts";
import type { DrawingContext } from "./drawing-context.ts";
import type { Locks, OtherSelection, RenderState } from "./render-state.ts";
import { currentRange } from "./selection.ts";
import { cssColor, textColorOn, lightenedForDark } from "./theme.ts";
import { type Box, boxInPane, type Pane } from "./view.ts";

export const FILL_HANDLE_PX = 8;
export const TOUCH_HANDLE_RADIUS_PX = 7;

/** Draws all overlays except protection. */
export function paintSelections(drawing: DrawingContext, pane: Pane, state: RenderState): void {
  const { context, theme } = drawing;
  const { selection } = state;
  const activeRange = state.activeRange;
  const active = clipBox(boxInPane(pane, activeRange), pane);

  // Tints the selected ranges except the active cell.
  const current = currentRange(selection);
  const isSingle =
    selection.ranges.length === 1 &&
    current.top >= activeRange.top &&
    current.bottom <= activeRange.bottom &&
    current.left >= activeRange.left &&
    current.right <= activeRange.right;
  if (!isSingle && state.showsSelection) {
    context.save();
    context.beginPath();
    for (const range of selection.ranges) {
      const box = clipBox(boxInPane(pane, range), pane);
      context.rect(box.x, box.y, Math.max(0, box.width), Math.max(0, box.height));
    }
    context.rect(active.x, active.y, Math.max(0, active.width), Math.max(0, active.height));
    context.fillStyle = theme.accentWash;
    context.fill("evenodd");
    context.restore();
    drawing.forget();
  }

  for (const reference of state.references) {
    paintReference(drawing, pane, reference.range, cssColor(drawing.theme.isDark ? lightenedForDark(reference.color) : reference.color));
  }
  for (const other of state.others) {
    const color = theme.isDark ? lightenedForDark(other.color) : other.color;
    frame(drawing, pane, other.range, cssColor(color), 2, []);
    if (state.visibleNameTags.has(other.id)) {
      nameTag(drawing, pane, other, color, state.view.columnHeaderHeightPx);
    }
  }
  if (state.showsSelection) {
    context.globalAlpha = state.hasFocus ? 1 : 0.55;
    for (const range of isSingle ? [] : selection.ranges) {
      frame(drawing, pane, range, theme.accent, selection.ranges.length > 1 ? 1 : 2, []);
    }
    // An inner line in the background colour keeps the frame visible on a fill of its own colour.
    frame(drawing, pane, activeRange, theme.paper, 3, []);
    frame(drawing, pane, activeRange, theme.accent, 2, []);
    if (!state.editing) {
      paintHandles(drawing, pane, state);
    }
    context.globalAlpha = 1;
  }
  if (state.copied) {
    frame(drawing, pane, state.copied, theme.accent, 2, [5, 4]);
  }
  if (state.target) {
    frame(drawing, pane, state.target, theme.accent, 1.5, [3, 3]);
  }
}

/** Shades protected cells. */
export function paintLocks(drawing: DrawingContext, pane: Pane, { ranges, except }: Locks): void {
  if (ranges.length === 0 && except === undefined) {
    return;
  }
  const { context } = drawing;
  const trace = (range: Range): void => {
    const box = clipBox(boxInPane(pane, range), pane);
    context.rect(box.x, box.y, Math.max(0, box.width), Math.max(0, box.height));
  };
  context.save();
  context.globalAlpha = 0.06;
  context.fillStyle = drawing.theme.ink;
  if (except) {
    context.beginPath();
    context.rect(pane.box.x, pane.box.y, pane.box.width, pane.box.height);
    except.forEach(trace);
    context.fill("evenodd");
  }
  context.beginPath();
  ranges.forEach(trace);
  context.fill();
  context.restore();
  drawing.forget();
}

/** Draws a reference of the edited formula, with handles at its corners. */
function paintReference(drawing: DrawingContext, pane: Pane, range: Range, color: string): void {
  const { context } = drawing;
  const box = boxInPane(pane, range);
  const clipped = clipBox(box, pane);
  context.globalAlpha = 0.12;
  drawing.fill(color, clipped.x, clipped.y, Math.max(0, clipped.width), Math.max(0, clipped.height));
  context.globalAlpha = 1;
  frame(drawing, pane, range, color, 2, []);
  for (const [x, y] of corners(box)) {
    drawing.fill(color, x - 3, y - 3, 6, 6);
  }
}

/** Corners of a box: top left, top right, bottom left, bottom right. */
export function corners(box: Box): readonly (readonly [x: number, y: number])[] {
  const [right, bottom] = [box.x + box.width - 1, box.y + box.height - 1];
  return [
    [box.x, box.y],
    [right, box.y],
    [box.x, bottom],
    [right, bottom],
  ];
}

function paintHandles(drawing: DrawingContext, pane: Pane, state: RenderState): void {
  const { context, theme } = drawing;
  const box = boxInPane(pane, state.handleRange);
  const isMirrored = pane.mirrorPx !== undefined;
  const startX = isMirrored ? box.x + box.width : box.x;
  const endX = isMirrored ? box.x + 1 : box.x + box.width - 1;
  const bottom = box.y + box.height - 1;
  drawing.setFillColor(theme.accent);
  context.strokeStyle = theme.paper;
  context.lineWidth = 1.5;
  if (state.isTouch) {
    for (const [x, y] of [
      [startX, box.y],
      [endX, bottom],
    ] as const) {
      context.beginPath();
      context.arc(x, y, TOUCH_HANDLE_RADIUS_PX, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
    return;
  }
  if (state.canFill) {
    const half = FILL_HANDLE_PX / 2;
    context.fillRect(endX - half, bottom - half, FILL_HANDLE_PX, FILL_HANDLE_PX);
    context.strokeRect(endX - half - 0.5, bottom - half - 0.5, FILL_HANDLE_PX + 1, FILL_HANDLE_PX + 1);
  }
}

function frame(drawing: DrawingContext, pane: Pane, range: Range, color: string, widthPx: number, dash: readonly number[]): void {
  const { context } = drawing;
  const box = clipBox(boxInPane(pane, range), pane);
  if (box.width <= 0 || box.height <= 0) {
    return;
  }
  context.strokeStyle = color;
  context.lineWidth = widthPx;
  context.setLineDash([...dash]);
  const inset = widthPx / 2;
  context.strokeRect(box.x - 1 + inset, box.y - 1 + inset, box.width + 1 - widthPx, box.height + 1 - widthPx);
  context.setLineDash([]);
}

/** Draws the name above the selection, or below it where the headers would cover it. */
function nameTag(drawing: DrawingContext, pane: Pane, { name, range }: OtherSelection, color: number, headerHeightPx: number): void {
  const { context, theme } = drawing;
  const box = boxInPane(pane, range);
  const font = `600 11px ${theme.fontFamily}`;
  const width = drawing.width(font, name) + 10;
  const height = 16;
  const above = box.y - height;
  const x = Math.max(box.x - 1, pane.box.x);
  const y = above >= headerHeightPx ? above : box.y + Math.min(box.height, pane.box.height) - 1;
  drawing.setFillColor(cssColor(color));
  context.beginPath();
  context.roundRect(x, y, width, height, [4, 4, 4, 0]);
  context.fill();
  drawing.setFillColor(textColorOn(color));
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(name, x + 5, y + 12);
}

/** Clips a box to the pane plus a margin, because canvas coordinates are limited. */
function clipBox(box: Box, pane: Pane): Box {
  const margin = 8;
  const left = Math.max(box.x, pane.box.x - margin);
  const top = Math.max(box.y, pane.box.y - margin);
  const right = Math.min(box.x + box.width, pane.box.x + pane.box.width + margin);
  const bottom = Math.min(box.y + box.height, pane.box.y + pane.box.height + margin);
  return { x: left, y: top, width: right - left, height: bottom - top };
}


/** Draws what lies over the cells of one pane: selections, own and others', references, frames, handles. */

import type { Range } from "./address.ts";
import type { Pen } from "./pen.ts";
import type { Locks, OtherSelection, Scene } from "./scene.ts";
import { currentRange } from "./selection.ts";
import { cssColor, inkOn, lightened } from "./theme.ts";
import { type Box, boxInPane, COLUMN_HEADER_HEIGHT_PX, type Pane } from "./view.ts";

export const FILL_HANDLE_PX = 8;
export const TOUCH_HANDLE_RADIUS_PX = 7;

export function paintSelections(pen: Pen, pane: Pane, scene: Scene): void {
  const { context, theme } = pen;
  const { selection } = scene;
  const activeRange = scene.activeRange;
  const active = clipBox(boxInPane(pane, activeRange), pane);

  // The wash covers the selected ranges but for the active cell.
  const current = currentRange(selection);
  const isSingle =
    selection.ranges.length === 1 &&
    current.top >= activeRange.top &&
    current.bottom <= activeRange.bottom &&
    current.left >= activeRange.left &&
    current.right <= activeRange.right;
  if (!isSingle) {
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
    pen.forget();
  }

  for (const reference of scene.references) {
    paintReference(pen, pane, reference.range, cssColor(pen.theme.isDark ? lightened(reference.color) : reference.color));
  }
  for (const other of scene.others) {
    const color = theme.isDark ? lightened(other.color) : other.color;
    frame(pen, pane, other.range, cssColor(color), 2, []);
    if (scene.named.has(other.id)) {
      nameTag(pen, pane, other, color);
    }
  }
  context.globalAlpha = scene.hasFocus ? 1 : 0.55;
  for (const range of isSingle ? [] : selection.ranges) {
    frame(pen, pane, range, theme.accent, selection.ranges.length > 1 ? 1 : 2, []);
  }
  // A line of paper within: the frame is seen on a fill of its own colour, too.
  frame(pen, pane, activeRange, theme.paper, 3, []);
  frame(pen, pane, activeRange, theme.accent, 2, []);
  if (!scene.editing) {
    paintHandles(pen, pane, scene);
  }
  context.globalAlpha = 1;
  if (scene.copied) {
    frame(pen, pane, scene.copied, theme.accent, 2, [5, 4]);
  }
  if (scene.target) {
    frame(pen, pane, scene.target, theme.accent, 1.5, [3, 3]);
  }
}

/** A shade over cells that cannot be changed; what stays open of a whole sheet keeps its paper. */
export function paintLocks(pen: Pen, pane: Pane, { ranges, but }: Locks): void {
  if (ranges.length === 0 && but === undefined) {
    return;
  }
  const { context } = pen;
  const trace = (range: Range): void => {
    const box = clipBox(boxInPane(pane, range), pane);
    context.rect(box.x, box.y, Math.max(0, box.width), Math.max(0, box.height));
  };
  context.save();
  context.globalAlpha = 0.06;
  context.fillStyle = pen.theme.ink;
  if (but) {
    context.beginPath();
    context.rect(pane.box.x, pane.box.y, pane.box.width, pane.box.height);
    but.forEach(trace);
    context.fill("evenodd");
  }
  context.beginPath();
  ranges.forEach(trace);
  context.fill();
  context.restore();
  pen.forget();
}

/** A reference of the formula being typed; its corners can be dragged. */
function paintReference(pen: Pen, pane: Pane, range: Range, color: string): void {
  const { context } = pen;
  const box = boxInPane(pane, range);
  const clipped = clipBox(box, pane);
  context.globalAlpha = 0.12;
  pen.fill(color, clipped.x, clipped.y, Math.max(0, clipped.width), Math.max(0, clipped.height));
  context.globalAlpha = 1;
  frame(pen, pane, range, color, 2, []);
  for (const [x, y] of corners(box)) {
    pen.fill(color, x - 3, y - 3, 6, 6);
  }
}

export function corners(box: Box): readonly (readonly [x: number, y: number])[] {
  const [right, bottom] = [box.x + box.width - 1, box.y + box.height - 1];
  return [
    [box.x, box.y],
    [right, box.y],
    [box.x, bottom],
    [right, bottom],
  ];
}

function paintHandles(pen: Pen, pane: Pane, scene: Scene): void {
  const { context, theme } = pen;
  const box = boxInPane(pane, scene.handleRange);
  const isMirrored = pane.mirrorPx !== undefined;
  const startX = isMirrored ? box.x + box.width : box.x;
  const endX = isMirrored ? box.x + 1 : box.x + box.width - 1;
  const bottom = box.y + box.height - 1;
  pen.setInk(theme.accent);
  context.strokeStyle = theme.paper;
  context.lineWidth = 1.5;
  if (scene.isTouch) {
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
  if (scene.canFill) {
    const half = FILL_HANDLE_PX / 2;
    context.fillRect(endX - half, bottom - half, FILL_HANDLE_PX, FILL_HANDLE_PX);
    context.strokeRect(endX - half - 0.5, bottom - half - 0.5, FILL_HANDLE_PX + 1, FILL_HANDLE_PX + 1);
  }
}

function frame(pen: Pen, pane: Pane, range: Range, color: string, widthPx: number, dash: readonly number[]): void {
  const { context } = pen;
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

function nameTag(pen: Pen, pane: Pane, { name, range }: OtherSelection, color: number): void {
  const { context, theme } = pen;
  const box = boxInPane(pane, range);
  const font = `600 11px ${theme.fontFamily}`;
  const width = pen.width(font, name) + 10;
  const height = 16;
  const above = box.y - height;
  const x = Math.max(box.x - 1, pane.box.x);
  const y = above >= COLUMN_HEADER_HEIGHT_PX ? above : box.y + Math.min(box.height, pane.box.height) - 1;
  pen.setInk(cssColor(color));
  context.beginPath();
  context.roundRect(x, y, width, height, [4, 4, 4, 0]);
  context.fill();
  pen.setInk(inkOn(color));
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(name, x + 5, y + 12);
}

/** Keeps coordinates small enough for the canvas while the visible edges stay where they are. */
function clipBox(box: Box, pane: Pane): Box {
  const margin = 8;
  const left = Math.max(box.x, pane.box.x - margin);
  const top = Math.max(box.y, pane.box.y - margin);
  const right = Math.min(box.x + box.width, pane.box.x + pane.box.width + margin);
  const bottom = Math.min(box.y + box.height, pane.box.y + pane.box.height + margin);
  return { x: left, y: top, width: right - left, height: bottom - top };
}


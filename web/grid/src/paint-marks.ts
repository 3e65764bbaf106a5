/** Draws what cells show besides text: bars, icons, checkboxes, arrows of lists, corners of notes, sparklines. */

import type { CellMark } from "@quadrille/protocol";
import { paintIcon } from "./paint-icons.ts";
import type { ResolvedStyle, Pen } from "./pen.ts";
import { cssColor } from "./theme.ts";
import type { Box } from "./view.ts";

const ICON_PX = 14;
const LIST_ARROW_PX = 16;
/** The button and the gap before it. */
const FILTER_PX = 20;
const CHECKBOX_PX = 13;
const CORNER_PX = 6;
const NOTE_COLOR = "#e8a33d";
const COMMENT_COLOR = "#7c5cd6";
const INVALID_COLOR = "#d93025";

/** Few sheets have small charts: what draws them comes with the first one. */
let sparks: typeof import("./paint-spark.ts") | undefined;

/** Before cells are drawn once and for all, as on paper. */
export async function loadSparks(): Promise<void> {
  sparks = await import("./paint-spark.ts");
}

/** Room that marks take from a cell's text. */
export function markRoom(mark: CellMark, zoom: number, isMirrored: boolean): { readonly left: number; readonly right: number } {
  const start = mark.icon ? (ICON_PX + 4) * zoom : 0;
  const end = mark.isFiltering !== undefined ? FILTER_PX * zoom : mark.hasList ? LIST_ARROW_PX * zoom : 0;
  return isMirrored ? { left: end, right: start } : { left: start, right: end };
}

/** Behind the text. */
export function paintMarkBehind(pen: Pen, box: Box, mark: CellMark, _look: ResolvedStyle | undefined): void {
  if (mark.bar) {
    paintBar(pen, box, mark.bar);
  }
  if (mark.spark) {
    if (sparks) {
      sparks.paintSpark(pen, box, mark.spark);
    } else {
      void loadSparks().then(() => pen.loaded?.());
    }
  }
}

/** Over the text. */
export function paintMarkBefore(pen: Pen, box: Box, mark: CellMark, isMirrored: boolean): void {
  const { context, zoom, theme } = pen;
  if (mark.icon) {
    const size = Math.min(ICON_PX * zoom, box.height - 4);
    const x = isMirrored ? box.x + box.width - 4 - size : box.x + 4;
    paintIcon(context, mark.icon.set, mark.icon.index, x, box.y + (box.height - size) / 2, size);
    pen.forget();
  }
  if (mark.isChecked !== undefined) {
    paintCheckbox(pen, box, mark.isChecked);
  }
  if (pen.isPaper) {
    return;
  }
  if (mark.hasList && pen.mayEdit) {
    const size = 7 * zoom;
    const x = isMirrored ? box.x + 5 * zoom : box.x + box.width - size - 5 * zoom;
    const y = box.y + box.height / 2 - 2 * zoom;
    context.globalAlpha = 0.6;
    pen.setInk(theme.ink);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + size, y);
    context.lineTo(x + size / 2, y + 5 * zoom);
    context.fill();
    context.globalAlpha = 1;
  }
  if (mark.isFiltering !== undefined) {
    paintFilter(pen, box, mark.isFiltering, isMirrored);
  }
  const corner = (color: string, isAtStart: boolean): void => {
    const isLeft = isAtStart !== isMirrored;
    const x = isLeft ? box.x : box.x + box.width - 1;
    const away = isLeft ? CORNER_PX : -CORNER_PX;
    pen.setInk(color);
    context.beginPath();
    context.moveTo(x, box.y);
    context.lineTo(x + away, box.y);
    context.lineTo(x, box.y + CORNER_PX);
    context.fill();
  };
  if (mark.note) {
    corner(NOTE_COLOR, false);
  }
  if (mark.hasComment) {
    corner(COMMENT_COLOR, false);
  }
  if (mark.isInvalid) {
    corner(INVALID_COLOR, true);
    if (pen.circlesInvalid) {
      paintCircle(context, box);
    }
  }
}

/** A little wider than the cell, as one would draw it by hand. */
function paintCircle(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  context.save();
  context.strokeStyle = INVALID_COLOR;
  context.lineWidth = 2;
  context.beginPath();
  context.ellipse(x + width / 2, y + height / 2, width / 2 + 1, height / 2 + 1, 0, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

/** The button of a filtered column: on paper of its own, since headers are often filled. */
function paintFilter(pen: Pen, box: Box, isFiltering: boolean, isMirrored: boolean): void {
  const { context, theme, zoom } = pen;
  const size = Math.min(LIST_ARROW_PX * zoom, box.height - 4);
  const x = isMirrored ? box.x + 2 : box.x + box.width - size - 3;
  const y = box.y + (box.height - 1 - size) / 2;
  pen.setInk(isFiltering ? theme.accent : theme.paper);
  context.beginPath();
  context.roundRect(x, y, size, size, 3);
  context.fill();
  // Three lines, each shorter than the one above.
  pen.setInk(isFiltering ? theme.paper : theme.accent);
  const line = Math.max(1, 1.6 * zoom);
  for (const [at, share] of [0.62, 0.38, 0.16].entries()) {
    const width = Math.max(line, size * share);
    context.fillRect(x + (size - width) / 2, y + size * (0.28 + at * 0.2), width, line);
  }
}

function paintBar(pen: Pen, box: Box, bar: NonNullable<CellMark["bar"]>): void {
  const { context } = pen;
  const inside = { x: box.x + 2, y: box.y + 2, width: box.width - 5, height: box.height - 5 };
  const from = inside.x + inside.width * Math.min(bar.start, bar.end);
  const width = inside.width * Math.abs(bar.end - bar.start);
  const color = cssColor(bar.color);
  context.globalAlpha = 0.75;
  if (bar.isGradient && width > 0) {
    const isForward = bar.end >= bar.start;
    const gradient = context.createLinearGradient(isForward ? from : from + width, 0, isForward ? from + width : from, 0);
    gradient.addColorStop(0, color);
    gradient.addColorStop(1, `${color}30`);
    context.fillStyle = gradient;
    pen.forget();
    context.fillRect(from, inside.y, width, inside.height);
  } else {
    pen.fill(color, from, inside.y, width, inside.height);
  }
  context.globalAlpha = 1;
  if (bar.start > 0 && bar.start < 1) {
    pen.fill(pen.theme.headerInk, inside.x + inside.width * bar.start, inside.y - 1, 1, inside.height + 2);
  }
}

function paintCheckbox(pen: Pen, box: Box, isChecked: boolean): void {
  const { context, theme, zoom } = pen;
  const size = Math.min(CHECKBOX_PX * zoom, box.height - 4);
  const x = Math.round(box.x + (box.width - size) / 2);
  const y = Math.round(box.y + (box.height - size) / 2);
  context.save();
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, size - 1, size - 1, 3);
  if (isChecked) {
    context.fillStyle = pen.mayEdit ? theme.accent : theme.headerInk;
    context.fill();
    context.strokeStyle = theme.paper;
    context.lineWidth = 2 * zoom;
    context.beginPath();
    context.moveTo(x + size * 0.24, y + size * 0.52);
    context.lineTo(x + size * 0.43, y + size * 0.7);
    context.lineTo(x + size * 0.77, y + size * 0.32);
    context.stroke();
  } else {
    context.strokeStyle = theme.headerInk;
    context.stroke();
  }
  context.restore();
  pen.forget();
}

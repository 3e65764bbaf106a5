/**
 * Draws the marks of cells: data bars, icons, checkboxes, list arrows, filter buttons, note
 * corners, sparklines.
 */

import type { CellMark } from "@quadrille/protocol";
import type { ResolvedStyle, DrawingContext } from "./drawing-context.ts";
import { cssColor } from "./theme.ts";
import type { Box } from "./view.ts";

const ICON_PX = 14;
const LIST_ARROW_PX = 16;
/** Width of the filter button with the gap before it. */
const FILTER_PX = 20;
const CHECKBOX_PX = 13;
const CORNER_PX = 6;
const NOTE_COLOR = "#e8a33d";
const COMMENT_COLOR = "#7c5cd6";
const INVALID_COLOR = "#d93025";

/** Loaded with the first cell that needs them. */
let laterPainters: LaterPainters | undefined;

type LaterPainters = typeof import("./later-painters.ts");

/** Loads the painters of what few sheets have. Await it before painting cells only once, as for printing. */
export async function loadLaterPainters(): Promise<LaterPainters> {
  return (laterPainters = await import("./later-painters.ts"));
}

/** Draws with a painter that is loaded later: now, or again when it is loaded. */
export function paintLater(drawing: DrawingContext, draw: (painters: LaterPainters) => void): void {
  if (laterPainters) {
    draw(laterPainters);
  } else {
    void loadLaterPainters().then(() => drawing.loaded?.());
  }
}

/** The star of a cell at a point, counted from 1. */
export function starAt(...at: Parameters<LaterPainters["starAt"]>): number | undefined {
  return laterPainters?.starAt(...at);
}

/** Width in pixels that marks take from the text, on each side of the cell. */
export function markInset(mark: CellMark, zoom: number, isMirrored: boolean): { readonly left: number; readonly right: number } {
  const start = mark.icon ? (ICON_PX + 4) * zoom : 0;
  const end = mark.isFiltering !== undefined ? FILTER_PX * zoom : mark.hasList ? LIST_ARROW_PX * zoom : 0;
  return isMirrored ? { left: end, right: start } : { left: start, right: end };
}

/** Draws the marks behind the text: data bars and sparklines. */
export function paintMarkBehind(drawing: DrawingContext, box: Box, mark: CellMark, resolved: ResolvedStyle | undefined, isMirrored: boolean): void {
  if (mark.control === "button" || mark.control === "field" || mark.control === "list") {
    paintControl(drawing, box, mark.control === "button");
  }
  const image = mark.image === undefined ? undefined : drawing.imageOf?.(mark.image);
  if (image) {
    paintImage(drawing, box, image);
  }
  if (mark.bar) {
    paintBar(drawing, box, mark.bar);
  }
  const { rating, spark } = mark;
  if (spark) {
    paintLater(drawing, ({ paintSparkline }) => paintSparkline(drawing, box, spark));
  }
  if (resolved && rating !== undefined) {
    paintLater(drawing, ({ paintRating }) => paintRating(drawing, box, rating, resolved, isMirrored));
  }
}

/** Draws the marks in front of the text. */
export function paintMarkInFront(drawing: DrawingContext, box: Box, mark: CellMark, isMirrored: boolean): void {
  const { context, zoom, theme } = drawing;
  if (mark.icon) {
    const size = Math.min(ICON_PX * zoom, box.height - 4);
    const x = isMirrored ? box.x + box.width - 4 - size : box.x + 4;
    const { set, index } = mark.icon;
    paintLater(drawing, ({ paintIcon }) => {
      paintIcon(context, set, index, x, box.y + (box.height - size) / 2, size);
      drawing.forget();
    });
  }
  if (mark.isChecked !== undefined) {
    paintCheckbox(drawing, box, mark.isChecked, mark.control === "radio");
  }
  if (drawing.isPaper) {
    return;
  }
  // The arrow of a single chip is drawn in it.
  if (mark.hasList && drawing.canEdit && mark.chips?.length !== 1) {
    const size = 7 * zoom;
    const x = isMirrored ? box.x + 5 * zoom : box.x + box.width - size - 5 * zoom;
    const y = box.y + box.height / 2 - 2 * zoom;
    context.globalAlpha = 0.6;
    drawing.setFillColor(theme.ink);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + size, y);
    context.lineTo(x + size / 2, y + 5 * zoom);
    context.fill();
    context.globalAlpha = 1;
  }
  if (mark.isFiltering !== undefined) {
    paintFilter(drawing, box, mark.isFiltering, isMirrored);
  }
  const corner = (color: string, isAtStart: boolean): void => {
    const isLeft = isAtStart !== isMirrored;
    const x = isLeft ? box.x : box.x + box.width - 1;
    const away = isLeft ? CORNER_PX : -CORNER_PX;
    drawing.setFillColor(color);
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
    if (drawing.circlesInvalid) {
      paintCircle(context, box);
    }
  }
}

/** Draws the ellipse of "circle invalid data", slightly larger than the cell. */
function paintCircle(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  context.save();
  context.strokeStyle = INVALID_COLOR;
  context.lineWidth = 2;
  context.beginPath();
  context.ellipse(x + width / 2, y + height / 2, width / 2 + 1, height / 2 + 1, 0, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

/** Draws a filter button. It has its own background, because header cells often have a fill. */
function paintFilter(drawing: DrawingContext, box: Box, isFiltering: boolean, isMirrored: boolean): void {
  const { context, theme, zoom } = drawing;
  const size = Math.min(LIST_ARROW_PX * zoom, box.height - 4);
  const x = isMirrored ? box.x + 2 : box.x + box.width - size - 3;
  const y = box.y + (box.height - 1 - size) / 2;
  drawing.setFillColor(isFiltering ? theme.accent : theme.paper);
  context.beginPath();
  context.roundRect(x, y, size, size, 3);
  context.fill();
  // The funnel: three lines of decreasing length.
  drawing.setFillColor(isFiltering ? theme.paper : theme.accent);
  const line = Math.max(1, 1.6 * zoom);
  for (const [at, share] of [0.62, 0.38, 0.16].entries()) {
    const width = Math.max(line, size * share);
    context.fillRect(x + (size - width) / 2, y + size * (0.28 + at * 0.2), width, line);
  }
}

function paintBar(drawing: DrawingContext, box: Box, bar: NonNullable<CellMark["bar"]>): void {
  const { context } = drawing;
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
    drawing.forget();
    context.fillRect(from, inside.y, width, inside.height);
  } else {
    drawing.fill(color, from, inside.y, width, inside.height);
  }
  context.globalAlpha = 1;
  if (bar.start > 0 && bar.start < 1) {
    drawing.fill(drawing.theme.headerInk, inside.x + inside.width * bar.start, inside.y - 1, 1, inside.height + 2);
  }
}

/** Draws the image of a button, as large as it fits without its proportions changing. */
function paintImage({ context }: DrawingContext, box: Box, image: ImageBitmap): void {
  const { width, height } = image;
  const scale = Math.min((box.width - 6) / width, (box.height - 6) / height);
  if (scale > 0) {
    const [shownWidth, shownHeight] = [width * scale, height * scale];
    context.drawImage(image, box.x + (box.width - shownWidth) / 2, box.y + (box.height - shownHeight) / 2, shownWidth, shownHeight);
  }
}

/** Draws the frame of a form control; that of a button is filled. */
function paintControl(drawing: DrawingContext, box: Box, isButton: boolean): void {
  const { context, theme } = drawing;
  context.save();
  context.beginPath();
  context.roundRect(box.x + 1.5, box.y + 1.5, box.width - 4, box.height - 4, 4);
  if (isButton) {
    context.fillStyle = theme.headerPaper;
    context.fill();
  }
  context.globalAlpha = 0.6;
  context.strokeStyle = theme.headerInk;
  context.stroke();
  context.restore();
  drawing.forget();
}

function paintCheckbox(drawing: DrawingContext, box: Box, isChecked: boolean, isRound: boolean): void {
  const { context, theme, zoom } = drawing;
  const size = Math.min(CHECKBOX_PX * zoom, box.height - 4);
  const x = Math.round(box.x + (box.width - size) / 2);
  const y = Math.round(box.y + (box.height - size) / 2);
  context.save();
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, size - 1, size - 1, isRound ? size / 2 : 3);
  if (isChecked && isRound) {
    // A ring within the outline of a button that is not chosen.
    context.strokeStyle = drawing.canEdit ? theme.accent : theme.headerInk;
    context.lineWidth = size / 3;
    context.beginPath();
    context.arc(x + size / 2, y + size / 2, size / 3, 0, 2 * Math.PI);
    context.stroke();
  } else if (isChecked) {
    context.fillStyle = drawing.canEdit ? theme.accent : theme.headerInk;
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
  drawing.forget();
}

/** Draws ratings: stars in place of a number from 0 to 5. */

import { Align, NO_COLOR } from "@quadrille/protocol";
import type { DrawingContext, ResolvedStyle } from "./drawing-context.ts";
import { cssColor, LINE_CONTRAST, luminanceOf } from "./theme.ts";
import type { Box } from "./view.ts";

/** Stars of the highest rating. */
const STARS = 5;
/** Space between the border of a cell and its stars, at zoom 1. */
const PADDING_PX = 5;
/** Width of a star as a multiple of the font size, and its distance to the next as a multiple of its width. */
const STAR_SIZE = 1.1;
const STAR_STEP = 1.12;
/** Radius of the inner corners, for a radius of 1 of the outer ones: those of a regular pentagram. */
const INNER_RADIUS = 0.382;
/** Colours of stars on light and dark backgrounds. */
const STAR_COLORS = [0xa85b00, 0xffc24d];

interface Layout {
  /** The left end of the stars, and their middle. */
  readonly left: number;
  readonly middle: number;
  readonly sizePx: number;
  readonly stepPx: number;
}

/** Draws the stars of a cell, of which the first `stars` are filled. */
export function paintRating(drawing: DrawingContext, box: Box, stars: number, resolved: ResolvedStyle, isMirrored: boolean): void {
  const { context } = drawing;
  if (stars === 0 && (drawing.isPaper || !drawing.canEdit)) {
    return; // Nobody can rate here.
  }
  const { left, middle, sizePx, stepPx } = layOut(drawing, box, resolved, isMirrored);
  const color = starColor(drawing, resolved);
  const radius = sizePx / 2;
  context.save();
  context.lineJoin = "round";
  context.lineWidth = Math.max(0.75, sizePx / 14);
  context.fillStyle = color;
  for (let star = 0; star < STARS; star += 1) {
    const isFilled = (isMirrored ? STARS - 1 - star : star) < stars;
    drawStar(context, left + star * stepPx + radius, middle + radius * 0.06, radius - context.lineWidth / 2);
    if (isFilled) {
      context.fill();
    }
    context.globalAlpha = isFilled ? 1 : 0.6;
    context.strokeStyle = isFilled ? color : resolved.ink;
    context.stroke();
    context.globalAlpha = 1;
  }
  context.restore();
  drawing.forget();
}

/** The colour of the cell's text if it has one; on fills of a similar brightness black or white. */
function starColor({ theme }: DrawingContext, { style, fill, ink }: ResolvedStyle): string {
  const onPaper = STAR_COLORS[theme.isDark ? 1 : 0];
  const color = fill === undefined ? onPaper : STAR_COLORS.find((one) => contrastOf(one, Number.parseInt(fill.slice(1), 16)) >= LINE_CONTRAST);
  return style.textColor !== NO_COLOR || color === undefined ? ink : cssColor(color);
}

/** Contrast ratio of WCAG 2 of two colours: 1 to 21. */
function contrastOf(one: number, other: number): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The star of a cell at a point, counted from 1; `undefined` beside the stars. */
export function starAt(drawing: DrawingContext, box: Box, resolved: ResolvedStyle, isMirrored: boolean, x: number, y: number): number | undefined {
  const { left, middle, sizePx, stepPx } = layOut(drawing, box, resolved, isMirrored);
  const at = Math.floor((x - left) / stepPx);
  const isInside = at >= 0 && at < STARS && Math.abs(y - middle) <= sizePx / 2 + 2;
  return isInside ? (isMirrored ? STARS - at : at + 1) : undefined;
}

/** Stars are as large as the cell allows, at the start of the cell unless it is aligned otherwise. */
function layOut({ zoom }: DrawingContext, box: Box, { style, fontPx }: ResolvedStyle, isMirrored: boolean): Layout {
  const padding = PADDING_PX * zoom;
  const room = Math.max(0, box.width - 1 - 2 * padding);
  const sizePx = Math.max(1, Math.min(fontPx * STAR_SIZE, box.height - 3, room / (1 + (STARS - 1) * STAR_STEP)));
  const stepPx = sizePx * STAR_STEP;
  const free = room - sizePx - (STARS - 1) * stepPx;
  const align = style.horizontal;
  const share = align === Align.Center ? 0.5 : (align === Align.End) === isMirrored ? 0 : 1;
  const height = box.height - 1;
  const inset = sizePx / 2 + 2;
  const middle = style.vertical === Align.Start ? inset : style.vertical === Align.Center ? height / 2 : height - inset;
  return { left: box.x + padding + free * share, middle: box.y + (height < 2 * inset ? height / 2 : middle), sizePx, stepPx };
}

/** Makes the path of a five-pointed star. */
function drawStar(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  for (let corner = 0; corner < 10; corner += 1) {
    const angle = (corner * Math.PI) / 5 - Math.PI / 2;
    const length = corner % 2 === 0 ? radius : radius * INNER_RADIUS;
    const [cornerX, cornerY] = [x + Math.cos(angle) * length, y + Math.sin(angle) * length];
    if (corner === 0) {
      context.moveTo(cornerX, cornerY);
    } else {
      context.lineTo(cornerX, cornerY);
    }
  }
  context.closePath();
}

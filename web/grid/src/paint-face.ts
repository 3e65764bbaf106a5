/** Draws the circle with the initials of a person at the start of their chip. */

import { type DrawingContext, type Face, faces } from "./drawing-context.ts";
import { cssColor, textColorOn } from "./theme.ts";

/** Size of the initials as a multiple of the circle's diameter. */
const INITIALS_SIZE = 0.46;

/** Drawn until the people are known. */
const UNKNOWN: Face = { color: 0x6b7280, initials: "" };

/** Draws the face of a person in a square. */
export function paintFace(drawing: DrawingContext, name: string, x: number, y: number, sizePx: number): void {
  const { context, theme } = drawing;
  const face = faces.of(name) ?? UNKNOWN;
  drawing.setFillColor(cssColor(face.color));
  context.beginPath();
  context.arc(x + sizePx / 2, y + sizePx / 2, sizePx / 2, 0, 2 * Math.PI);
  context.fill();
  const initialsPx = sizePx * INITIALS_SIZE;
  const font = `700 ${initialsPx}px ${theme.fontFamily}`;
  drawing.setFillColor(textColorOn(face.color));
  const width = drawing.width(font, face.initials);
  drawing.letters(face.initials, x + (sizePx - width) / 2, y + sizePx / 2 + initialsPx * 0.36);
}

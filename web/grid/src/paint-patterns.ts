/**
 * Draws fill patterns as lines, so that they also print as vectors. Lines are placed on a grid of the
 * pane, and patterns of adjacent cells join.
 */

import { FillPattern } from "@quadrille/protocol";
import type { DrawingContext } from "./drawing-context.ts";

/** Lines of a pattern: directions, the distance between lines and their width, and dashes. */
interface Hatch {
  readonly directions: readonly ("horizontal" | "vertical" | "down" | "up")[];
  readonly stepPx: number;
  readonly widthPx: number;
  readonly dash?: readonly [on: number, off: number];
}

const HATCHES: Readonly<Record<Exclude<FillPattern, FillPattern.Solid>, Hatch>> = {
  // Dots are dashes of one pixel; their density is that of the pattern's name.
  [FillPattern.DarkGray]: { directions: ["horizontal"], stepPx: 2, widthPx: 2, dash: [3, 1] },
  [FillPattern.MediumGray]: { directions: ["horizontal"], stepPx: 1, widthPx: 1, dash: [1, 1] },
  [FillPattern.LightGray]: { directions: ["horizontal"], stepPx: 2, widthPx: 1, dash: [1, 1] },
  [FillPattern.Gray125]: { directions: ["horizontal"], stepPx: 2, widthPx: 1, dash: [1, 3] },
  [FillPattern.Gray0625]: { directions: ["horizontal"], stepPx: 4, widthPx: 1, dash: [1, 3] },
  [FillPattern.DarkHorizontal]: { directions: ["horizontal"], stepPx: 4, widthPx: 2 },
  [FillPattern.DarkVertical]: { directions: ["vertical"], stepPx: 4, widthPx: 2 },
  [FillPattern.DarkDown]: { directions: ["down"], stepPx: 4, widthPx: 1.6 },
  [FillPattern.DarkUp]: { directions: ["up"], stepPx: 4, widthPx: 1.6 },
  [FillPattern.DarkGrid]: { directions: ["horizontal", "vertical"], stepPx: 4, widthPx: 1.6 },
  [FillPattern.DarkTrellis]: { directions: ["down", "up"], stepPx: 4, widthPx: 1.4 },
  [FillPattern.LightHorizontal]: { directions: ["horizontal"], stepPx: 4, widthPx: 1 },
  [FillPattern.LightVertical]: { directions: ["vertical"], stepPx: 4, widthPx: 1 },
  [FillPattern.LightDown]: { directions: ["down"], stepPx: 4, widthPx: 0.8 },
  [FillPattern.LightUp]: { directions: ["up"], stepPx: 4, widthPx: 0.8 },
  [FillPattern.LightGrid]: { directions: ["horizontal", "vertical"], stepPx: 4, widthPx: 0.8 },
  [FillPattern.LightTrellis]: { directions: ["down", "up"], stepPx: 4, widthPx: 0.7 },
};

/** Draws a pattern over a rectangle. */
export function paintPattern(
  drawing: DrawingContext,
  pattern: FillPattern,
  ink: string,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  if (pattern === FillPattern.Solid || width <= 0 || height <= 0) {
    return;
  }
  const { context } = drawing;
  const { directions, stepPx, widthPx, dash } = HATCHES[pattern];
  drawing.clipped(x, y, width, height, () => {
    context.strokeStyle = ink;
    context.lineWidth = widthPx;
    const startX = Math.floor(x / 4) * 4;
    const startY = Math.floor(y / 4) * 4;
    if (dash) {
      // The dots of every second line are shifted by half their distance.
      context.setLineDash([...dash]);
      context.beginPath();
      let shiftPx = 0;
      for (let at = startY + widthPx / 2; at < y + height; at += stepPx) {
        context.moveTo(startX - shiftPx, at);
        context.lineTo(x + width, at);
        shiftPx = (dash[0] + dash[1]) / 2 - shiftPx;
      }
      context.stroke();
      return;
    }
    context.beginPath();
    for (const direction of directions) {
      switch (direction) {
        case "horizontal":
          for (let at = startY + widthPx / 2; at < y + height; at += stepPx) {
            context.moveTo(startX, at);
            context.lineTo(x + width, at);
          }
          break;
        case "vertical":
          for (let at = startX + widthPx / 2; at < x + width; at += stepPx) {
            context.moveTo(at, startY);
            context.lineTo(at, y + height);
          }
          break;
        case "down":
        case "up": {
          const rise = y + height - startY;
          for (let at = startX - Math.ceil(rise / 4) * 4; at < x + width; at += stepPx) {
            context.moveTo(at, direction === "down" ? startY : startY + rise);
            context.lineTo(at + rise, direction === "down" ? startY + rise : startY);
          }
          break;
        }
      }
    }
    context.stroke();
  });
}

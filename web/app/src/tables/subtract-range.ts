/** Subtraction of ranges. */

import type { Range } from "@quadrille/grid";

/** The parts of `range` around `hole`; `range` itself if they have no cells in common. */
export function subtract(range: Range, hole: Range): readonly Range[] {
  const inside = {
    top: Math.max(range.top, hole.top),
    bottom: Math.min(range.bottom, hole.bottom),
    left: Math.max(range.left, hole.left),
    right: Math.min(range.right, hole.right),
  };
  if (inside.top > inside.bottom || inside.left > inside.right) {
    return [range];
  }
  const parts: Range[] = [
    { ...range, bottom: inside.top - 1 },
    { ...inside, left: range.left, right: inside.left - 1 },
    { ...inside, left: inside.right + 1, right: range.right },
    { ...range, top: inside.bottom + 1 },
  ];
  return parts.filter(({ top, bottom, left, right }) => top <= bottom && left <= right);
}

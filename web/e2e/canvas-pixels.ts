/** Reads pixels of the canvas. */

import type { User } from "./user.ts";

/**
 * Number of pixels of a cell that have about this colour, without the outer 2 pixels, where selections
 * are drawn: those of other people may have the same colour.
 */
export async function pixels(person: User, cell: string, color: readonly [number, number, number]): Promise<number> {
  const at = await person.point(cell);
  return person.page.evaluate(
    ({ x, y, color }) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".grid-canvas");
      const box = canvas?.getBoundingClientRect();
      if (!canvas || !box) {
        throw new Error("no canvas on the page");
      }
      const scale = canvas.width / box.width;
      const [left, top] = [(x - box.left - 46) * scale, (y - box.top - 9) * scale];
      const data = canvas.getContext("2d")?.getImageData(left, top, 92 * scale, 18 * scale).data ?? [];
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        count += color.every((part, channel) => Math.abs((data[at + channel] ?? 0) - part) < 40) ? 1 : 0;
      }
      return count;
    },
    { ...at, color },
  );
}

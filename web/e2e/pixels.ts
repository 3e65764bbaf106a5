/** What the canvas shows. */

import type { Person } from "./sheet.ts";

/** How many pixels of a cell are of about this colour, as the canvas has them. */
export async function pixels(person: Person, cell: string, color: readonly [number, number, number]): Promise<number> {
  const at = await person.point(cell);
  return person.page.evaluate(
    ({ x, y, color }) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".grid-canvas");
      const box = canvas?.getBoundingClientRect();
      if (!canvas || !box) {
        throw new Error("no canvas on the page");
      }
      const scale = canvas.width / box.width;
      const [left, top] = [(x - box.left - 48) * scale, (y - box.top - 11) * scale];
      const data = canvas.getContext("2d")?.getImageData(left, top, 96 * scale, 22 * scale).data ?? [];
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        count += color.every((part, channel) => Math.abs((data[at + channel] ?? 0) - part) < 40) ? 1 : 0;
      }
      return count;
    },
    { ...at, color },
  );
}

/** A fast fling: so far each frame that nothing of the last one can be used again. */

import type { CDPSession, Page } from "@playwright/test";
import { busySeconds, counted } from "./page.ts";
import { quantile } from "./report.ts";

export interface Fling {
  readonly mainMsPerFrame: number;
  /** Frames in which the canvas was not drawn anew, of a hundred. */
  readonly unpaintedPercent: number;
  readonly frameMsP50: number;
  readonly frameMsP99: number;
}

export async function fling(page: Page, devtools: CDPSession, frames: number, pxPerFrame: number): Promise<Fling> {
  const before = await busySeconds(devtools);
  const { paints } = await counted(page);
  const deltas = await page.evaluate(
    ({ frames, pxPerFrame }) =>
      new Promise<number[]>((done) => {
        const scroller = document.querySelector(".grid-scroller");
        if (!scroller) {
          throw new Error("nothing to scroll");
        }
        const deltas: number[] = [];
        let last = 0;
        const step = (now: number): void => {
          if (last > 0) {
            deltas.push(now - last);
          }
          last = now;
          if (deltas.length === frames) {
            done(deltas);
            return;
          }
          scroller.scrollTop += pxPerFrame;
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    { frames, pxPerFrame },
  );
  const busy = (await busySeconds(devtools)) - before;
  const painted = (await counted(page)).paints - paints;
  return {
    // A frame that was not drawn costs nothing and shows nothing: only those that were drawn count.
    mainMsPerFrame: (busy * 1000) / painted,
    unpaintedPercent: ((frames - painted) * 100) / frames,
    frameMsP50: quantile(deltas, 0.5),
    frameMsP99: quantile(deltas, 0.99),
  };
}

/** Share of frames of a fling that the canvas was painted with fewer than all of its cells. */
export async function blankFrames(page: Page, frames: number, pxPerFrame: number): Promise<number> {
  return page.evaluate(
    ({ frames, pxPerFrame }) =>
      new Promise<number>((done) => {
        const scroller = document.querySelector(".grid-scroller");
        const canvas = document.querySelector("canvas");
        const context = canvas?.getContext("2d");
        if (!scroller || !canvas || !context) {
          throw new Error("nothing to scroll");
        }
        let count = 0;
        let blank = 0;
        const step = (): void => {
          // After the grid's own frame callback, which was asked for by the scroll event of this frame.
          requestAnimationFrame(() => {
            const { data, width } = context.getImageData(canvas.width / 2, 40, 90, canvas.height - 60);
            const rows = new Set<number>();
            for (let at = 0; at < data.length; at += 4) {
              if ((data[at] ?? 255) < 110) {
                rows.add(Math.floor(at / 4 / width / 22));
              }
            }
            blank += rows.size < ((canvas.height - 60) / 22) * 0.9 ? 1 : 0;
            count += 1;
            if (count === frames) {
              done(blank / frames);
              return;
            }
            scroller.scrollTop += pxPerFrame;
            step();
          });
        };
        step();
      }),
    { frames, pxPerFrame },
  );
}

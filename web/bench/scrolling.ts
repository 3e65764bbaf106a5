/** Scrolling performance in flings so fast that no frame can reuse content of the last one. */

import type { Page } from "@playwright/test";
import { counted, type Opened } from "./browser.ts";
import { quantile } from "./report.ts";

/** Result of one fling. */
export interface Fling {
  readonly mainMsPerFrame: number;
  /** Share of frames without a paint of the canvas. */
  readonly unpaintedPercent: number;
  readonly frameMsP50: number;
  readonly frameMsP99: number;
}

/** Scrolls `frames` frames by `pxPerFrame` each. */
export async function fling(opened: Opened, frames: number, pxPerFrame: number): Promise<Fling> {
  const { page } = opened;
  const before = await opened.busySeconds();
  const { paints } = await counted(page);
  const deltas = await page.evaluate(
    ({ frames, pxPerFrame }) =>
      new Promise<number[]>((done) => {
        const scroller = document.querySelector(".grid-scroller");
        if (!scroller) {
          throw new Error("no scroll container");
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
  const busy = (await opened.busySeconds()) - before;
  const painted = (await counted(page)).paints - paints;
  return {
    // Divides by painted frames only, because unpainted frames cost nothing.
    mainMsPerFrame: (busy * 1000) / painted,
    unpaintedPercent: ((frames - painted) * 100) / frames,
    frameMsP50: quantile(deltas, 0.5),
    frameMsP99: quantile(deltas, 0.99),
  };
}

/** Share of frames of a fling in which cells are missing on the canvas. */
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
          // Runs after the grid's frame callback, which the scroll event of this frame requested.
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

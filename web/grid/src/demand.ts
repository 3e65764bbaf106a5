/** Which cells to ask for: those in sight, those round them, and while scrolling those that come next. */

import { COLUMNS_MAX, type Range, ROWS_MAX } from "./address.ts";
import type { View } from "./view.ts";

const FRAME_MS = 1000 / 60;
/** While scrolling, cells are asked for this many frames ahead, and again when fewer are left. */
const FRAMES_AHEAD = 10;
const FRAMES_AHEAD_MIN = 5;
/** More than this at once takes the engine longer than the frames it is for. */
const AHEAD_PX_MAX = 22_000;
/** Faster than this is a jump. */
const PX_PER_FRAME_MAX = 5_500;
/** Faster than this share of the height per frame, nobody turns back or aside in the next few: only what comes is asked for. */
const FAST_SHARE = 0.5;
/** After this long a scroll is the first of its kind, and says how fast it will be. */
const REST_MS = 100;

export class Demand {
  private asked: readonly Range[] = [];
  private last: { readonly topPx: number; readonly atMs: number } | undefined;
  /** What was asked for lacks what is at rest asked for as well: texts may run into sight from far aside. */
  private isMeagre = false;

  /** The rectangles to ask for now, or nothing while those asked for will do. */
  next(view: View): readonly Range[] | undefined {
    const speed = this.pxPerFrame(view);
    const heightPx = view.heightPx;
    const near = heightPx / 4;
    const soon = this.around(view, near, speed, FRAMES_AHEAD_MIN, 1);
    if (this.asked.length > 0 && covers(this.asked[0], soon) && this.isCutAs(view)) {
      return undefined;
    }
    const columns = view.visible.right - view.visible.left + 1;
    const isFast = Math.abs(speed) > heightPx * FAST_SHARE;
    const main = this.around(view, isFast ? near : heightPx, speed, FRAMES_AHEAD, isFast ? 1 : Math.ceil(columns / 2));
    this.asked = parts(view, main);
    this.isMeagre = isFast;
    return this.asked;
  }

  /** The scrolling has come to rest; whether to ask again. */
  rests(): boolean {
    const { isMeagre } = this;
    if (isMeagre) {
      this.forget();
    }
    return isMeagre;
  }

  /** Another sheet, or another shape of this one. */
  forget(): void {
    this.last = undefined;
    this.asked = [];
    this.isMeagre = false;
  }

  private around(view: View, marginPx: number, speed: number, frames: number, columns: number): Range {
    const { rows, visible, scrollTopPx, frozenHeightPx } = view;
    const aheadPx = Math.max(marginPx, Math.min(AHEAD_PX_MAX, Math.abs(speed) * frames));
    const topPx = scrollTopPx + frozenHeightPx - (speed < 0 ? aheadPx : marginPx);
    const bottomPx = scrollTopPx + view.heightPx + (speed > 0 ? aheadPx : marginPx);
    return {
      top: Math.max(0, rows.indexAt(topPx)),
      bottom: Math.min(ROWS_MAX - 1, Math.max(visible.bottom, rows.indexAt(bottomPx))),
      left: Math.max(0, visible.left - columns),
      right: Math.min(COLUMNS_MAX - 1, visible.right + columns),
    };
  }

  private isCutAs(view: View): boolean {
    return this.asked.length === parts(view, view.visible).length;
  }

  /** How fast the sheet is being scrolled; a jump is no speed. */
  private pxPerFrame({ scrollTopPx }: View): number {
    const now = performance.now();
    const { topPx, atMs } = this.last ?? { topPx: scrollTopPx, atMs: now };
    this.last = { topPx: scrollTopPx, atMs: now };
    const elapsedMs = now - atMs > REST_MS ? FRAME_MS : Math.max(now - atMs, FRAME_MS);
    const speed = ((scrollTopPx - topPx) / elapsedMs) * FRAME_MS;
    return Math.abs(speed) > PX_PER_FRAME_MAX ? 0 : speed;
  }
}

/** What scrolls first, then the frozen parts beside it. */
function parts({ frozenRows, frozenColumns }: View, main: Range): readonly Range[] {
  const result: Range[] = [main];
  if (frozenRows > 0) {
    result.push({ ...main, top: 0, bottom: frozenRows - 1 });
  }
  if (frozenColumns > 0) {
    result.push({ ...main, left: 0, right: frozenColumns - 1 });
  }
  if (frozenRows > 0 && frozenColumns > 0) {
    result.push({ top: 0, bottom: frozenRows - 1, left: 0, right: frozenColumns - 1 });
  }
  return result;
}

function covers(outer: Range | undefined, inner: Range): boolean {
  return (
    outer !== undefined &&
    outer.top <= inner.top &&
    outer.left <= inner.left &&
    outer.bottom >= inner.bottom &&
    outer.right >= inner.right
  );
}

/**
 * Decides which cell windows to request: the visible cells, a margin, and while scrolling the cells
 * ahead.
 */

import { COLUMNS_MAX, type Range, ROWS_MAX } from "./address.ts";
import type { View } from "./view.ts";

const FRAME_MS = 1000 / 60;
/**
 * While scrolling, requests reach this many frames ahead, and are repeated when fewer than the
 * minimum are left.
 */
const FRAMES_AHEAD = 10;
const FRAMES_AHEAD_MIN = 5;
/** Larger windows take the engine longer than the frames that they are for. */
const AHEAD_PX_MAX = 22_000;
/** A faster change of position is a jump and has no speed. */
const PX_PER_FRAME_MAX = 5_500;
/**
 * Above this share of the view's height per frame, the next frames continue in the same direction:
 * requests then leave out the cells behind and most of those to the sides.
 */
const FAST_SHARE = 0.5;
/** The first scroll event after this pause is taken as one frame's distance. */
const REST_MS = 100;

/** Requested ranges and scroll speed of one sheet. */
export class WindowPrefetch {
  private requested: readonly Range[] = [];
  private last: { readonly topPx: number; readonly atMs: number } | undefined;
  /**
   * The last request left out columns whose texts may overflow into the view; they are requested
   * when scrolling ends.
   */
  private isNarrow = false;

  /** The ranges to request now, or `undefined` while the last request still suffices. */
  next(view: View): readonly Range[] | undefined {
    const speed = this.pxPerFrame(view);
    const heightPx = view.heightPx;
    const near = heightPx / 4;
    const soon = this.around(view, near, speed, FRAMES_AHEAD_MIN, 1);
    if (this.requested.length > 0 && covers(this.requested[0], soon) && this.hasSamePanes(view)) {
      return undefined;
    }
    const columns = view.visible.right - view.visible.left + 1;
    const isFast = Math.abs(speed) > heightPx * FAST_SHARE;
    const main = this.around(view, isFast ? near : heightPx, speed, FRAMES_AHEAD, isFast ? 1 : Math.ceil(columns / 2));
    this.requested = paneRanges(view, main);
    this.isNarrow = isFast;
    return this.requested;
  }

  /** Called when scrolling has ended. Returns whether `next` has more to request. */
  scrollEnded(): boolean {
    const { isNarrow } = this;
    if (isNarrow) {
      this.forget();
    }
    return isNarrow;
  }

  /** Drops all state, because the sheet or its shape changed. */
  forget(): void {
    this.last = undefined;
    this.requested = [];
    this.isNarrow = false;
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

  private hasSamePanes(view: View): boolean {
    return this.requested.length === paneRanges(view, view.visible).length;
  }

  /** Scroll speed in pixels per frame, negative upwards; 0 for a jump. */
  private pxPerFrame({ scrollTopPx }: View): number {
    const now = performance.now();
    const { topPx, atMs } = this.last ?? { topPx: scrollTopPx, atMs: now };
    this.last = { topPx: scrollTopPx, atMs: now };
    const elapsedMs = now - atMs > REST_MS ? FRAME_MS : Math.max(now - atMs, FRAME_MS);
    const speed = ((scrollTopPx - topPx) / elapsedMs) * FRAME_MS;
    return Math.abs(speed) > PX_PER_FRAME_MAX ? 0 : speed;
  }
}

/** `main` for the scrolling pane, followed by the ranges of the frozen panes. */
function paneRanges({ frozenRows, frozenColumns }: View, main: Range): readonly Range[] {
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

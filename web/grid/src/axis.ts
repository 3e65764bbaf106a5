/**
 * Offsets and sizes of rows or of columns, in CSS pixels. Runs hold the sizes that are not the
 * default.
 */

/** `count` rows or columns from `first` on have `sizePx`. Sorted, without overlap. */
export interface SizeRun {
  readonly first: number;
  readonly count: number;
  readonly sizePx: number;
}

/** `count` hidden rows or columns from `first` on. Sorted, without overlap. */
export interface HiddenRun {
  readonly first: number;
  readonly count: number;
}

/** Maps indexes of rows or columns to pixel offsets and back, in O(log runs). */
export class Axis {
  readonly count: number;
  readonly defaultPx: number;
  private readonly runs: readonly SizeRun[];
  /** Offset at which each run starts. */
  private readonly starts: readonly number[];
  readonly totalPx: number;

  constructor(count: number, defaultPx: number, runs: readonly SizeRun[]) {
    this.count = count;
    this.defaultPx = defaultPx;
    this.runs = runs;
    const starts: number[] = [];
    let index = 0;
    let offset = 0;
    for (const run of runs) {
      offset += (run.first - index) * defaultPx;
      starts.push(offset);
      offset += run.count * run.sizePx;
      index = run.first + run.count;
    }
    this.starts = starts;
    this.totalPx = offset + (count - index) * defaultPx;
  }

  /** The axis at `zoom`, from sizes at zoom 1. Hidden rows or columns have size 0. */
  static of(
    count: number,
    defaultPx: number,
    runs: readonly SizeRun[],
    hidden: readonly HiddenRun[],
    zoom: number,
  ): Axis {
    const zoomed = runs.map((run) => ({ ...run, sizePx: run.sizePx === 0 ? 0 : Math.max(1, Math.round(run.sizePx * zoom)) }));
    return new Axis(count, Math.max(1, Math.round(defaultPx * zoom)), withHidden(zoomed, hidden));
  }

  isHidden(index: number): boolean {
    return this.size(index) === 0;
  }

  /**
   * The first visible index at or after `index` in the direction of `step`, or `index` if there is
   * none.
   */
  nextVisible(index: number, step: 1 | -1): number {
    for (let at = index; at >= 0 && at < this.count; ) {
      const run = this.runs[this.lastRun((candidate) => candidate.first <= at)];
      if (!run || at >= run.first + run.count || run.sizePx > 0) {
        return at;
      }
      at = step > 0 ? run.first + run.count : run.first - 1;
    }
    return index;
  }

  /** Distance from the sheet's edge to the start of `index`. */
  offset(index: number): number {
    const at = this.lastRun((run) => run.first <= index);
    const run = this.runs[at];
    if (!run) {
      return index * this.defaultPx;
    }
    const start = this.starts[at] ?? 0;
    const inside = Math.min(index - run.first, run.count);
    return start + inside * run.sizePx + (index - run.first - inside) * this.defaultPx;
  }

  size(index: number): number {
    const run = this.runs[this.lastRun((candidate) => candidate.first <= index)];
    return run && index < run.first + run.count ? run.sizePx : this.defaultPx;
  }

  /** The row or column that covers `offsetPx`; the last one beyond the end. */
  indexAt(offsetPx: number): number {
    const px = Math.max(0, offsetPx);
    const at = this.lastRun((_, position) => (this.starts[position] ?? 0) <= px);
    const run = this.runs[at];
    let index: number;
    if (!run) {
      index = Math.floor(px / this.defaultPx);
    } else {
      const inside = px - (this.starts[at] ?? 0);
      const runPx = run.count * run.sizePx;
      index =
        inside < runPx
          ? run.first + Math.floor(inside / run.sizePx)
          : run.first + run.count + Math.floor((inside - runPx) / this.defaultPx);
    }
    return Math.min(index, this.count - 1);
  }

  /**
   * Position of the last run for which `holds`, or -1; `holds` is true for a prefix of the runs.
   */
  private lastRun(holds: (run: SizeRun, position: number) => boolean): number {
    let low = 0;
    let high = this.runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const run = this.runs[middle];
      if (run && holds(run, middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}

/** `runs` with size 0 where `hidden` covers them. */
function withHidden(runs: readonly SizeRun[], hidden: readonly HiddenRun[]): readonly SizeRun[] {
  if (hidden.length === 0) {
    return runs;
  }
  const result: SizeRun[] = hidden.map(({ first, count }) => ({ first, count, sizePx: 0 }));
  let next = 0;
  for (const run of runs) {
    let first = run.first;
    const end = run.first + run.count;
    while ((hidden[next]?.first ?? end) + (hidden[next]?.count ?? 0) <= first) {
      next += 1;
    }
    for (let at = next; first < end; at += 1) {
      const cover = hidden[at];
      const until = Math.min(end, cover?.first ?? end);
      if (until > first) {
        result.push({ first, count: until - first, sizePx: run.sizePx });
      }
      if (!cover || cover.first >= end) {
        break;
      }
      first = Math.max(first, cover.first + cover.count);
    }
  }
  return result.sort((a, b) => a.first - b.first);
}

/** Where rows or columns lie: sizes in CSS pixels at zoom 1, most of them the default. */

/** `count` rows or columns from `first` on have `sizePx`. Sorted, without overlap. */
export interface SizeRun {
  readonly first: number;
  readonly count: number;
  readonly sizePx: number;
}

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
    if (offsetPx <= 0) {
      return 0;
    }
    const at = this.lastRun((_, position) => (this.starts[position] ?? 0) <= offsetPx);
    const run = this.runs[at];
    let index: number;
    if (!run) {
      index = Math.floor(offsetPx / this.defaultPx);
    } else {
      const inside = offsetPx - (this.starts[at] ?? 0);
      const runPx = run.count * run.sizePx;
      index =
        inside < runPx
          ? run.first + Math.floor(inside / run.sizePx)
          : run.first + run.count + Math.floor((inside - runPx) / this.defaultPx);
    }
    return Math.min(index, this.count - 1);
  }

  /** Position of the last run for which `holds`, or -1; `holds` is true for a prefix of the runs. */
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

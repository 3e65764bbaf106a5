/** Groups numbers into bins of equal width, for histograms. */

/** A bin: numbers from `from` on, below `to`; the last one has its end as well. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  /** For each series, how many of its numbers are in the bin. */
  readonly counts: readonly number[];
}

/** More bins cannot be told apart. */
const BINS_MAX = 60;
/** Widths of bins, times a power of ten. */
const STEPS = [1, 2, 5, 10];

/**
 * The bins of all series together. Their width is that of Scott's rule, 3.49 σ / ∛n (Biometrika 66, 1979),
 * as in Excel, rounded to 1, 2 or 5 times a power of ten, so that bins begin at round numbers.
 */
export function histogramBins(series: readonly (readonly (number | null)[])[]): Bin[] {
  const numbers = series.map((values) => values.filter((value) => value !== null));
  const all = numbers.flat();
  if (all.length === 0) {
    return [];
  }
  const least = all.reduce((a, b) => Math.min(a, b));
  const greatest = all.reduce((a, b) => Math.max(a, b));
  const width = binWidth(all, greatest - least);
  const first = Math.floor(widths(least, width));
  const count = Math.max(1, Math.ceil(widths(greatest, width)) - first);
  const bins = Array.from({ length: count }, (_, at) => ({ from: rounded((first + at) * width), to: rounded((first + at + 1) * width), counts: numbers.map(() => 0) }));
  for (const [index, values] of numbers.entries()) {
    for (const value of values) {
      const bin = bins[Math.min(count - 1, Math.floor(widths(value, width)) - first)];
      if (bin) {
        bin.counts[index] = (bin.counts[index] ?? 0) + 1;
      }
    }
  }
  return bins;
}

function binWidth(numbers: readonly number[], spread: number): number {
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / Math.max(1, numbers.length - 1));
  const scott = (3.49 * deviation) / Math.cbrt(numbers.length);
  if (scott === 0) {
    return 1;
  }
  const wanted = Math.max(scott, spread / BINS_MAX);
  const power = 10 ** Math.floor(Math.log10(wanted));
  // The nearest step by ratio; never more bins than can be shown.
  const nearest = STEPS.reduce((a, b) => (Math.abs(Math.log((b * power) / wanted)) < Math.abs(Math.log((a * power) / wanted)) ? b : a));
  return nearest * power;
}

/** A number as a multiple of a width: 3 for 0.3 and 0.1, although their quotient is below. */
function widths(value: number, width: number): number {
  const quotient = value / width;
  const whole = Math.round(quotient);
  return Math.abs(quotient - whole) < 1e-9 * Math.max(1, Math.abs(quotient)) ? whole : quotient;
}

/** Without the digits that multiplying by a width such as 0.1 adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

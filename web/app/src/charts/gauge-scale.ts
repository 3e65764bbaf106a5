/** The scale of gauges and the colors of its bands. */

/** A band of the scale of a gauge: from a value to the next band, or to the end. */
export interface GaugeBand {
  readonly value?: number;
  readonly color?: string;
}

/** Bands of a gauge, at most; as many as in Google Sheets. */
export const BANDS_MAX = 3;

/**
 * The ends of the scale: those of the chart, or from 0 to 100, to 1 when no value is greater, or to a
 * round number above the greatest value.
 */
export function gaugeScale(values: readonly number[], { yMin, yMax }: { readonly yMin?: number; readonly yMax?: number }): readonly [min: number, max: number] {
  const [least, greatest] = [Math.min(0, ...values), Math.max(0, ...values)];
  const min = yMin ?? (least < 0 ? -roundUp(-least) : 0);
  const max = yMax ?? (greatest <= 1 && greatest > 0 ? 1 : greatest <= 100 ? 100 : roundUp(greatest));
  return [min, max > min ? max : min + 1];
}

/** The least 1, 2 or 5 times a power of ten that is not less than `value`. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
}

/** Parts of the scale with their colors, each up to its end between 0 and 1. */
export function bandColors(bands: readonly GaugeBand[], [min, max]: readonly [number, number], rest: string): [end: number, color: string][] {
  const sorted = bands.filter((band) => band.color !== undefined).sort((a, b) => (a.value ?? min) - (b.value ?? min));
  const placeOf = (value: number): number => Math.min(1, Math.max(0, (value - min) / (max - min)));
  const parts = sorted.map((band, at): [number, string] => [placeOf(sorted[at + 1]?.value ?? max), band.color ?? rest]);
  const start = placeOf(sorted[0]?.value ?? min);
  return sorted.length === 0 ? [[1, rest]] : start > 0 ? [[start, rest], ...parts] : parts;
}

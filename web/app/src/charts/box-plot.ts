/** The numbers of which box plots are drawn. */

/** Least number, lower quartile, median, upper quartile and greatest number, without the outliers. */
export interface Box {
  readonly five: readonly [least: number, lower: number, median: number, upper: number, greatest: number];
  /** Numbers that are further from the box than 1.5 times its height. */
  readonly outliers: readonly number[];
}

/** Of a box's height, how far its whiskers reach: Tukey, Exploratory Data Analysis, 1977. */
const WHISKER = 1.5;

/**
 * The box of some numbers; `undefined` without numbers. Quartiles are those of QUARTILE.EXC, as in Excel.
 * `reachesAll` makes the whiskers reach to the least and the greatest number, without outliers.
 */
export function boxOf(values: readonly (number | null)[], reachesAll = false): Box | undefined {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) {
    return undefined;
  }
  const [lower, median, upper] = [quartile(sorted, 1), quartile(sorted, 2), quartile(sorted, 3)];
  const reach = reachesAll ? Number.POSITIVE_INFINITY : WHISKER * (upper - lower);
  const inside = sorted.filter((value) => value >= lower - reach && value <= upper + reach);
  const outliers = sorted.filter((value) => value < lower - reach || value > upper + reach);
  return { five: [inside[0] ?? lower, lower, median, upper, inside.at(-1) ?? upper], outliers };
}

/** Of few numbers, the quartiles that QUARTILE.EXC does not have are the least and the greatest one. */
function quartile(sorted: readonly number[], quarter: 1 | 2 | 3): number {
  const position = Math.min(sorted.length, Math.max(1, (quarter * (sorted.length + 1)) / 4));
  const below = sorted[Math.floor(position) - 1] ?? 0;
  const above = sorted[Math.ceil(position) - 1] ?? 0;
  return below + (above - below) * (position % 1);
}

/** Trend lines as Excel defines them: least-squares fits and moving averages. */

/** The supported trends. */
export const TRENDS = ["linear", "exponential", "logarithmic", "polynomial", "movingAverage"] as const;
/** The name of a trend as the item stores it. */
export type Trend = (typeof TRENDS)[number];

/** A point of a series or trend line. */
export type Point = readonly [x: number, y: number];

/** Degree of polynomial trends; stored charts have no other. */
const DEGREE = 2;
/** Number of points in a moving average; stored charts have no other. */
const PERIOD = 2;
/** Number of segments with which a curve is drawn. */
const CURVE_POINTS = 60;

/** Whether `name` is a supported trend. */
export function isTrend(name: string | undefined): name is Trend {
  return TRENDS.some((trend) => trend === name);
}

/**
 * The trend line of points with numeric x values, from the first to the last. Empty when there are
 * too few points.
 */
export function trendLine(trend: Trend, points: readonly Point[]): readonly Point[] {
  const sorted = [...points].sort(([a], [b]) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (trend === "movingAverage" || !first || !last) {
    return averages(sorted);
  }
  const fitted = fit(trend, sorted);
  const steps = trend === "linear" ? 1 : CURVE_POINTS;
  return fitted ? Array.from({ length: steps + 1 }, (_, at) => pointOf(fitted, first[0] + ((last[0] - first[0]) * at) / steps)) : [];
}

/** The trend values of categories, whose x values are 1, 2, 3, …; `null` where there is none. */
export function trendValues(trend: Trend, values: readonly (number | null)[]): readonly (number | null)[] {
  const points = values.flatMap((value, at): Point[] => (value === null ? [] : [[at + 1, value]]));
  if (trend === "movingAverage") {
    const averageAt = new Map(averages(points));
    return values.map((_, at) => averageAt.get(at + 1) ?? null);
  }
  const fitted = fit(trend, points);
  return values.map((_, at) => (fitted ? fitted(at + 1) : null));
}

function pointOf(fitted: (x: number) => number, x: number): Point {
  return [x, fitted(x)];
}

function averages(points: readonly Point[]): readonly Point[] {
  return points.slice(PERIOD - 1).map(([x], at) => {
    const averaged = points.slice(at, at + PERIOD);
    return [x, averaged.reduce((sum, [, y]) => sum + y, 0) / PERIOD];
  });
}

/** The fitted function; `undefined` with too few points, or when a logarithm is undefined. */
function fit(trend: Exclude<Trend, "movingAverage">, points: readonly Point[]): ((x: number) => number) | undefined {
  switch (trend) {
    case "linear":
      return polynomial(points, 1);
    case "polynomial":
      return polynomial(points, DEGREE);
    case "exponential": {
      if (points.some(([, y]) => y <= 0)) {
        return undefined;
      }
      const exponent = polynomial(points.map(([x, y]) => [x, Math.log(y)]), 1);
      return exponent && ((x) => Math.exp(exponent(x)));
    }
    case "logarithmic": {
      if (points.some(([x]) => x <= 0)) {
        return undefined;
      }
      const line = polynomial(points.map(([x, y]) => [Math.log(x), y]), 1);
      return line && ((x) => line(Math.log(x)));
    }
  }
}

/**
 * Least-squares polynomial by the normal equations. The x values are centered and scaled to at most
 * 1, which keeps the equations well conditioned.
 */
function polynomial(points: readonly Point[], degree: number): ((x: number) => number) | undefined {
  const center = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const scale = Math.max(...points.map(([x]) => Math.abs(x - center)));
  if (new Set(points.map(([x]) => x)).size <= degree) {
    return undefined;
  }
  const normalized = points.map(([x, y]): Point => [(x - center) / scale, y]);
  const powers = Array.from({ length: 2 * degree + 1 }, (_, power) => normalized.reduce((sum, [x]) => sum + x ** power, 0));
  const rows = Array.from({ length: degree + 1 }, (_, row) => [
    ...powers.slice(row, row + degree + 1),
    normalized.reduce((sum, [x, y]) => sum + y * x ** row, 0),
  ]);
  const factors = solve(rows);
  return (x) => factors.reduceRight((sum, factor) => sum * ((x - center) / scale) + factor, 0);
}

/**
 * Gauss-Jordan elimination. With more distinct x values than the degree, the equations have one
 * solution and no zero pivot.
 */
function solve(rows: readonly number[][]): readonly number[] {
  let left = rows;
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = left[at] ?? [];
    const scaled = pivot.map((number) => number / (pivot[at] ?? 1));
    left = left.map((row, index) => (index === at ? scaled : row.map((number, column) => number - (row[at] ?? 0) * (scaled[column] ?? 0))));
  }
  return left.map((row) => row.at(-1) ?? 0);
}

/** Trend lines as Excel documents them: of best fit by least squares, or moving averages. */

export const TRENDS = ["linear", "exponential", "logarithmic", "polynomial", "movingAverage"] as const;
export type Trend = (typeof TRENDS)[number];

export type Point = readonly [x: number, y: number];

/** Of what is fitted by a polynomial: its degree. Files keep no other. */
const DEGREE = 2;
/** Points that are averaged. Files keep no other number. */
const PERIOD = 2;
/** A curve is drawn through so many points. */
const CURVE_POINTS = 60;

export function isTrend(name: string | undefined): name is Trend {
  return TRENDS.some((trend) => trend === name);
}

/** The line over points with places of their own, from the first to the last. */
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

/** The line over columns that follow one another: the first is at 1. */
export function trendValues(trend: Trend, values: readonly (number | null)[]): readonly (number | null)[] {
  const points = values.flatMap((value, at): Point[] => (value === null ? [] : [[at + 1, value]]));
  if (trend === "movingAverage") {
    const found = new Map(averages(points));
    return values.map((_, at) => found.get(at + 1) ?? null);
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

/** `undefined` where there is none: too few points, or logarithms of what has none. */
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

/** By the normal equations, over places round their middle and about 1 in size, which keeps them solvable. */
function polynomial(points: readonly Point[], degree: number): ((x: number) => number) | undefined {
  const middle = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const reach = Math.max(...points.map(([x]) => Math.abs(x - middle)));
  if (new Set(points.map(([x]) => x)).size <= degree) {
    return undefined;
  }
  const turned = points.map(([x, y]): Point => [(x - middle) / reach, y]);
  const powers = Array.from({ length: 2 * degree + 1 }, (_, power) => turned.reduce((sum, [x]) => sum + x ** power, 0));
  const rows = Array.from({ length: degree + 1 }, (_, row) => [
    ...powers.slice(row, row + degree + 1),
    turned.reduce((sum, [x, y]) => sum + y * x ** row, 0),
  ]);
  const factors = solve(rows);
  return (x) => factors.reduceRight((sum, factor) => sum * ((x - middle) / reach) + factor, 0);
}

/** Gauss and Jordan. The equations of a fit with enough places have one solution, and no zero on the diagonal. */
function solve(rows: readonly number[][]): readonly number[] {
  let left = rows;
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = left[at] ?? [];
    const scaled = pivot.map((number) => number / (pivot[at] ?? 1));
    left = left.map((row, index) => (index === at ? scaled : row.map((number, column) => number - (row[at] ?? 0) * (scaled[column] ?? 0))));
  }
  return left.map((row) => row.at(-1) ?? 0);
}

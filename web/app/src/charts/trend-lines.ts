/** Trend lines as Excel defines them: least-squares fits and moving averages. */

/** The supported trends. */
export const TRENDS = ["linear", "exponential", "logarithmic", "polynomial", "movingAverage"] as const;
/** The name of a trend as the item stores it. */
export type Trend = (typeof TRENDS)[number];

/** A point of a series or trend line. */
export type Point = readonly [x: number, y: number];

/** Fields of a series that say which trend line it has. */
export interface TrendFields {
  readonly trendline?: string;
  /** Order of a polynomial, from 2 to 6. */
  readonly trendlineOrder?: number;
  /** Number of points in a moving average, at least 2. */
  readonly trendlinePeriod?: number;
  /** Length of the line after the last and before the first point: categories, or units of the x axis. */
  readonly trendlineForward?: number;
  readonly trendlineBackward?: number;
  /** Value at x = 0 that linear, polynomial and exponential trends shall have. */
  readonly trendlineIntercept?: number;
}

/** The orders that polynomial trends can have. */
export const TREND_ORDERS = [2, 3, 4, 5, 6] as const;
/** Significant digits of the numbers of an equation. */
export const FACTOR_DIGITS = 5;
/** Order of polynomials, and points of moving averages, where the series does not say it. As in Excel. */
export const TREND_DEFAULTS = { order: 2, period: 2 } as const;
/** Categories of a forecast, at most: files may demand any number. */
const FORECAST_CATEGORIES_MAX = 1_000;
/** Number of segments with which a curve is drawn. */
const CURVE_POINTS = 60;
/** Terms that add less than this part of the largest value are rounding errors. */
const ROUNDING = 1e-12;

/** A fitted function. */
interface Fit {
  readonly at: (x: number) => number;
  /**
   * Factors of the powers of x from 0 up; of a logarithmic trend of the powers of ln x; of an
   * exponential trend, those of its exponent.
   */
  readonly factors: readonly number[];
  /** The points to which the polynomial of `factors` is fitted: some of them logarithms. */
  readonly fitted: readonly Point[];
  /** The value of that polynomial, without the rounding errors of `factors` far from 0. */
  readonly polynomialAt: (x: number) => number;
  /** The value that the polynomial has at 0 by demand. */
  readonly intercept?: number;
}

/** Whether `name` is a supported trend. */
export function isTrend(name: string | undefined): name is Trend {
  return TRENDS.some((trend) => trend === name);
}

/** Whether a trend has an equation, and so values before and after the points. */
export function hasEquation(trend: string | undefined): trend is Exclude<Trend, "movingAverage"> {
  return isTrend(trend) && trend !== "movingAverage";
}

/** Whether a trend can have a fixed value at x = 0. */
export function canHaveIntercept(trend: string | undefined): boolean {
  return hasEquation(trend) && trend !== "logarithmic";
}

/** How far the line of a series reaches before the first and after the last of its categories. */
export function forecastCategories({ trendline, trendlineBackward = 0, trendlineForward = 0 }: TrendFields): { readonly before: number; readonly after: number } {
  // A chart has categories for whole periods only.
  const whole = (periods: number): number => (hasEquation(trendline) ? Math.min(FORECAST_CATEGORIES_MAX, Math.floor(periods)) : 0);
  return { before: whole(trendlineBackward), after: whole(trendlineForward) };
}

/**
 * The trend line of points with numeric x values, from the first to the last and over the periods of its
 * forecast. Empty when there are too few points.
 */
export function trendLine(fields: TrendFields, points: readonly Point[]): readonly Point[] {
  const sorted = [...points].sort(([a], [b]) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (fields.trendline === "movingAverage" || !first || !last) {
    return averages(fields, sorted);
  }
  const fitted = fit(fields, sorted);
  const steps = fields.trendline === "linear" ? 1 : CURVE_POINTS;
  const earliest = first[0] - (fields.trendlineBackward ?? 0);
  // Zero has no logarithm.
  const start = fields.trendline === "logarithmic" && earliest <= 0 ? first[0] : earliest;
  const end = last[0] + (fields.trendlineForward ?? 0);
  return fitted ? Array.from({ length: steps + 1 }, (_, at) => pointOf(fitted.at, start + ((end - start) * at) / steps)) : [];
}

/** The points of categories, whose x values are 1, 2, 3, …, without those that have no value. */
export function categoryPoints(values: readonly (number | null)[]): readonly Point[] {
  return values.flatMap((value, at): Point[] => (value === null ? [] : [[at + 1, value]]));
}

/** The trend values of categories and of those of its forecast; `null` where there is none. */
export function trendValues(fields: TrendFields, values: readonly (number | null)[]): readonly (number | null)[] {
  const points = categoryPoints(values);
  if (fields.trendline === "movingAverage") {
    const averageAt = new Map(averages(fields, points));
    return values.map((_, at) => averageAt.get(at + 1) ?? null);
  }
  const fitted = fit(fields, points);
  const { before, after } = forecastCategories(fields);
  return Array.from({ length: before + values.length + after }, (_, at) => {
    const value = fitted?.at(at + 1 - before);
    return value !== undefined && Number.isFinite(value) ? value : null;
  });
}

/**
 * The equation of a trend line, such as `y = 2x + 3`. `undefined` for moving averages, which have
 * none, and when there are too few points.
 */
export function trendEquation(fields: TrendFields, points: readonly Point[], show: (factor: number) => string): string | undefined {
  const fitted = fit(fields, points);
  if (!fitted) {
    return undefined;
  }
  const [constant = 0, slope = 0] = fitted.factors;
  switch (fields.trendline) {
    case "exponential":
      return `y = ${show(Math.exp(constant))} e^(${show(slope)}x)`;
    case "logarithmic":
      return `y = ${sumOf(fitted, ["", "ln(x)"], show)}`;
    default:
      return `y = ${sumOf(fitted, ["", "x", "x²", "x³", "x⁴", "x⁵", "x⁶"], show)}`;
  }
}

/**
 * The coefficient of determination: the share of the variance that the trend line explains. As in
 * Excel, that of an exponential trend is the one of the line through the logarithms. With a fixed
 * intercept, differences count from the intercept instead of the mean, as in LINEST without constant.
 * `undefined` where there is no equation, and when all values are equal.
 */
export function rSquared(fields: TrendFields, points: readonly Point[]): number | undefined {
  const { fitted, polynomialAt, intercept } = fit(fields, points) ?? { fitted: [], polynomialAt: () => 0 };
  const base = intercept ?? fitted.reduce((sum, [, y]) => sum + y, 0) / fitted.length;
  const total = fitted.reduce((sum, [, y]) => sum + (y - base) ** 2, 0);
  const left = fitted.reduce((sum, [x, y]) => sum + (y - polynomialAt(x)) ** 2, 0);
  return total > 0 ? Math.max(0, 1 - left / total) : undefined;
}

/** The terms of an equation, the highest power first. */
function sumOf({ factors, fitted }: Fit, powers: readonly string[], show: (factor: number) => string): string {
  const reach = Math.max(...fitted.map(([x]) => Math.abs(x)));
  const height = Math.max(...fitted.map(([, y]) => Math.abs(y)));
  const terms = factors
    .map((factor, power) => ({ factor, power, part: Math.abs(factor) * reach ** power }))
    .filter(({ part }) => part > height * ROUNDING)
    .reverse();
  const texts = terms.map(({ factor, power }, at) => {
    const sign = factor < 0 ? (at === 0 ? "-" : " - ") : at === 0 ? "" : " + ";
    const shown = show(Math.abs(factor));
    const unit = powers[power] ?? "";
    return `${sign}${unit !== "" && shown === show(1) ? "" : shown}${unit === "ln(x)" && shown !== show(1) ? " " : ""}${unit}`;
  });
  return texts.join("") || show(0);
}

function pointOf(at: (x: number) => number, x: number): Point {
  return [x, at(x)];
}

function averages({ trendlinePeriod: period = TREND_DEFAULTS.period }: TrendFields, points: readonly Point[]): readonly Point[] {
  return points.slice(period - 1).map(([x], at) => {
    const averaged = points.slice(at, at + period);
    return [x, averaged.reduce((sum, [, y]) => sum + y, 0) / period];
  });
}

/**
 * The fitted function; `undefined` for moving averages, with too few points, or when a logarithm is
 * undefined.
 */
function fit(fields: TrendFields, points: readonly Point[]): Fit | undefined {
  const intercept = fields.trendlineIntercept;
  switch (fields.trendline) {
    case "linear":
      return polynomial(points, 1, intercept);
    case "polynomial":
      return polynomial(points, fields.trendlineOrder ?? TREND_DEFAULTS.order, intercept);
    case "exponential": {
      if (points.some(([, y]) => y <= 0) || (intercept !== undefined && intercept <= 0)) {
        return undefined;
      }
      const exponent = polynomial(points.map(([x, y]) => [x, Math.log(y)]), 1, intercept === undefined ? undefined : Math.log(intercept));
      return exponent && { ...exponent, at: (x) => Math.exp(exponent.at(x)) };
    }
    case "logarithmic": {
      if (points.some(([x]) => x <= 0)) {
        return undefined;
      }
      const line = polynomial(points.map(([x, y]) => [Math.log(x), y]), 1);
      return line && { ...line, at: (x) => line.at(Math.log(x)) };
    }
    default:
      return undefined;
  }
}

/**
 * Least-squares polynomial by the normal equations. The x values are centered and scaled to at most
 * 1, which keeps the equations well conditioned. With a fixed `intercept` the center is 0, as the
 * polynomial is fixed there.
 */
function polynomial(points: readonly Point[], degree: number, intercept?: number): Fit | undefined {
  const isFixed = intercept !== undefined;
  const center = isFixed ? 0 : points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const scale = Math.max(...points.map(([x]) => Math.abs(x - center)));
  // A fixed intercept is a point of its own, and the one factor that is known.
  const known = new Set(points.map(([x]) => x).filter((x) => !isFixed || x !== 0));
  const lowest = isFixed ? 1 : 0;
  if (known.size + lowest <= degree) {
    return undefined;
  }
  const normalized = points.map(([x, y]): Point => [(x - center) / scale, y - (intercept ?? 0)]);
  const powers = Array.from({ length: 2 * degree + 1 }, (_, power) => normalized.reduce((sum, [x]) => sum + x ** power, 0));
  const rows = Array.from({ length: degree + 1 - lowest }, (_, row) => [
    ...powers.slice(row + 2 * lowest, row + lowest + degree + 1),
    normalized.reduce((sum, [x, y]) => sum + y * x ** (row + lowest), 0),
  ]);
  const solved = [...(isFixed ? [intercept] : []), ...solve(rows)];
  const at = (x: number): number => valueOf(solved, (x - center) / scale);
  return {
    at,
    polynomialAt: at,
    factors: expanded(solved, center, scale),
    fitted: points,
    ...(isFixed && { intercept }),
  };
}

/** The value of a polynomial. */
function valueOf(factors: readonly number[], x: number): number {
  return factors.reduceRight((sum, factor) => sum * x + factor, 0);
}

/** The factors of the powers of x, from those of the powers of (x − center) / scale. */
function expanded(factors: readonly number[], center: number, scale: number): readonly number[] {
  return factors.reduceRight<readonly number[]>((sum, factor) => {
    const multiplied = [...sum, 0].map((_, power) => ((sum[power - 1] ?? 0) - (sum[power] ?? 0) * center) / scale);
    return multiplied.map((part, power) => (power === 0 ? part + factor : part));
  }, []);
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

/** The points of stock charts. */

/** The prices of a day, or of another period. */
export interface StockPoint {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The series of a stock chart by their parts. */
export interface StockSeries<Series> {
  /** How much was traded: the first series, if its type is `column`. */
  readonly volumes: Series | undefined;
  /** The opening, high, low and closing prices, or those without the opening ones. */
  readonly prices: readonly Series[];
}

/**
 * The parts of the series of a stock chart; `undefined` if they cannot be drawn as one. As in Excel, where
 * other numbers of series are an error. `firstType` is the type of the first series.
 */
export function stockSeries<Series>(series: readonly Series[], firstType: string | undefined): StockSeries<Series> | undefined {
  const [first, ...others] = series;
  const parts = firstType === "column" ? { volumes: first, prices: others } : { volumes: undefined, prices: series };
  return hasPriceCount(parts.prices) ? parts : undefined;
}

/** Whether there are as many series as a stock chart has prices. */
export function hasPriceCount(series: readonly unknown[]): boolean {
  return series.length === 3 || series.length === 4;
}

/**
 * The points of three or four series of prices. Without an opening or a closing price, the other one is both; a
 * high or low that is missing is that of the other prices. `undefined` where there are no prices at all.
 */
export function stockPoints(series: readonly (readonly (number | null)[])[]): readonly (StockPoint | undefined)[] {
  const [opens, highs, lows, closes] = series.length === 3 ? [[], ...series] : series;
  const count = Math.max(0, ...series.map((values) => values.length));
  return Array.from({ length: count }, (_, at) => {
    const [open, high, low, close] = [opens, highs, lows, closes].map((values) => values?.[at] ?? undefined);
    const present = [open, high, low, close].filter((price) => price !== undefined);
    if (present.length === 0) {
      return undefined;
    }
    const [lowest, highest] = [Math.min(...present), Math.max(...present)];
    return { open: open ?? close ?? lowest, high: high ?? highest, low: low ?? lowest, close: close ?? open ?? lowest };
  });
}

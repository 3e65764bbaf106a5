/** The points of stock charts. */

/** The prices of a day, or of another period. */
export interface StockPoint {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/**
 * Whether series can be drawn as a stock chart: opening, high, low and closing prices, or those without
 * the opening ones. As in Excel, where other numbers of series are an error.
 */
export function isStock(seriesCount: number): boolean {
  return seriesCount === 3 || seriesCount === 4;
}

/**
 * The points of three or four series. Without an opening or a closing price, the other one is both; a
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

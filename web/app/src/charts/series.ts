/** References of the series of a chart to cells. */

import { parseRange, type Range, rangeName } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import type { SeriesFields } from "./chart-options.ts";
import type { DataBlock } from "./data-block.ts";

/**
 * A reference to the header or to the points of a row or column of a block. It is absolute and without a
 * sheet name, as the chart is on the same sheet.
 */
export function seriesReference(block: DataBlock, index: number, part: "header" | "points"): string {
  const { range, direction, hasHeader } = block;
  const isInRows = direction === "rows";
  const [first, last] = isInRows ? [range.left, range.right] : [range.top, range.bottom];
  const [from, to] = part === "header" ? [first, first] : [first + (hasHeader ? 1 : 0), last];
  return absolute(isInRows ? { top: index, bottom: index, left: from, right: to } : { left: index, right: index, top: from, bottom: to });
}

/** The series of a bubble chart: every second one holds the sizes of the one before. */
export function pairedSeries(series: readonly SeriesFields[]): SeriesFields[] {
  return series.flatMap((one, index) => {
    const sizes = series[index + 1]?.values;
    return index % 2 === 0 ? [{ ...one, ...(sizes === undefined ? {} : { sizes }) }] : [];
  });
}

/**
 * The smallest range with all cells to which the series refer; `undefined` when one of them refers to
 * another sheet or to more than a range.
 */
export function boundsOf(series: readonly SeriesFields[]): Range | undefined {
  const references = series.flatMap(({ name, categories, values }) => [name, categories, values].filter((text) => text !== undefined && !text.startsWith('="')));
  const ranges = references.map((text) => parseRange(text?.replace(/^=/, "") ?? ""));
  const [first, ...others] = ranges;
  return others.reduce(
    (bounds, range) =>
      bounds && range && { top: Math.min(bounds.top, range.top), left: Math.min(bounds.left, range.left), bottom: Math.max(bounds.bottom, range.bottom), right: Math.max(bounds.right, range.right) },
    first,
  );
}

/** Series as values of item fields. */
export function itemValues(series: readonly SeriesFields[]): ItemValue[] {
  return series as unknown as ItemValue[];
}

function absolute(range: Range): string {
  return `=${rangeName(range).replace(/([A-Z]+)(\d+)/g, "$$$1$$$2")}`;
}

/**
 * Derives the series of a chart from a block of cells: headers and labels are detected, the other
 * cells are values.
 */

import { columnCount, type Range, rangeName, rowCount } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import type { SeriesFields } from "./chart-options.ts";

/**
 * Whether series are columns or rows. A block with more columns than rows has its series in rows.
 */
export type Direction = "columns" | "rows";

/** Maximum number of series of a new chart. */
const SERIES_MAX = 60;

/** A block of cells with its detected layout. */
export interface ChartBlock {
  readonly range: Range;
  readonly direction: Direction;
  readonly hasHeader: boolean;
  readonly hasLabels: boolean;
}

/** Detects headers and labels of `range` on the current sheet. */
export async function detectLayout(model: WorkbookModel, range: Range): Promise<ChartBlock> {
  const direction: Direction = columnCount(range) > rowCount(range) ? "rows" : "columns";
  const isSingleRowOrColumn = columnCount(range) === 1 || rowCount(range) === 1;
  const top = { ...range, bottom: range.top };
  const left = { ...range, right: range.left };
  const [hasTop, hasLeft] = await Promise.all([
    rowCount(range) > 1 ? isDescription(model, top, { ...top, left: Math.min(range.left + 1, range.right) }) : false,
    columnCount(range) > 1 ? isDescription(model, left, { ...left, top: Math.min(range.top + 1, range.bottom) }) : false,
  ]);
  const isInRows = direction === "rows";
  return {
    range,
    direction,
    hasHeader: isInRows ? hasLeft : hasTop,
    hasLabels: (isInRows ? hasTop : hasLeft) && (!isSingleRowOrColumn || rowCount(range) === 2 || columnCount(range) === 2),
  };
}

/**
 * Whether the row or column holds texts or dates rather than numbers. `inner` excludes the corner.
 */
async function isDescription(model: WorkbookModel, outer: Range, inner: Range): Promise<boolean> {
  const sheet = model.sheetId();
  const [summary, cell] = await Promise.all([
    model.session.query({ type: "summarize", sheet, ranges: [inner] }),
    model.session.query({ type: "cell", sheet, cell: { row: inner.bottom, column: inner.right } }),
  ]);
  const isDate = /[ymd]/i.test((cell.format.numberFormat ?? "").replace(/\[[^\]]*\]|"[^"]*"/g, ""));
  return summary.filled > 0 && (summary.numbers === 0 || (isDate && outer.left === outer.right));
}

/**
 * The series of a block; references are absolute and without a sheet name, as the chart is on the
 * same sheet.
 */
export function seriesOf(block: ChartBlock): SeriesFields[] {
  const { range, direction, hasHeader, hasLabels } = block;
  const isInRows = direction === "rows";
  const [firstSeries, lastSeries] = isInRows ? [range.top, range.bottom] : [range.left, range.right];
  const [firstPoint, lastPoint] = isInRows ? [range.left, range.right] : [range.top, range.bottom];
  const points = firstPoint + (hasHeader ? 1 : 0);
  const reference = (at: number, from: number, to: number): string =>
    absolute(
      isInRows ? { top: at, bottom: at, left: from, right: to } : { left: at, right: at, top: from, bottom: to },
    );
  const series: SeriesFields[] = [];
  for (let at = firstSeries + (hasLabels ? 1 : 0); at <= lastSeries && series.length < SERIES_MAX; at += 1) {
    series.push({
      ...(hasHeader ? { name: reference(at, firstPoint, firstPoint) } : {}),
      ...(hasLabels ? { categories: reference(firstSeries, points, lastPoint) } : {}),
      values: reference(at, points, lastPoint),
    });
  }
  return series;
}

/** The series of a bubble chart: every second row or column holds the sizes of the one before. */
export function pairedSeriesOf(block: ChartBlock, isBubble: boolean): SeriesFields[] {
  const series = seriesOf(block);
  if (!isBubble) {
    return series;
  }
  return series.flatMap((one, index) => {
    const sizes = series[index + 1]?.values;
    return index % 2 === 0 ? [{ ...one, ...(sizes === undefined ? {} : { sizes }) }] : [];
  });
}

/** Series as values of item fields. */
export function itemValues(series: readonly SeriesFields[]): ItemValue[] {
  return series as unknown as ItemValue[];
}

function absolute(range: Range): string {
  return `=${rangeName(range).replace(/([A-Z]+)(\d+)/g, "$$$1$$$2")}`;
}

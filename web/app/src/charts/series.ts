/** Which series a block of cells makes: headers and labels are recognised, the rest is values. */

import { columnCount, type Range, rangeName, rowCount } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import type { SeriesFields } from "./chart-options.ts";

/** A block with more columns than rows holds its series in rows. */
export type Direction = "columns" | "rows";

/** More series than this in one chart tell nobody anything. */
const SERIES_MAX = 60;

export interface Block {
  readonly range: Range;
  readonly direction: Direction;
  readonly hasHeader: boolean;
  readonly hasLabels: boolean;
}

/** Reads the cells of `range` on the sheet that is shown. */
export async function recogniseBlock(model: WorkbookModel, range: Range): Promise<Block> {
  const direction: Direction = columnCount(range) > rowCount(range) ? "rows" : "columns";
  const isOneLine = columnCount(range) === 1 || rowCount(range) === 1;
  const top = { ...range, bottom: range.top };
  const left = { ...range, right: range.left };
  const [hasTop, hasLeft] = await Promise.all([
    rowCount(range) > 1 ? isDescription(model, top, { ...top, left: Math.min(range.left + 1, range.right) }) : false,
    columnCount(range) > 1 ? isDescription(model, left, { ...left, top: Math.min(range.top + 1, range.bottom) }) : false,
  ]);
  const isAcross = direction === "rows";
  return {
    range,
    direction,
    hasHeader: isAcross ? hasLeft : hasTop,
    hasLabels: (isAcross ? hasTop : hasLeft) && (!isOneLine || rowCount(range) === 2 || columnCount(range) === 2),
  };
}

/** Words or dates, not figures; `inner` leaves the corner out. */
async function isDescription(model: WorkbookModel, line: Range, inner: Range): Promise<boolean> {
  const sheet = model.sheetId();
  const [summary, cell] = await Promise.all([
    model.session.query({ type: "summarize", sheet, ranges: [inner] }),
    model.session.query({ type: "cell", sheet, cell: { row: inner.bottom, column: inner.right } }),
  ]);
  const isDate = /[ymd]/i.test((cell.format.numberFormat ?? "").replace(/\[[^\]]*\]|"[^"]*"/g, ""));
  return summary.filled > 0 && (summary.numbers === 0 || (isDate && line.left === line.right));
}

/** The series of a block; formulas are absolute and name the sheet that holds them by being on it. */
export function seriesOf(block: Block): SeriesFields[] {
  const { range, direction, hasHeader, hasLabels } = block;
  const isAcross = direction === "rows";
  const [firstLine, lastLine] = isAcross ? [range.top, range.bottom] : [range.left, range.right];
  const [firstPoint, lastPoint] = isAcross ? [range.left, range.right] : [range.top, range.bottom];
  const points = firstPoint + (hasHeader ? 1 : 0);
  const line = (at: number, from: number, to: number): string =>
    absolute(
      isAcross ? { top: at, bottom: at, left: from, right: to } : { left: at, right: at, top: from, bottom: to },
    );
  const series: SeriesFields[] = [];
  for (let at = firstLine + (hasLabels ? 1 : 0); at <= lastLine && series.length < SERIES_MAX; at += 1) {
    series.push({
      ...(hasHeader ? { name: line(at, firstPoint, firstPoint) } : {}),
      ...(hasLabels ? { categories: line(firstLine, points, lastPoint) } : {}),
      values: line(at, points, lastPoint),
    });
  }
  return series;
}

/** Each second line of points as the places, or sizes for bubbles, of the one before. */
export function pairedSeriesOf(block: Block, isBubble: boolean): SeriesFields[] {
  const series = seriesOf(block);
  if (!isBubble) {
    return series;
  }
  return series.flatMap((one, index) => {
    const sizes = series[index + 1]?.values;
    return index % 2 === 0 ? [{ ...one, ...(sizes === undefined ? {} : { sizes }) }] : [];
  });
}

/** Series are plain texts, numbers and logical values. */
export function values(series: readonly SeriesFields[]): ItemValue[] {
  return series as unknown as ItemValue[];
}

function absolute(range: Range): string {
  return `=${rangeName(range).replace(/([A-Z]+)(\d+)/g, "$$$1$$$2")}`;
}

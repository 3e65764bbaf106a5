/** Divides a sheet into pages. Pages are ordered down, then over, as in Excel. */

import type { Axis, Range } from "@quadrille/grid";
import { INCH_PX, paperPx, SCALE_MAX, SCALE_MIN, type PageSetup } from "./page-setup.ts";

/** Sizes of row and column headings before scaling. */
export const ROW_HEADING_PX = 44;
export const COLUMN_HEADING_PX = 22;

/** A span of rows or columns; both ends are inclusive. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The cells of one page. */
export interface SheetPage {
  readonly rows: Span;
  readonly columns: Span;
  /** Repeated rows and columns; absent on pages that contain them. */
  readonly titleRows: Span | undefined;
  readonly titleColumns: Span | undefined;
  /** Whether a manual page break follows the rows or the columns. */
  readonly endsAtRowBreak: boolean;
  readonly endsAtColumnBreak: boolean;
}

/** The pages of one sheet. They are created on request, as there can be very many. */
export interface Pages {
  readonly count: number;
  /** Scale relative to the screen. */
  readonly scale: number;
  readonly page: (index: number) => SheetPage;
}

interface Bands {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

/** The pages of the areas of a sheet. */
export function paginate(areas: readonly Range[], rows: Axis, columns: Axis, setup: PageSetup): Pages {
  const scale = scaleOf(areas, rows, columns, setup);
  const breaks = usedBreaks(setup);
  const bands = areas.map((area) => bandsOf(area, rows, columns, setup, scale));
  const counts = bands.map((band) => band.rows.length * band.columns.length);
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    scale,
    page: (index) => {
      let remaining = index;
      let area = 0;
      while (remaining >= (counts[area] ?? Number.POSITIVE_INFINITY)) {
        remaining -= counts[area] ?? 0;
        area += 1;
      }
      const band = bands[area];
      const down = band?.rows[remaining % band.rows.length];
      const across = band?.columns[Math.floor(remaining / band.rows.length)];
      if (!down || !across) {
        throw new Error(`unknown page: ${index}`);
      }
      return {
        rows: down,
        columns: across,
        titleRows: repeatedTitle(spanOf(setup.titleRows, "rows"), down),
        titleColumns: repeatedTitle(spanOf(setup.titleColumns, "columns"), across),
        endsAtRowBreak: down !== band.rows.at(-1) && isBreakAfter(down, rows, breaks.rowBreaks),
        endsAtColumnBreak: across !== band.columns.at(-1) && isBreakAfter(across, columns, breaks.columnBreaks),
      };
    },
  };
}

/** Space for cells on a page, in CSS pixels of the paper. */
export function contentSizePx(setup: PageSetup): { readonly width: number; readonly height: number } {
  const { width, height } = paperPx(setup);
  const { top, right, bottom, left } = setup.margins;
  return {
    width: Math.max(INCH_PX / 4, width - (left + right) * INCH_PX),
    height: Math.max(INCH_PX / 4, height - (top + bottom) * INCH_PX),
  };
}

function scaleOf(areas: readonly Range[], rows: Axis, columns: Axis, setup: PageSetup): number {
  const { fitToWidth, fitToHeight } = setup;
  if (fitToWidth === undefined && fitToHeight === undefined) {
    return setup.scale / 100;
  }
  const fits = (percent: number): boolean =>
    areas.every((area) => {
      const bands = bandsOf(area, rows, columns, setup, percent / 100);
      return (
        bands.columns.length <= (fitToWidth || Number.POSITIVE_INFINITY) && bands.rows.length <= (fitToHeight || Number.POSITIVE_INFINITY)
      );
    });
  // Fitting never enlarges. If a scale fits, every smaller one does, so binary search finds the
  // largest.
  let low = SCALE_MIN;
  let high = Math.min(100, SCALE_MAX);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low / 100;
}

function bandsOf(area: Range, rows: Axis, columns: Axis, setup: PageSetup, scale: number): Bands {
  const content = contentSizePx(setup);
  const height = content.height / scale - (setup.headings ? COLUMN_HEADING_PX : 0);
  const width = content.width / scale - (setup.headings ? ROW_HEADING_PX : 0);
  const { rowBreaks, columnBreaks } = usedBreaks(setup);
  return {
    rows: splitSpan({ first: area.top, last: area.bottom }, rows, height, spanOf(setup.titleRows, "rows"), rowBreaks),
    columns: splitSpan({ first: area.left, last: area.right }, columns, width, spanOf(setup.titleColumns, "columns"), columnBreaks),
  };
}

/** The manual page breaks; a sheet that is fitted to a number of pages has none, as in Excel. */
function usedBreaks({ fitToWidth, fitToHeight, rowBreaks, columnBreaks }: PageSetup): Pick<PageSetup, "rowBreaks" | "columnBreaks"> {
  return fitToWidth === undefined && fitToHeight === undefined ? { rowBreaks, columnBreaks } : { rowBreaks: [], columnBreaks: [] };
}

/** Whether a page break is between the span and the next visible row or column. */
function isBreakAfter({ last }: Span, axis: Axis, breaks: readonly number[]): boolean {
  const next = axis.nextVisible(last + 1, 1);
  return breaks.some((index) => index > last && index <= next);
}

/**
 * Spans of rows or columns that fit on one page; one that is larger than a page has its own page.
 * A manual break ends a page earlier.
 */
function splitSpan(span: Span, axis: Axis, availablePx: number, title: Span | undefined, breaks: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  let nextBreak = 0;
  let first = axis.nextVisible(span.first, 1);
  while (first <= span.last && !axis.isHidden(first)) {
    const repeated = title && first > title.last ? title : undefined;
    const leftPx = availablePx - (repeated ? sizeOf(axis, repeated) : 0);
    const start = axis.offset(first);
    // The tolerance keeps rounding from moving rows that fit exactly.
    let last = axis.indexAt(start + leftPx + 0.01);
    if (axis.offset(last) + axis.size(last) > start + leftPx + 0.01) {
      last -= 1;
    }
    while ((breaks[nextBreak] ?? Number.POSITIVE_INFINITY) <= first) {
      nextBreak += 1;
    }
    last = Math.min(span.last, Math.max(first, last), (breaks[nextBreak] ?? Number.POSITIVE_INFINITY) - 1);
    spans.push({ first, last });
    if (last >= span.last) {
      break;
    }
    first = axis.nextVisible(last + 1, 1);
  }
  return spans;
}

/** Size of a span in CSS pixels. */
export function sizeOf(axis: Axis, { first, last }: Span): number {
  return axis.offset(last) + axis.size(last) - axis.offset(first);
}

function repeatedTitle(title: Span | undefined, band: Span): Span | undefined {
  return title && band.first > title.last ? title : undefined;
}

function spanOf(range: Range | undefined, dimension: "rows" | "columns"): Span | undefined {
  return range && (dimension === "rows" ? { first: range.top, last: range.bottom } : { first: range.left, last: range.right });
}

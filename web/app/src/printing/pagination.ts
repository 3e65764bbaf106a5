/** Which cells come on which page. Pages go down first and then to the next columns, as in Excel. */

import type { Axis, Range } from "@quadrille/grid";
import { INCH_PX, paperPx, SCALE_MAX, SCALE_MIN, type Setup } from "./page-setup.ts";

/** Headings beside and over the cells, before scaling. */
export const ROW_HEADING_PX = 44;
export const COLUMN_HEADING_PX = 22;

/** First and last row or column, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface SheetPage {
  readonly rows: Span;
  readonly columns: Span;
  /** Repeated at the top and at the side; absent where they are among the page's own. */
  readonly titleRows: Span | undefined;
  readonly titleColumns: Span | undefined;
}

/** The pages of one sheet, made one by one when they are asked for: there may be very many. */
export interface Pages {
  readonly count: number;
  /** 1 is as on screen. */
  readonly scale: number;
  readonly page: (index: number) => SheetPage;
}

interface Bands {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

export function paginate(areas: readonly Range[], rows: Axis, columns: Axis, setup: Setup): Pages {
  const scale = scaleOf(areas, rows, columns, setup);
  const bands = areas.map((area) => bandsOf(area, rows, columns, setup, scale));
  const counts = bands.map((band) => band.rows.length * band.columns.length);
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    scale,
    page: (index) => {
      let left = index;
      let at = 0;
      while (left >= (counts[at] ?? Number.POSITIVE_INFINITY)) {
        left -= counts[at] ?? 0;
        at += 1;
      }
      const band = bands[at];
      const down = band?.rows[left % band.rows.length];
      const across = band?.columns[Math.floor(left / band.rows.length)];
      if (!down || !across) {
        throw new Error(`no such page: ${index}`);
      }
      return {
        rows: down,
        columns: across,
        titleRows: titleOn(spanOf(setup.titleRows, "rows"), down),
        titleColumns: titleOn(spanOf(setup.titleColumns, "columns"), across),
      };
    },
  };
}

/** Room for cells on a page, in CSS pixels of paper. */
export function roomPx(setup: Setup): { readonly width: number; readonly height: number } {
  const { width, height } = paperPx(setup);
  const { top, right, bottom, left } = setup.margins;
  return {
    width: Math.max(INCH_PX / 4, width - (left + right) * INCH_PX),
    height: Math.max(INCH_PX / 4, height - (top + bottom) * INCH_PX),
  };
}

function scaleOf(areas: readonly Range[], rows: Axis, columns: Axis, setup: Setup): number {
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
  // Fitting makes smaller, never larger. Smaller scales fit wherever larger ones do.
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

function bandsOf(area: Range, rows: Axis, columns: Axis, setup: Setup, scale: number): Bands {
  const room = roomPx(setup);
  const height = room.height / scale - (setup.headings ? COLUMN_HEADING_PX : 0);
  const width = room.width / scale - (setup.headings ? ROW_HEADING_PX : 0);
  return {
    rows: breaks({ first: area.top, last: area.bottom }, rows, height, spanOf(setup.titleRows, "rows")),
    columns: breaks({ first: area.left, last: area.right }, columns, width, spanOf(setup.titleColumns, "columns")),
  };
}

/** Lines that fit together; a line that is larger than a page has a page of its own. */
function breaks(span: Span, axis: Axis, room: number, title: Span | undefined): readonly Span[] {
  const found: Span[] = [];
  let first = axis.nextVisible(span.first, 1);
  while (first <= span.last && !axis.isHidden(first)) {
    const repeated = title && first > title.last ? title : undefined;
    const left = room - (repeated ? sizeOf(axis, repeated) : 0);
    const start = axis.offset(first);
    // A hair more, so that what fits exactly is not pushed out by rounding.
    let last = axis.indexAt(start + left + 0.01);
    if (axis.offset(last) + axis.size(last) > start + left + 0.01) {
      last -= 1;
    }
    last = Math.min(span.last, Math.max(first, last));
    found.push({ first, last });
    if (last >= span.last) {
      break;
    }
    first = axis.nextVisible(last + 1, 1);
  }
  return found;
}

export function sizeOf(axis: Axis, { first, last }: Span): number {
  return axis.offset(last) + axis.size(last) - axis.offset(first);
}

function titleOn(title: Span | undefined, band: Span): Span | undefined {
  return title && band.first > title.last ? title : undefined;
}

function spanOf(range: Range | undefined, dimension: "rows" | "columns"): Span | undefined {
  return range && (dimension === "rows" ? { first: range.top, last: range.bottom } : { first: range.left, last: range.right });
}

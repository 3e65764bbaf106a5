/** A sheet on its way to paper: how many pages it makes, and each of them as a drawing. */

import { Axis, COLUMN_WIDTH_PX, COLUMNS_MAX, loadSparklines, type Range, ROW_HEIGHT_PX, ROWS_MAX } from "@quadrille/grid";
import { PrintPainter, type PrintRegion } from "@quadrille/grid/print";
import type { ItemDetails, SheetShape } from "@quadrille/protocol";
import type { Session } from "@quadrille/session";
import { notation } from "../settings/index.ts";
import { type Picture, imageBox, drawingsOf } from "./print-drawings.ts";
import { COLUMN_HEADING_PX, type Pages, paginate, roomPx, ROW_HEADING_PX, type SheetPage, type Span, sizeOf } from "./pagination.ts";
import { type Codes, INCH_PX, paperPx, type Parts, type Setup, withCodes } from "./page-setup.ts";
import { paperTheme } from "./print-theme.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Texts run over to the page from cells at most so far away. */
const OVERFLOW_COLUMNS = 8;
const HEADER_FONT_PX = 13;

export interface SheetToPrint {
  readonly id: number;
  readonly name: string;
  readonly setup: Setup;
  readonly shape: SheetShape;
  readonly rows: Axis;
  readonly columns: Axis;
  readonly pages: Pages;
  readonly drawings: readonly Picture[];
}

/** What is needed to lay a sheet out; the set-up may change afterwards without asking again. */
export interface SheetRead {
  readonly id: number;
  readonly name: string;
  readonly items: readonly ItemDetails[];
  readonly shape: SheetShape;
  readonly used: Range;
}

export async function readSheet(session: Session, id: number, name: string): Promise<SheetRead> {
  const [items, look, used] = await Promise.all([
    session.query({ type: "items", sheet: id }),
    session.queryView(id, []),
    session.query({ type: "used", sheet: id }),
  ]);
  return { id, name, items, shape: look.shape, used };
}

/** `only`: this and nothing else, whatever the set-up says. */
export function layOut({ id, name, items, shape, used }: SheetRead, setup: Setup, only: Range | undefined): SheetToPrint {
  const rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, shape.rowRuns, shape.hiddenRows, 1);
  const columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, shape.columnRuns, shape.hiddenColumns, 1);
  const drawings = drawingsOf(items, rows, columns);
  const whole = wholeArea(shape, used, drawings, rows, columns);
  const within = (range: Range): Range[] => {
    // Whole rows and columns end where the sheet's use ends.
    const bottom = range.bottom >= ROWS_MAX - 1 ? (whole?.bottom ?? range.top) : range.bottom;
    const right = range.right >= COLUMNS_MAX - 1 ? (whole?.right ?? range.left) : range.right;
    return bottom >= range.top && right >= range.left ? [{ ...range, bottom, right }] : [];
  };
  const areas = only ? within(only) : setup.areas.length > 0 ? setup.areas.flatMap(within) : whole ? [whole] : [];
  return { id, name, setup, shape, rows, columns, pages: paginate(areas, rows, columns, setup), drawings };
}

/** From the first cell to the last that is filled or under a picture; `undefined` when there is none. */
function wholeArea(shape: SheetShape, used: Range, pictures: readonly Picture[], rows: Axis, columns: Axis): Range | undefined {
  const merges = { bottom: -1, right: -1 };
  if (shape.usedRows > 0) {
    merges.bottom = used.bottom;
    merges.right = used.right;
  }
  for (const picture of pictures) {
    const { x, y, width, height } = imageBox(picture, rows, columns);
    merges.bottom = Math.max(merges.bottom, rows.indexAt(y + height - 1));
    merges.right = Math.max(merges.right, columns.indexAt(x + width - 1));
  }
  return merges.bottom < 0 ? undefined : { top: 0, left: 0, bottom: merges.bottom, right: merges.right };
}

/** One page as a drawing of the paper's size. `codes`: for its header and footer. */
export async function drawPage(
  session: Session,
  sheet: SheetToPrint,
  index: number,
  codes: Codes,
  draw: (picture: Picture) => Promise<string | undefined>,
): Promise<SVGSVGElement> {
  const page = sheet.pages.page(index);
  const { setup } = sheet;
  const paper = paperPx(setup);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${paper.width} ${paper.height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${codes.page} / ${codes.pages}`);
  const white = document.createElementNS(SVG, "rect");
  set(white, { width: paper.width, height: paper.height, fill: "#ffffff" });
  svg.append(white);
  const parts = partsOf(sheet, page);
  const ranges = parts.map(({ range }) => ({
    ...range,
    left: Math.max(0, range.left - OVERFLOW_COLUMNS),
    right: Math.min(COLUMNS_MAX - 1, range.right + OVERFLOW_COLUMNS),
  }));
  const [{ windows }] = await Promise.all([session.queryView(sheet.id, ranges), loadSparklines()]);
  const { width, height } = sizeOfPage(sheet, page);
  const room = roomPx(setup);
  const { scale } = sheet.pages;
  const startX = setup.margins.left * INCH_PX;
  const spareX = Math.max(0, room.width - width * scale);
  const x = startX + (setup.centersHorizontally ? spareX / 2 : sheet.shape.isRightToLeft ? spareX : 0);
  const y = setup.margins.top * INCH_PX + (setup.centersVertically ? Math.max(0, room.height - height * scale) / 2 : 0);
  const cells = document.createElementNS(SVG, "g");
  cells.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  svg.append(cells);
  const theme = paperTheme();
  const painter = new PrintPainter(cells, measuring(), {
    rows: sheet.rows,
    columns: sheet.columns,
    widthPx: width,
    isRightToLeft: sheet.shape.isRightToLeft,
    hasGridlines: setup.gridlines,
    columnName: notation().column,
    theme,
  });
  for (const [at, part] of parts.entries()) {
    const window = windows[at];
    if (window) {
      painter.paint({ ...part, window });
    }
    await placePictures(cells, painter, sheet, part, draw);
  }
  if (setup.headings) {
    paintHeadings(painter, sheet, page);
  }
  placeTexts(svg, setup.header, codes, paper, setup, setup.headerInch * INCH_PX + HEADER_FONT_PX);
  placeTexts(svg, setup.footer, codes, paper, setup, paper.height - setup.footerInch * INCH_PX);
  return svg;
}

type Placed = Omit<PrintRegion, "window">;

/** The page's own cells, and those that are repeated above and beside them. */
function partsOf(sheet: SheetToPrint, page: SheetPage): readonly Placed[] {
  const { x, y } = startOf(sheet, page);
  const headX = sheet.setup.headings ? ROW_HEADING_PX : 0;
  const headY = sheet.setup.headings ? COLUMN_HEADING_PX : 0;
  const { rows, columns, titleRows, titleColumns } = page;
  const range = (down: Span, across: Span): Range => ({ top: down.first, bottom: down.last, left: across.first, right: across.last });
  const parts: Placed[] = [{ range: range(rows, columns), x, y }];
  if (titleRows) {
    parts.push({ range: range(titleRows, columns), x, y: headY });
  }
  if (titleColumns) {
    parts.push({ range: range(rows, titleColumns), x: headX, y });
  }
  if (titleRows && titleColumns) {
    parts.push({ range: range(titleRows, titleColumns), x: headX, y: headY });
  }
  return parts;
}

/** Where the page's own cells begin: after headings and repeated lines. */
function startOf({ setup, rows, columns }: SheetToPrint, { titleRows, titleColumns }: SheetPage): { readonly x: number; readonly y: number } {
  return {
    x: (setup.headings ? ROW_HEADING_PX : 0) + (titleColumns ? sizeOf(columns, titleColumns) : 0),
    y: (setup.headings ? COLUMN_HEADING_PX : 0) + (titleRows ? sizeOf(rows, titleRows) : 0),
  };
}

function sizeOfPage(sheet: SheetToPrint, page: SheetPage): { readonly width: number; readonly height: number } {
  const { x, y } = startOf(sheet, page);
  return { width: x + sizeOf(sheet.columns, page.columns), height: y + sizeOf(sheet.rows, page.rows) };
}

function paintHeadings(painter: PrintPainter, sheet: SheetToPrint, page: SheetPage): void {
  const { x, y } = startOf(sheet, page);
  const across = (span: Span, at: number): void =>
    painter.paintHeading({ dimension: "columns", ...span, x: at, y: 0, thicknessPx: COLUMN_HEADING_PX });
  const down = (span: Span, at: number): void =>
    painter.paintHeading({ dimension: "rows", ...span, x: 0, y: at, thicknessPx: ROW_HEADING_PX });
  if (page.titleColumns) {
    across(page.titleColumns, ROW_HEADING_PX);
  }
  if (page.titleRows) {
    down(page.titleRows, COLUMN_HEADING_PX);
  }
  across(page.columns, x);
  down(page.rows, y);
}

/** Charts and images, cut at the part's edges. */
async function placePictures(
  parent: SVGElement,
  painter: PrintPainter,
  sheet: SheetToPrint,
  part: Placed,
  draw: (picture: Picture) => Promise<string | undefined>,
): Promise<void> {
  const { rows, columns } = sheet;
  const { range } = part;
  const left = columns.offset(range.left);
  const top = rows.offset(range.top);
  const right = columns.offset(range.right + 1);
  const bottom = rows.offset(range.bottom + 1);
  const box = painter.boxOf(part);
  for (const picture of sheet.drawings) {
    const { x, y, width, height } = imageBox(picture, rows, columns);
    if (x >= right || y >= bottom || x + width <= left || y + height <= top) {
      continue;
    }
    const url = await draw(picture);
    if (url === undefined) {
      continue;
    }
    const clip = document.createElementNS(SVG, "svg");
    const image = document.createElementNS(SVG, "image");
    const fromStart = x - left;
    const at = { x: sheet.shape.isRightToLeft ? box.x + box.width - fromStart - width : box.x + fromStart, y: box.y + y - top };
    set(clip, { ...box, viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`, overflow: "hidden" });
    set(image, { ...at, width, height, href: url, preserveAspectRatio: picture.isFitted ? "xMidYMid meet" : "none" });
    clip.append(image);
    parent.append(clip);
  }
}

function placeTexts(svg: SVGElement, parts: Parts, codes: Codes, paper: { readonly width: number }, setup: Setup, y: number): void {
  const anchors = ["start", "middle", "end"] as const;
  const places = [setup.margins.left * INCH_PX, paper.width / 2, paper.width - setup.margins.right * INCH_PX] as const;
  parts.forEach((part, at) => {
    if (part !== "") {
      const text = document.createElementNS(SVG, "text");
      const font = paperTheme().fontFamily;
      set(text, { x: places[at] ?? 0, y, "text-anchor": anchors[at] ?? "start", "font-size": HEADER_FONT_PX, "font-family": font, fill: "#000000" });
      text.textContent = withCodes(part, codes);
      svg.append(text);
    }
  });
}

function set(element: SVGElement, attributes: Readonly<Record<string, string | number>>): void {
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, String(value)));
}

let measure: CanvasRenderingContext2D | undefined;

function measuring(): CanvasRenderingContext2D {
  measure ??= document.createElement("canvas").getContext("2d") ?? undefined;
  if (!measure) {
    throw new Error("this browser cannot draw on a canvas");
  }
  return measure;
}


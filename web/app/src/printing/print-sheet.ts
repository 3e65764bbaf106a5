/** Lays out a sheet on pages, and draws each page as SVG. */

import { Axis, COLUMN_WIDTH_PX, COLUMNS_MAX, loadLaterPainters, type Range, ROW_HEIGHT_PX, ROWS_MAX } from "@quadrille/grid";
import { PrintPainter, type PrintRegion } from "@quadrille/grid/print";
import type { ItemDetails, SheetShape } from "@quadrille/protocol";
import type { Session } from "@quadrille/session";
import { notation } from "../settings/index.ts";
import { type PrintedDrawing, drawingBox, drawingsOf } from "./print-drawings.ts";
import { COLUMN_HEADING_PX, type Pages, paginate, contentSizePx, ROW_HEADING_PX, type SheetPage, type Span, sizeOf } from "./pagination.ts";
import { headersOf, type HeaderValues, INCH_PX, isOwnSheetChart, paperPx, type HeaderSections, type PageSetup, replaceHeaderCodes } from "./page-setup.ts";
import { paperTheme } from "./print-theme.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Number of columns beyond the page whose texts can overflow into it. */
const OVERFLOW_COLUMNS = 8;
const HEADER_FONT_PX = 13;

/** A laid out sheet. */
export interface SheetToPrint {
  readonly id: number;
  readonly name: string;
  readonly setup: PageSetup;
  readonly shape: SheetShape;
  readonly rows: Axis;
  readonly columns: Axis;
  readonly pages: Pages;
  readonly drawings: readonly PrintedDrawing[];
  /** The chart of a chart sheet, which fills a page; the cells are not printed. */
  readonly chart?: PrintedDrawing | undefined;
}

/** The data for laying out a sheet; changes of the page setup need no further query. */
export interface PrintedSheetData {
  readonly id: number;
  readonly name: string;
  readonly items: readonly ItemDetails[];
  readonly shape: SheetShape;
  readonly used: Range;
}

/** Queries the data of a sheet. */
export async function readSheet(session: Session, id: number, name: string): Promise<PrintedSheetData> {
  const [items, view, used] = await Promise.all([
    session.query({ type: "items", sheet: id }),
    session.queryView(id, []),
    session.query({ type: "used", sheet: id }),
  ]);
  return { id, name, items, shape: view.shape, used };
}

const NO_LINES: Span = { first: 0, last: -1 };
const ONE_PAGE: Pages = {
  count: 1,
  scale: 1,
  page: () => ({ rows: NO_LINES, columns: NO_LINES, titleRows: undefined, titleColumns: undefined, endsAtRowBreak: false, endsAtColumnBreak: false }),
};

/** Lays out a sheet; `only` replaces the print areas. */
export function layOut({ id, name, items, shape, used }: PrintedSheetData, setup: PageSetup, only: Range | undefined): SheetToPrint {
  const rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, shape.rowRuns, shape.hiddenRows, 1);
  const columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, shape.columnRuns, shape.hiddenColumns, 1);
  const chart = items.find((item) => isOwnSheetChart(item));
  if (chart) {
    const filled: PrintedDrawing = { item: chart, cell: { row: 0, column: 0 }, offsetX: 0, offsetY: 0, ...contentSizePx(setup), isFitted: false };
    return { id, name, setup, shape, rows, columns, pages: ONE_PAGE, drawings: [], chart: filled };
  }
  const drawings = drawingsOf(items, rows, columns);
  const contentArea = usedArea(shape, used, drawings, rows, columns);
  const boundedAreas = (range: Range): Range[] => {
    // Whole rows and columns end at the used range.
    const bottom = range.bottom >= ROWS_MAX - 1 ? (contentArea?.bottom ?? range.top) : range.bottom;
    const right = range.right >= COLUMNS_MAX - 1 ? (contentArea?.right ?? range.left) : range.right;
    return bottom >= range.top && right >= range.left ? [{ ...range, bottom, right }] : [];
  };
  const areas = only ? boundedAreas(only) : setup.areas.length > 0 ? setup.areas.flatMap(boundedAreas) : contentArea ? [contentArea] : [];
  return { id, name, setup, shape, rows, columns, pages: paginate(areas, rows, columns, setup), drawings };
}

/**
 * The range from A1 to the last cell with content or below a drawing; `undefined` if there is none.
 */
function usedArea(shape: SheetShape, used: Range, drawings: readonly PrintedDrawing[], rows: Axis, columns: Axis): Range | undefined {
  const end = { bottom: -1, right: -1 };
  if (shape.usedRows > 0) {
    end.bottom = used.bottom;
    end.right = used.right;
  }
  for (const drawing of drawings) {
    const { x, y, width, height } = drawingBox(drawing, rows, columns);
    end.bottom = Math.max(end.bottom, rows.indexAt(y + height - 1));
    end.right = Math.max(end.right, columns.indexAt(x + width - 1));
  }
  return end.bottom < 0 ? undefined : { top: 0, left: 0, bottom: end.bottom, right: end.right };
}

/** Draws one page in the size of the paper. `values` replace the codes in header and footer. */
export async function drawPage(
  session: Session,
  sheet: SheetToPrint,
  index: number,
  values: HeaderValues,
  draw: (drawing: PrintedDrawing) => Promise<string | undefined>,
): Promise<SVGSVGElement> {
  const page = sheet.pages.page(index);
  const { setup } = sheet;
  const paper = paperPx(setup);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${paper.width} ${paper.height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${values.page} / ${values.pages}`);
  const background = document.createElementNS(SVG, "rect");
  setAttributes(background, { width: paper.width, height: paper.height, fill: "#ffffff" });
  svg.append(background);
  if (sheet.chart) {
    await drawFilled(svg, sheet.chart, setup, draw);
  } else {
    await drawCells(session, sheet, page, svg, draw);
  }
  const { header, footer } = headersOf(setup, index, values.page);
  drawHeaderTexts(svg, header, values, paper, setup, setup.headerInch * INCH_PX + HEADER_FONT_PX);
  drawHeaderTexts(svg, footer, values, paper, setup, paper.height - setup.footerInch * INCH_PX);
  return svg;
}

/** Draws the cells of a page, with the drawings over them. */
async function drawCells(session: Session, sheet: SheetToPrint, page: SheetPage, svg: SVGSVGElement, draw: (drawing: PrintedDrawing) => Promise<string | undefined>): Promise<void> {
  const { setup } = sheet;
  const regions = regionsOf(sheet, page);
  const ranges = regions.map(({ range }) => ({
    ...range,
    left: Math.max(0, range.left - OVERFLOW_COLUMNS),
    right: Math.min(COLUMNS_MAX - 1, range.right + OVERFLOW_COLUMNS),
  }));
  const [{ windows }] = await Promise.all([session.queryView(sheet.id, ranges), loadLaterPainters()]);
  const { x, y, width } = placeOfCells(sheet, page);
  const { scale } = sheet.pages;
  const cells = document.createElementNS(SVG, "g");
  cells.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  svg.append(cells);
  const theme = paperTheme();
  const painter = new PrintPainter(cells, measuringContext(), {
    rows: sheet.rows,
    columns: sheet.columns,
    widthPx: width,
    isRightToLeft: sheet.shape.isRightToLeft,
    hasGridlines: setup.gridlines,
    columnName: notation().column,
    theme,
  });
  for (const [index, region] of regions.entries()) {
    const window = windows[index];
    if (window) {
      painter.paint({ ...region, window });
    }
    await drawDrawings(cells, painter, sheet, region, draw);
  }
  if (setup.headings) {
    paintHeadings(painter, sheet, page);
  }
}

/** Draws a chart that fills the space between the margins. */
async function drawFilled(svg: SVGSVGElement, chart: PrintedDrawing, setup: PageSetup, draw: (drawing: PrintedDrawing) => Promise<string | undefined>): Promise<void> {
  const url = await draw(chart);
  if (url !== undefined) {
    const image = document.createElementNS(SVG, "image");
    setAttributes(image, { x: setup.margins.left * INCH_PX, y: setup.margins.top * INCH_PX, width: chart.width, height: chart.height, href: url });
    svg.append(image);
  }
}

/** Position of the cells on the paper, and their size before scaling. */
function placeOfCells(sheet: SheetToPrint, page: SheetPage): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const { setup } = sheet;
  const { scale } = sheet.pages;
  const { width, height } = sizeOfPage(sheet, page);
  const content = contentSizePx(setup);
  const spareX = Math.max(0, content.width - width * scale);
  return {
    x: setup.margins.left * INCH_PX + (setup.centersHorizontally ? spareX / 2 : sheet.shape.isRightToLeft ? spareX : 0),
    y: setup.margins.top * INCH_PX + (setup.centersVertically ? Math.max(0, content.height - height * scale) / 2 : 0),
    width,
    height,
  };
}

/** Dashed lines across the paper, where manual page breaks end the cells of a page. */
export function breakLines(sheet: SheetToPrint, index: number): readonly SVGLineElement[] {
  const page = sheet.pages.page(index);
  const paper = paperPx(sheet.setup);
  const { x, y, width, height } = placeOfCells(sheet, page);
  const { scale } = sheet.pages;
  const line = (ends: Readonly<Record<"x1" | "y1" | "x2" | "y2", number>>): SVGLineElement => {
    const element = document.createElementNS(SVG, "line");
    element.setAttribute("class", "print-break");
    setAttributes(element, ends);
    return element;
  };
  const below = y + height * scale;
  const after = sheet.shape.isRightToLeft ? x : x + width * scale;
  return [
    ...(page.endsAtRowBreak ? [line({ x1: 0, y1: below, x2: paper.width, y2: below })] : []),
    ...(page.endsAtColumnBreak ? [line({ x1: after, y1: 0, x2: after, y2: paper.height })] : []),
  ];
}

type PageRegion = Omit<PrintRegion, "window">;

/** The regions of a page: its cells, and repeated rows and columns. */
function regionsOf(sheet: SheetToPrint, page: SheetPage): readonly PageRegion[] {
  const { x, y } = cellsStart(sheet, page);
  const headingWidth = sheet.setup.headings ? ROW_HEADING_PX : 0;
  const headingHeight = sheet.setup.headings ? COLUMN_HEADING_PX : 0;
  const { rows, columns, titleRows, titleColumns } = page;
  const range = (down: Span, across: Span): Range => ({ top: down.first, bottom: down.last, left: across.first, right: across.last });
  const regions: PageRegion[] = [{ range: range(rows, columns), x, y }];
  if (titleRows) {
    regions.push({ range: range(titleRows, columns), x, y: headingHeight });
  }
  if (titleColumns) {
    regions.push({ range: range(rows, titleColumns), x: headingWidth, y });
  }
  if (titleRows && titleColumns) {
    regions.push({ range: range(titleRows, titleColumns), x: headingWidth, y: headingHeight });
  }
  return regions;
}

/** Position of the cells of the page, after headings and repeated rows and columns. */
function cellsStart({ setup, rows, columns }: SheetToPrint, { titleRows, titleColumns }: SheetPage): { readonly x: number; readonly y: number } {
  return {
    x: (setup.headings ? ROW_HEADING_PX : 0) + (titleColumns ? sizeOf(columns, titleColumns) : 0),
    y: (setup.headings ? COLUMN_HEADING_PX : 0) + (titleRows ? sizeOf(rows, titleRows) : 0),
  };
}

function sizeOfPage(sheet: SheetToPrint, page: SheetPage): { readonly width: number; readonly height: number } {
  const { x, y } = cellsStart(sheet, page);
  return { width: x + sizeOf(sheet.columns, page.columns), height: y + sizeOf(sheet.rows, page.rows) };
}

function paintHeadings(painter: PrintPainter, sheet: SheetToPrint, page: SheetPage): void {
  const { x, y } = cellsStart(sheet, page);
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

/** Draws charts and images, clipped to the region. */
async function drawDrawings(
  parent: SVGElement,
  painter: PrintPainter,
  sheet: SheetToPrint,
  region: PageRegion,
  draw: (drawing: PrintedDrawing) => Promise<string | undefined>,
): Promise<void> {
  const { rows, columns } = sheet;
  const { range } = region;
  const left = columns.offset(range.left);
  const top = rows.offset(range.top);
  const right = columns.offset(range.right + 1);
  const bottom = rows.offset(range.bottom + 1);
  const box = painter.boxOf(region);
  for (const drawing of sheet.drawings) {
    const { x, y, width, height } = drawingBox(drawing, rows, columns);
    if (x >= right || y >= bottom || x + width <= left || y + height <= top) {
      continue;
    }
    const url = await draw(drawing);
    if (url === undefined) {
      continue;
    }
    const clip = document.createElementNS(SVG, "svg");
    const image = document.createElementNS(SVG, "image");
    const fromStart = x - left;
    const at = { x: sheet.shape.isRightToLeft ? box.x + box.width - fromStart - width : box.x + fromStart, y: box.y + y - top };
    setAttributes(clip, { ...box, viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`, overflow: "hidden" });
    setAttributes(image, { ...at, width, height, href: url, preserveAspectRatio: drawing.isFitted ? "xMidYMid meet" : "none" });
    clip.append(image);
    parent.append(clip);
  }
}

function drawHeaderTexts(svg: SVGElement, sections: HeaderSections, values: HeaderValues, paper: { readonly width: number }, setup: PageSetup, y: number): void {
  const anchors = ["start", "middle", "end"] as const;
  const positions = [setup.margins.left * INCH_PX, paper.width / 2, paper.width - setup.margins.right * INCH_PX] as const;
  sections.forEach((section, index) => {
    if (section !== "") {
      const text = document.createElementNS(SVG, "text");
      const font = paperTheme().fontFamily;
      setAttributes(text, { x: positions[index] ?? 0, y, "text-anchor": anchors[index] ?? "start", "font-size": HEADER_FONT_PX, "font-family": font, fill: "#000000" });
      text.textContent = replaceHeaderCodes(section, values);
      svg.append(text);
    }
  });
}

function setAttributes(element: SVGElement, attributes: Readonly<Record<string, string | number>>): void {
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, String(value)));
}

let canvasContext: CanvasRenderingContext2D | undefined;

function measuringContext(): CanvasRenderingContext2D {
  canvasContext ??= document.createElement("canvas").getContext("2d") ?? undefined;
  if (!canvasContext) {
    throw new Error("this browser cannot draw on a canvas");
  }
  return canvasContext;
}

/** A print job: the pages of one or more sheets, and printing them. */

import type { Session } from "@quadrille/session";
import type { DrawingPainter } from "./print-drawings.ts";
import { type HeaderValues, INCH_MM, INCH_PX, paperPx } from "./page-setup.ts";
import { breakLines, drawPage, type SheetToPrint } from "./print-sheet.ts";

/** From this number of pages on, the dialog warns. */
export const PAGES_WARN = 50;
/** Limit of pages, as the browser holds all of them in memory. */
export const PAGES_MAX = 1_000;

/** The sheets to print with their pages. */
export interface PrintJob {
  readonly sheets: readonly SheetToPrint[];
  readonly count: number;
  readonly title: string;
}

/** A job of laid out sheets. */
export function jobOf(sheets: readonly SheetToPrint[], title: string): PrintJob {
  return { sheets, count: sheets.reduce((sum, { pages }) => sum + pages.count, 0), title };
}

/** Draws a page by its index in the job. */
export function drawPageOf(job: PrintJob, index: number, session: Session, painter: DrawingPainter): Promise<SVGSVGElement> {
  const { sheet, pageIndex } = sheetAt(job, index);
  return drawPage(session, sheet, pageIndex, headerValues(job, index, sheet), (drawing) => painter.draw(sheet.id, drawing));
}

/** Draws a page for the preview, with lines where manual page breaks end it. */
export async function drawPreviewOf(job: PrintJob, index: number, session: Session, painter: DrawingPainter): Promise<SVGSVGElement> {
  const drawing = await drawPageOf(job, index, session, painter);
  const { sheet, pageIndex } = sheetAt(job, index);
  drawing.append(...breakLines(sheet, pageIndex));
  return drawing;
}

/** The sheet of a page, and the index of the page in it. */
export function sheetAt({ sheets }: PrintJob, index: number): { readonly sheet: SheetToPrint; readonly pageIndex: number } {
  let pageIndex = index;
  for (const sheet of sheets) {
    if (pageIndex < sheet.pages.count) {
      return { sheet, pageIndex };
    }
    pageIndex -= sheet.pages.count;
  }
  throw new Error(`unknown page: ${index}`);
}

function headerValues(job: PrintJob, index: number, sheet: SheetToPrint): HeaderValues {
  const now = new Date();
  const language = document.documentElement.lang;
  return {
    page: index + 1,
    pages: job.count,
    sheet: sheet.name,
    file: job.title,
    date: now.toLocaleDateString(language),
    time: now.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" }),
  };
}

/**
 * Renders all pages into elements that only print styles show, opens the print dialog of the
 * browser, and removes them afterwards. Returns `false` if `signal` was aborted.
 */
export async function printJob(
  job: PrintJob,
  session: Session,
  painter: DrawingPainter,
  progress: (printedCount: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  document.querySelector(".print-pages")?.remove();
  const container = document.createElement("div");
  container.className = "print-pages";
  container.dir = "ltr";
  const names = new Map<string, string>();
  for (let index = 0; index < job.count; index += 1) {
    const { sheet } = sheetAt(job, index);
    const { width, height } = paperPx(sheet.setup);
    const size = `${mm(width)} ${mm(height)}`;
    const name = names.get(size) ?? `paper-${names.size}`;
    names.set(size, name);
    const page = document.createElement("div");
    page.className = "print-page";
    page.style.setProperty("page", name);
    page.style.width = mm(width);
    page.style.height = mm(height);
    page.append(await drawPageOf(job, index, session, painter));
    if (signal.aborted) {
      return false;
    }
    container.append(page);
    progress(index + 1);
  }
  const styleSheet = new CSSStyleSheet();
  for (const [size, name] of names) {
    styleSheet.insertRule(`@page ${name} { size: ${size}; margin: 0; }`);
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styleSheet];
  document.body.append(container);
  document.documentElement.classList.add("is-printing");
  const title = document.title;
  // Browsers use the title as the file name.
  document.title = job.title;
  const cleanUp = (): void => {
    container.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== styleSheet);
    document.documentElement.classList.remove("is-printing");
    document.title = title;
  };
  window.addEventListener("afterprint", cleanUp, { once: true });
  window.print();
  return true;
}

function mm(px: number): string {
  return `${Math.round((px / INCH_PX) * INCH_MM * 10) / 10}mm`;
}

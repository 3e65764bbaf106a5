/** Everything that is printed at once: its pages in order, and the way to the printer. */

import type { Session } from "@quadrille/session";
import type { PictureDrawer } from "./print-drawings.ts";
import { type Codes, INCH_MM, INCH_PX, paperPx } from "./page-setup.ts";
import { drawPage, type SheetToPrint } from "./print-sheet.ts";

/** From here on it is said how many pages it will be. */
export const PAGES_WARN = 50;
/** The browser holds all pages at once; more than this many it would not bear. */
export const PAGES_MAX = 1_000;

export interface Job {
  readonly sheets: readonly SheetToPrint[];
  readonly count: number;
  readonly title: string;
}

export function jobOf(sheets: readonly SheetToPrint[], title: string): Job {
  return { sheets, count: sheets.reduce((sum, { pages }) => sum + pages.count, 0), title };
}

export function drawPageOf(job: Job, index: number, session: Session, drawer: PictureDrawer): Promise<SVGSVGElement> {
  const { sheet, at } = sheetAt(job, index);
  return drawPage(session, sheet, at, codesOf(job, index, sheet), (picture) => drawer.draw(sheet.id, picture));
}

/** The sheet of a page, and which of its pages it is. */
export function sheetAt({ sheets }: Job, index: number): { readonly sheet: SheetToPrint; readonly at: number } {
  let at = index;
  for (const sheet of sheets) {
    if (at < sheet.pages.count) {
      return { sheet, at };
    }
    at -= sheet.pages.count;
  }
  throw new Error(`no such page: ${index}`);
}

function codesOf(job: Job, index: number, sheet: SheetToPrint): Codes {
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
 * Puts all pages into the document, where only paper shows them, and asks the browser to print. They go when it has.
 * `false`: somebody stopped it.
 */
export async function printJob(
  job: Job,
  session: Session,
  drawer: PictureDrawer,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  document.querySelector(".print-pages")?.remove();
  const place = document.createElement("div");
  place.className = "print-pages";
  place.dir = "ltr";
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
    page.append(await drawPageOf(job, index, session, drawer));
    if (signal.aborted) {
      return false;
    }
    place.append(page);
    progress(index + 1);
  }
  const sheet = new CSSStyleSheet();
  for (const [size, name] of names) {
    sheet.insertRule(`@page ${name} { size: ${size}; margin: 0; }`);
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  document.body.append(place);
  document.documentElement.classList.add("is-printing");
  const title = document.title;
  // Browsers name the file after it.
  document.title = job.title;
  const clear = (): void => {
    place.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    document.documentElement.classList.remove("is-printing");
    document.title = title;
  };
  window.addEventListener("afterprint", clear, { once: true });
  window.print();
  return true;
}

function mm(px: number): string {
  return `${Math.round((px / INCH_PX) * INCH_MM * 10) / 10}mm`;
}

/** How a sheet is put on paper: the fields of the sheet's settings, as the page works with them. */

import { type Range, rangeName } from "@quadrille/grid";
import { parseRange } from "@quadrille/grid";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";

/** CSS pixels of an inch. */
export const INCH_PX = 96;
export const INCH_MM = 25.4;

/** In millimetres, upright (ISO 216, JIS P 0138 for B, ANSI). */
export const PAPERS = {
  a4: [210, 297],
  a3: [297, 420],
  a5: [148, 210],
  a6: [105, 148],
  b4: [257, 364],
  b5: [182, 257],
  letter: [215.9, 279.4],
  legal: [215.9, 355.6],
  tabloid: [279.4, 431.8],
  executive: [184.1, 266.7],
} as const satisfies Readonly<Record<string, readonly [width: number, height: number]>>;

export type Paper = keyof typeof PAPERS;

/** In inches. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Excel's three choices. */
export const MARGIN_PRESETS = {
  normal: { top: 0.75, right: 0.7, bottom: 0.75, left: 0.7 },
  narrow: { top: 0.75, right: 0.25, bottom: 0.75, left: 0.25 },
  wide: { top: 1, right: 1, bottom: 1, left: 1 },
} as const satisfies Readonly<Record<string, Margins>>;

export type Parts = readonly [left: string, center: string, right: string];

export interface Setup {
  readonly paper: Paper;
  readonly isLandscape: boolean;
  readonly margins: Margins;
  /** From the paper's edge to the header and footer, in inches. */
  readonly headerInch: number;
  readonly footerInch: number;
  /** Per cent; without meaning when the sheet is fitted. */
  readonly scale: number;
  /** Pages that the sheet is made smaller for; 0 is as many as it takes. Both `undefined`: not fitted. */
  readonly fitToWidth: number | undefined;
  readonly fitToHeight: number | undefined;
  readonly gridlines: boolean;
  readonly headings: boolean;
  readonly centersHorizontally: boolean;
  readonly centersVertically: boolean;
  readonly header: Parts;
  readonly footer: Parts;
  /** Empty: everything. */
  readonly areas: readonly Range[];
  readonly titleRows: Range | undefined;
  readonly titleColumns: Range | undefined;
}

export const SCALE_MIN = 10;
export const SCALE_MAX = 400;
/** In inches; the schema allows more, which no paper here has. */
const MARGIN_MAX = 10;

const DEFAULT_HEADER_INCH = 0.3;

/** Where paper comes in inches. */
const LETTER_COUNTRIES = new Set(["US", "CA", "MX", "CL", "CO", "CR", "GT", "NI", "PA", "PH", "PR", "SV", "VE"]);

export function defaultPaper(languages: readonly string[]): Paper {
  const region = languages.map((tag) => regionOf(tag)).find((found) => found !== undefined);
  return region !== undefined && LETTER_COUNTRIES.has(region) ? "letter" : "a4";
}

function regionOf(tag: string): string | undefined {
  try {
    const locale = new Intl.Locale(tag);
    // Most who read English alone have a browser that does not say where they are.
    return locale.region ?? (locale.language === "en" ? undefined : locale.maximize().region);
  } catch {
    return undefined;
  }
}

/** What the items of a sheet say. */
export function setupOf(items: readonly ItemDetails[], usual: Paper): Setup {
  const fields = items.find((item) => item.kind === "sheetSettings")?.fields ?? {};
  const number = (name: string, otherwise: number): number => {
    const value = fields[name];
    return typeof value === "number" ? value : otherwise;
  };
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : "";
  };
  const whole = (name: string): number | undefined => {
    const value = fields[name];
    return typeof value === "number" ? Math.round(value) : undefined;
  };
  const paper = text("paper");
  const areas = items.find((item) => item.kind === "printArea")?.anchors ?? [];
  const titles = (items.find((item) => item.kind === "printTitles")?.anchors ?? []).flatMap((name) => parseRange(name) ?? []);
  const { normal } = MARGIN_PRESETS;
  return {
    paper: isPaper(paper) ? paper : usual,
    isLandscape: fields["orientation"] === "landscape",
    margins: {
      top: number("marginTop", normal.top),
      right: number("marginRight", normal.right),
      bottom: number("marginBottom", normal.bottom),
      left: number("marginLeft", normal.left),
    },
    headerInch: number("marginHeader", DEFAULT_HEADER_INCH),
    footerInch: number("marginFooter", DEFAULT_HEADER_INCH),
    scale: clamped(number("scale", 100), SCALE_MIN, SCALE_MAX),
    fitToWidth: whole("fitToWidth"),
    fitToHeight: whole("fitToHeight"),
    gridlines: fields["printGridlines"] === true,
    headings: fields["printHeadings"] === true,
    centersHorizontally: fields["centerHorizontally"] === true,
    centersVertically: fields["centerVertically"] === true,
    header: [text("headerLeft"), text("headerCenter"), text("headerRight")],
    footer: [text("footerLeft"), text("footerCenter"), text("footerRight")],
    areas: areas.flatMap((name) => parseRange(name) ?? []),
    titleRows: titles.find(isRows),
    titleColumns: titles.find((range) => !isRows(range)),
  };
}

/** The fields of the sheet's settings that say this; what is as usual is cleared. */
export function fieldsOf(setup: Setup): Record<string, ItemValue> {
  const { margins, header, footer } = setup;
  const unless = (value: number, usual: number): number | null => (Math.abs(value - usual) < 0.001 ? null : value);
  const { normal } = MARGIN_PRESETS;
  return {
    paper: setup.paper,
    orientation: setup.isLandscape ? "landscape" : "portrait",
    marginTop: unless(margins.top, normal.top),
    marginRight: unless(margins.right, normal.right),
    marginBottom: unless(margins.bottom, normal.bottom),
    marginLeft: unless(margins.left, normal.left),
    scale: unless(setup.scale, 100),
    fitToWidth: setup.fitToWidth ?? null,
    fitToHeight: setup.fitToHeight ?? null,
    printGridlines: setup.gridlines || null,
    printHeadings: setup.headings || null,
    centerHorizontally: setup.centersHorizontally || null,
    centerVertically: setup.centersVertically || null,
    headerLeft: header[0] || null,
    headerCenter: header[1] || null,
    headerRight: header[2] || null,
    footerLeft: footer[0] || null,
    footerCenter: footer[1] || null,
    footerRight: footer[2] || null,
  };
}

export function titleAnchors({ titleRows, titleColumns }: Setup): readonly string[] {
  return [titleRows, titleColumns].flatMap((range) => (range ? [rangeName(range)] : []));
}

/** Of the paper as it lies, in CSS pixels. */
export function paperPx({ paper, isLandscape }: Setup): { readonly width: number; readonly height: number } {
  const [short, long] = PAPERS[paper].map((mm) => (mm / INCH_MM) * INCH_PX) as [number, number];
  return isLandscape ? { width: long, height: short } : { width: short, height: long };
}

export function readMargin(mm: number): number {
  return clamped(Number.isFinite(mm) ? mm / INCH_MM : 0, 0, MARGIN_MAX);
}

/** `&P` and the other codes of Excel's headers; those for fonts are left out. */
export interface Codes {
  readonly page: number;
  readonly pages: number;
  readonly sheet: string;
  readonly file: string;
  readonly date: string;
  readonly time: string;
}

export function withCodes(text: string, codes: Codes): string {
  return text.replace(/&(?:"[^"]*"|\d+|K[0-9A-Fa-f]{6}|[A-Za-z&])/g, (code) => {
    switch (code.slice(1).toUpperCase()) {
      case "&":
        return "&";
      case "P":
        return String(codes.page);
      case "N":
        return String(codes.pages);
      case "A":
        return codes.sheet;
      case "F":
        return codes.file;
      case "D":
        return codes.date;
      case "T":
        return codes.time;
      default:
        return "";
    }
  });
}

export function isPaper(name: string): name is Paper {
  return name in PAPERS;
}

function isRows(range: Range): boolean {
  return range.left === 0 && range.right > range.bottom - range.top && range.right >= 16_383;
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

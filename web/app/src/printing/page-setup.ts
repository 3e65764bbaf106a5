/** The page setup of a sheet, and its conversion from and to the settings of the sheet. */

import { isWholeColumns, isWholeRows, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";

/** CSS pixels per inch. */
export const INCH_PX = 96;
/** Millimeters per inch. */
export const INCH_MM = 25.4;

/** Paper sizes in millimeters, in portrait orientation (ISO 216, JIS P 0138 for B, ANSI). */
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

/** The name of a paper size. */
export type Paper = keyof typeof PAPERS;

/** Margins in inches. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** The three presets of Excel. */
export const MARGIN_PRESETS = {
  normal: { top: 0.75, right: 0.7, bottom: 0.75, left: 0.7 },
  narrow: { top: 0.75, right: 0.25, bottom: 0.75, left: 0.25 },
  wide: { top: 1, right: 1, bottom: 1, left: 1 },
} as const satisfies Readonly<Record<string, Margins>>;

/** The three sections of a header or footer. */
export type HeaderSections = readonly [left: string, center: string, right: string];

/** Headers and footers of pages other than the odd ones, which are one text in the settings. */
const OTHER_HEADERS = ["firstHeader", "firstFooter", "evenHeader", "evenFooter"] as const;

/** The page setup of a sheet. */
export interface PageSetup extends Readonly<Record<(typeof OTHER_HEADERS)[number], HeaderSections>> {
  readonly paper: Paper;
  readonly isLandscape: boolean;
  readonly margins: Margins;
  /** Distance of header and footer from the edge of the paper, in inches. */
  readonly headerInch: number;
  readonly footerInch: number;
  /** Scale in percent; ignored when the sheet is fitted. */
  readonly scale: number;
  /**
   * Number of pages to fit the sheet to; 0 for any number. Both are `undefined` when the sheet is
   * not fitted.
   */
  readonly fitToWidth: number | undefined;
  readonly fitToHeight: number | undefined;
  readonly gridlines: boolean;
  readonly headings: boolean;
  readonly centersHorizontally: boolean;
  readonly centersVertically: boolean;
  readonly header: HeaderSections;
  readonly footer: HeaderSections;
  /** Whether the first page, and even pages, have a header and a footer of their own. */
  readonly differentFirst: boolean;
  readonly differentOddEven: boolean;
  /** Print areas; empty for the used range. */
  readonly areas: readonly Range[];
  readonly titleRows: Range | undefined;
  readonly titleColumns: Range | undefined;
  /** Rows and columns before which there is a manual page break, in ascending order. */
  readonly rowBreaks: readonly number[];
  readonly columnBreaks: readonly number[];
}

/** Limits of the scale in percent. */
export const SCALE_MIN = 10;
export const SCALE_MAX = 400;
/** Limit in inches; the schema permits more. */
const MARGIN_MAX = 10;

const DEFAULT_HEADER_INCH = 0.3;

/** Countries with the paper size Letter. */
const LETTER_COUNTRIES = new Set(["US", "CA", "MX", "CL", "CO", "CR", "GT", "NI", "PA", "PH", "PR", "SV", "VE"]);

/** The usual paper size for the languages of the browser. */
export function defaultPaper(languages: readonly string[]): Paper {
  const region = languages.map((tag) => regionOf(tag)).find((region) => region !== undefined);
  return region !== undefined && LETTER_COUNTRIES.has(region) ? "letter" : "a4";
}

function regionOf(tag: string): string | undefined {
  try {
    const locale = new Intl.Locale(tag);
    // Browsers in plain English say nothing about the country.
    return locale.region ?? (locale.language === "en" ? undefined : locale.maximize().region);
  } catch {
    return undefined;
  }
}

/** The page setup in the items of a sheet. */
export function setupOf(items: readonly ItemDetails[], defaultSize: Paper): PageSetup {
  const fields = items.find((item) => item.kind === "sheetSettings")?.fields ?? {};
  const number = (name: string, otherwise: number): number => {
    const value = fields[name];
    return typeof value === "number" ? value : otherwise;
  };
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : "";
  };
  const integer = (name: string): number | undefined => {
    const value = fields[name];
    return typeof value === "number" ? Math.round(value) : undefined;
  };
  const paper = text("paper");
  const areas = items.find((item) => item.kind === "printArea")?.anchors ?? [];
  const titles = (items.find((item) => item.kind === "printTitles")?.anchors ?? []).flatMap((name) => parseRange(name) ?? []);
  const { normal } = MARGIN_PRESETS;
  return {
    paper: isPaper(paper) ? paper : defaultSize,
    // A chart sheet is wide unless it is set otherwise, as in Excel.
    isLandscape: fields["orientation"] === "landscape" || (fields["orientation"] === undefined && items.some((item) => isOwnSheetChart(item))),
    margins: {
      top: number("marginTop", normal.top),
      right: number("marginRight", normal.right),
      bottom: number("marginBottom", normal.bottom),
      left: number("marginLeft", normal.left),
    },
    headerInch: number("marginHeader", DEFAULT_HEADER_INCH),
    footerInch: number("marginFooter", DEFAULT_HEADER_INCH),
    scale: clamp(number("scale", 100), SCALE_MIN, SCALE_MAX),
    fitToWidth: integer("fitToWidth"),
    fitToHeight: integer("fitToHeight"),
    gridlines: fields["printGridlines"] === true,
    headings: fields["printHeadings"] === true,
    centersHorizontally: fields["centerHorizontally"] === true,
    centersVertically: fields["centerVertically"] === true,
    header: [text("headerLeft"), text("headerCenter"), text("headerRight")],
    footer: [text("footerLeft"), text("footerCenter"), text("footerRight")],
    differentFirst: fields["differentFirst"] === true,
    differentOddEven: fields["differentOddEven"] === true,
    firstHeader: sectionsOf(text("firstHeader")),
    firstFooter: sectionsOf(text("firstFooter")),
    evenHeader: sectionsOf(text("evenHeader")),
    evenFooter: sectionsOf(text("evenFooter")),
    ...breaksOf(items),
    areas: areas.flatMap((name) => parseRange(name) ?? []),
    titleRows: titles.find(isRows),
    titleColumns: titles.find((range) => !isRows(range)),
  };
}

/** Whether the item is a chart that its sheet shows instead of cells. */
export function isOwnSheetChart({ kind, fields }: ItemDetails): boolean {
  return kind === "chart" && fields["ownSheet"] === true;
}

/** The settings fields of a page setup; default values are cleared. */
export function fieldsOf(setup: PageSetup): Record<string, ItemValue> {
  const { margins, header, footer } = setup;
  const unlessDefault = (value: number, defaultValue: number): number | null => (Math.abs(value - defaultValue) < 0.001 ? null : value);
  const { normal } = MARGIN_PRESETS;
  return {
    paper: setup.paper,
    orientation: setup.isLandscape ? "landscape" : "portrait",
    marginTop: unlessDefault(margins.top, normal.top),
    marginRight: unlessDefault(margins.right, normal.right),
    marginBottom: unlessDefault(margins.bottom, normal.bottom),
    marginLeft: unlessDefault(margins.left, normal.left),
    scale: unlessDefault(setup.scale, 100),
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
    differentFirst: setup.differentFirst || null,
    differentOddEven: setup.differentOddEven || null,
    ...Object.fromEntries(OTHER_HEADERS.map((name) => [name, textOfSections(setup[name]) || null])),
  };
}

/** The sections of a text such as `&LLeft&CCenter&RRight`; a text without a code is centered. */
export function sectionsOf(text: string): HeaderSections {
  const sections = ["", "", ""] satisfies string[];
  let current = 1;
  for (const [part] of text.matchAll(/&[LCR]|&?[^&]|&&?/g)) {
    const section = ["&L", "&C", "&R"].indexOf(part);
    if (section >= 0) {
      current = section;
    } else {
      sections[current] += part;
    }
  }
  return sections as unknown as HeaderSections;
}

function textOfSections(sections: HeaderSections): string {
  return sections.map((section, index) => (section === "" ? "" : `&${"LCR".charAt(index)}${section}`)).join("");
}

/** The header and footer of a page: `pageIndex` counts the pages of the sheet, `page` those of the job. */
export function headersOf(setup: PageSetup, pageIndex: number, page: number): { readonly header: HeaderSections; readonly footer: HeaderSections } {
  if (setup.differentFirst && pageIndex === 0) {
    return { header: setup.firstHeader, footer: setup.firstFooter };
  }
  if (setup.differentOddEven && page % 2 === 0) {
    return { header: setup.evenHeader, footer: setup.evenFooter };
  }
  return setup;
}

/** The manual page breaks in the items of a sheet. */
export function breaksOf(items: readonly ItemDetails[]): Pick<PageSetup, "rowBreaks" | "columnBreaks"> {
  const anchors = items.flatMap(({ kind, anchors }) => (kind === "pageBreak" ? (parseRange(anchors[0] ?? "") ?? []) : []));
  const sorted = (indexes: number[]): number[] => [...new Set(indexes)].filter((index) => index > 0).sort((a, b) => a - b);
  return {
    rowBreaks: sorted(anchors.filter(isWholeRows).map((range) => range.top)),
    columnBreaks: sorted(anchors.filter(isWholeColumns).map((range) => range.left)),
  };
}

/** The repeated rows and columns as anchors. */
export function titleAnchors({ titleRows, titleColumns }: PageSetup): readonly string[] {
  return [titleRows, titleColumns].flatMap((range) => (range ? [rangeName(range)] : []));
}

/** Size of the paper in its orientation, in CSS pixels. */
export function paperPx({ paper, isLandscape }: PageSetup): { readonly width: number; readonly height: number } {
  const [short, long] = PAPERS[paper].map((mm) => (mm / INCH_MM) * INCH_PX) as [number, number];
  return isLandscape ? { width: long, height: short } : { width: short, height: long };
}

/** A margin in millimeters as inches within the limits. */
export function readMargin(mm: number): number {
  return clamp(Number.isFinite(mm) ? mm / INCH_MM : 0, 0, MARGIN_MAX);
}

/**
 * Values for the values of headers and footers (`&P` and others of Excel); values for fonts are
 * ignored.
 */
export interface HeaderValues {
  readonly page: number;
  readonly pages: number;
  readonly sheet: string;
  readonly file: string;
  readonly date: string;
  readonly time: string;
}

/** Replaces the codes in a header or footer. */
export function replaceHeaderCodes(text: string, values: HeaderValues): string {
  return text.replace(/&(?:"[^"]*"|\d+|K[0-9A-Fa-f]{6}|[A-Za-z&])/g, (code) => {
    switch (code.slice(1).toUpperCase()) {
      case "&":
        return "&";
      case "P":
        return String(values.page);
      case "N":
        return String(values.pages);
      case "A":
        return values.sheet;
      case "F":
        return values.file;
      case "D":
        return values.date;
      case "T":
        return values.time;
      default:
        return "";
    }
  });
}

/** Whether `name` is a paper size. */
export function isPaper(name: string): name is Paper {
  return name in PAPERS;
}

function isRows(range: Range): boolean {
  return range.left === 0 && range.right > range.bottom - range.top && range.right >= 16_383;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

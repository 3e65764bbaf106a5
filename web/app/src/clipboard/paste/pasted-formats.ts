/**
 * Reads the format of a pasted cell from the CSS and the presentational tags of Excel, LibreOffice
 * and Google Sheets.
 */

import type { BorderFormat, BorderName, FormatChange } from "@quadrille/protocol";
import { color, type Declarations } from "./css-parser.ts";

/** A cell with its CSS declarations. */
export interface PastedCellStyle {
  readonly cell: HTMLTableCellElement;
  /** Declarations for all cells of the table. */
  readonly base: Declarations;
  /** Declarations of this cell in addition to `base`. */
  readonly own: Declarations;
}

/** The format of a pasted cell. */
export function formatOf(pasted: PastedCellStyle, numberFormat: string | undefined): FormatChange {
  const { cell, own, base } = pasted;
  const has = (tags: string): boolean => cell.querySelector(tags) !== null && coversAllText(cell, tags);
  const style = (name: string): string | undefined => own.get(name) ?? base.get(name);
  const weight = style("font-weight") ?? "";
  const decoration = `${style("text-decoration") ?? ""} ${style("text-decoration-line") ?? ""} ${style("text-underline-style") ?? ""}`;
  const fill = color(own.get("background-color") ?? own.get("background")?.split(" ")[0] ?? cell.getAttribute("bgcolor") ?? undefined);
  const textColor = color(style("color") ?? (has("font[color]") ? cell.querySelector("font[color]")?.getAttribute("color") : undefined) ?? undefined);
  const horizontal = (style("text-align") ?? cell.getAttribute("align") ?? "").toLowerCase();
  const vertical = (style("vertical-align") ?? cell.getAttribute("valign") ?? "").toLowerCase();
  const rotation = Number(own.get("mso-rotate"));
  const indent = Number(own.get("mso-char-indent-count"));
  const isLinkBlue = cell.querySelector("a[href]") !== null;
  return {
    ...(numberFormat !== undefined && { numberFormat }),
    ...((weight === "bold" || Number(weight) >= 600 || has("b, strong")) && { bold: true }),
    ...((style("font-style") === "italic" || has("i, em")) && { italic: true }),
    ...((decoration.includes("underline") || has("u")) && !isLinkBlue && { underline: true }),
    ...(/\bdouble\b/.test(decoration) && { underline: true, underlineStyle: "double" as const }),
    ...((has("sup") || vertical === "super") && { script: "superscript" as const }),
    ...((has("sub") || vertical === "sub") && { script: "subscript" as const }),
    ...((decoration.includes("line-through") || has("s, strike, del")) && { strikethrough: true }),
    ...((own.get("white-space") ?? "").startsWith("normal") && { wrap: true }),
    ...(isHorizontalAlignment(horizontal) && { horizontal }),
    ...(isVerticalAlignment(vertical) && { vertical }),
    // Black text and white fill are the default.
    ...(textColor !== undefined && textColor !== "#000000" && !isLinkBlue && { textColor }),
    ...(fill !== undefined && fill !== "#ffffff" && { fillColor: fill }),
    ...(Number.isInteger(rotation) && rotation !== 0 && Math.abs(rotation) <= 90 && { rotation }),
    ...(Number.isInteger(indent) && indent > 0 && indent <= 15 && { indent }),
    ...fontOf(pasted),
    ...bordersOf(own),
  };
}

/** The format of one cell of a merged range: borders only at the edges of the range. */
export function formatAtEdges(
  format: FormatChange,
  edges: { readonly top: boolean; readonly right: boolean; readonly bottom: boolean; readonly left: boolean },
): FormatChange {
  const { borderTop, borderRight, borderBottom, borderLeft, ...rest } = format;
  return {
    ...rest,
    ...(borderTop && edges.top && { borderTop }),
    ...(borderRight && edges.right && { borderRight }),
    ...(borderBottom && edges.bottom && { borderBottom }),
    ...(borderLeft && edges.left && { borderLeft }),
  };
}

/** Font sizes in points of `<font size>`, as LibreOffice writes them. */
export const FONT_SIZES: Readonly<Record<string, number>> = { "1": 7, "2": 10, "3": 12, "4": 14, "5": 18, "6": 24, "7": 36 };
const GENERIC = new Set(["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "inherit", "initial", ""]);

function fontOf({ cell, base, own }: PastedCellStyle): FormatChange {
  // The font of a part of the text is not that of the cell.
  const tag = (name: string): string | undefined =>
    coversAllText(cell, `font[${name}]`) ? (cell.querySelector(`font[${name}]`)?.getAttribute(name) ?? undefined) : undefined;
  const family = familyOf(own.get("font-family") ?? tag("face"));
  const size = pointsOf(own.get("font-size")) ?? FONT_SIZES[tag("size") ?? ""];
  return {
    ...(family !== undefined && family !== familyOf(base.get("font-family")) && { fontFamily: family }),
    ...(size !== undefined && size !== pointsOf(base.get("font-size")) && { fontSize: size }),
  };
}

/** The first font family of a list, unless it is generic. */
export function familyOf(list: string | undefined): string | undefined {
  const first = list?.split(",")[0]?.trim().replace(/^["']|["']$/g, "") ?? "";
  return GENERIC.has(first.toLowerCase()) || first.length > 100 ? undefined : first;
}

/** A size in points, with tenths. */
export function pointsOf(size: string | undefined): number | undefined {
  const [, number, unit] = /^([\d.]+)(pt|px)$/.exec(size?.trim() ?? "") ?? [];
  const points = unit === "px" ? Number(number) * 0.75 : Number(number);
  return number !== undefined && points >= 1 && points <= 409 ? Math.round(points * 10) / 10 : undefined;
}

const SIDES = ["top", "right", "bottom", "left"] as const;

function bordersOf(own: Declarations): FormatChange {
  const borders: Partial<Record<(typeof SIDES)[number], BorderFormat>> = {};
  for (const side of SIDES) {
    const border = borderOf(own.get(`border-${side}`) ?? own.get("border"));
    if (border) {
      borders[side] = border;
    }
  }
  const { top, right, bottom, left } = borders;
  return {
    ...(top && { borderTop: top }),
    ...(right && { borderRight: right }),
    ...(bottom && { borderBottom: bottom }),
    ...(left && { borderLeft: left }),
  };
}

/**
 * Parses a border such as `.5pt solid windowtext` or `2px double #000000`: width, line style and
 * color in any order.
 */
export function borderOf(text: string | undefined): BorderFormat | undefined {
  let weight: Weight = "thin";
  let line = "";
  let textColor: string | undefined;
  // Colors in functional notation contain spaces.
  for (const word of text?.toLowerCase().match(/[^\s(]+\([^)]*\)|\S+/g) ?? []) {
    const [, number, unit] = /^([\d.]+)(pt|px)?$/.exec(word) ?? [];
    if (number !== undefined) {
      if (Number(number) === 0) {
        return undefined;
      }
      weight = weightOf(Number(number), unit === "pt");
    } else if (word in LINE_STYLES || word === "none") {
      line = word;
    } else if (word === "medium" || word === "thick") {
      weight = word;
    } else {
      // `windowtext` is the color of text, the default for borders.
      textColor = word === "windowtext" ? undefined : color(word);
    }
  }
  const name = LINE_STYLES[line]?.[weight];
  return name === undefined ? undefined : { style: name, ...(textColor !== undefined && { color: textColor }) };
}

type Weight = "thin" | "medium" | "thick";

/** Excel writes points (half a point is thin, one medium), the other programs write pixels. */
function weightOf(width: number, isPoints: boolean): Weight {
  const step = isPoints ? width * 2 : width;
  return step <= 1 ? "thin" : step <= 2 ? "medium" : "thick";
}

const LINE_STYLES: Readonly<Record<string, Readonly<Record<Weight, BorderName>>>> = {
  solid: { thin: "thin", medium: "medium", thick: "thick" },
  double: { thin: "double", medium: "double", thick: "double" },
  dotted: { thin: "dotted", medium: "dotted", thick: "dotted" },
  dashed: { thin: "dashed", medium: "mediumDashed", thick: "mediumDashed" },
  // LibreOffice 7 writes `hidden` for dashed lines.
  hidden: { thin: "dashed", medium: "mediumDashed", thick: "mediumDashed" },
  hairline: { thin: "hair", medium: "hair", thick: "hair" },
  "dot-dash": { thin: "dashDot", medium: "mediumDashDot", thick: "mediumDashDot" },
  "dot-dot-dash": { thin: "dashDotDot", medium: "mediumDashDotDot", thick: "mediumDashDotDot" },
  "dot-dash-slanted": { thin: "slantDashDot", medium: "slantDashDot", thick: "slantDashDot" },
};

/** Whether all text of the cell is inside such tags. */
function coversAllText(cell: HTMLElement, tags: string): boolean {
  // Only the outermost of nested tags count.
  const outer = [...cell.querySelectorAll(tags)].filter((element) => !element.parentElement?.closest(tags));
  const covered = outer.map((element) => element.textContent ?? "").join("");
  return covered.replace(/\s/g, "").length >= (cell.textContent ?? "").replace(/\s/g, "").length;
}

function isHorizontalAlignment(value: string): value is "left" | "center" | "right" | "justify" {
  return value === "left" || value === "center" || value === "right" || value === "justify";
}

function isVerticalAlignment(value: string): value is "top" | "middle" {
  return value === "top" || value === "middle";
}

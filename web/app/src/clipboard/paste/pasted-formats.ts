/** What a pasted cell looks like, from the CSS and the old tags that Excel, LibreOffice and Google Sheets write. */

import type { BorderFormat, BorderName, FormatChange } from "@quadrille/protocol";
import { color, type Declarations } from "./css-parser.ts";

export interface PastedCellStyle {
  readonly cell: HTMLTableCellElement;
  /** What all cells of the table have. */
  readonly base: Declarations;
  /** What this one has beyond that. */
  readonly own: Declarations;
}

export function formatOf(look: PastedCellStyle, numberFormat: string | undefined): FormatChange {
  const { cell, own, base } = look;
  const has = (tags: string): boolean => cell.querySelector(tags) !== null && onlyChildren(cell, tags);
  const style = (name: string): string | undefined => own.get(name) ?? base.get(name);
  const weight = style("font-weight") ?? "";
  const decoration = `${style("text-decoration") ?? ""} ${style("text-decoration-line") ?? ""} ${style("text-underline-style") ?? ""}`;
  const fill = color(own.get("background-color") ?? own.get("background")?.split(" ")[0] ?? cell.getAttribute("bgcolor") ?? undefined);
  const ink = color(style("color") ?? cell.querySelector("font[color]")?.getAttribute("color") ?? undefined);
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
    ...((decoration.includes("line-through") || has("s, strike, del")) && { strikethrough: true }),
    ...((own.get("white-space") ?? "").startsWith("normal") && { wrap: true }),
    ...(isSide(horizontal) && { horizontal }),
    ...(isHeight(vertical) && { vertical }),
    // Black on white is what a cell has without being told.
    ...(ink !== undefined && ink !== "#000000" && !isLinkBlue && { textColor: ink }),
    ...(fill !== undefined && fill !== "#ffffff" && { fillColor: fill }),
    ...(Number.isInteger(rotation) && rotation !== 0 && Math.abs(rotation) <= 90 && { rotation }),
    ...(Number.isInteger(indent) && indent > 0 && indent <= 15 && { indent }),
    ...fontOf(look),
    ...bordersOf(own),
  };
}

/** The part of merged cells' format that one of them has: borders only at the rim. */
export function partOf(
  format: FormatChange,
  rim: { readonly top: boolean; readonly right: boolean; readonly bottom: boolean; readonly left: boolean },
): FormatChange {
  const { borderTop, borderRight, borderBottom, borderLeft, ...rest } = format;
  return {
    ...rest,
    ...(borderTop && rim.top && { borderTop }),
    ...(borderRight && rim.right && { borderRight }),
    ...(borderBottom && rim.bottom && { borderBottom }),
    ...(borderLeft && rim.left && { borderLeft }),
  };
}

/** Points of the sizes 1 to 7 of `<font>`, as LibreOffice writes them. */
const FONT_SIZES: Readonly<Record<string, number>> = { "1": 7, "2": 10, "3": 12, "4": 14, "5": 18, "6": 24, "7": 36 };
const GENERIC = new Set(["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "inherit", "initial", ""]);

function fontOf({ cell, base, own }: PastedCellStyle): FormatChange {
  const tag = (name: string): string | undefined => cell.querySelector(`font[${name}]`)?.getAttribute(name) ?? undefined;
  const family = familyOf(own.get("font-family") ?? tag("face"));
  const size = pointsOf(own.get("font-size")) ?? FONT_SIZES[tag("size") ?? ""];
  return {
    ...(family !== undefined && family !== familyOf(base.get("font-family")) && { fontFamily: family }),
    ...(size !== undefined && size !== pointsOf(base.get("font-size")) && { fontSize: size }),
  };
}

/** The first of a list, unless it only says what kind of font. */
function familyOf(list: string | undefined): string | undefined {
  const first = list?.split(",")[0]?.trim().replace(/^["']|["']$/g, "") ?? "";
  return GENERIC.has(first.toLowerCase()) || first.length > 100 ? undefined : first;
}

function pointsOf(size: string | undefined): number | undefined {
  const [, number, unit] = /^([\d.]+)(pt|px)$/.exec(size?.trim() ?? "") ?? [];
  const points = unit === "px" ? Number(number) * 0.75 : Number(number);
  return number !== undefined && points >= 1 && points <= 409 ? Math.round(points * 10) / 10 : undefined;
}

const SIDES = ["top", "right", "bottom", "left"] as const;

function bordersOf(own: Declarations): FormatChange {
  const found: Partial<Record<(typeof SIDES)[number], BorderFormat>> = {};
  for (const side of SIDES) {
    const border = borderOf(own.get(`border-${side}`) ?? own.get("border"));
    if (border) {
      found[side] = border;
    }
  }
  const { top, right, bottom, left } = found;
  return {
    ...(top && { borderTop: top }),
    ...(right && { borderRight: right }),
    ...(bottom && { borderBottom: bottom }),
    ...(left && { borderLeft: left }),
  };
}

/** `.5pt solid windowtext`, `2px double #000000`: width, line and colour in any order. */
export function borderOf(text: string | undefined): BorderFormat | undefined {
  let weight: Weight = "thin";
  let line = "";
  let ink: string | undefined;
  // A colour may have spaces in its brackets.
  for (const word of text?.toLowerCase().match(/[^\s(]+\([^)]*\)|\S+/g) ?? []) {
    const [, number, unit] = /^([\d.]+)(pt|px)?$/.exec(word) ?? [];
    if (number !== undefined) {
      if (Number(number) === 0) {
        return undefined;
      }
      weight = weightOf(Number(number), unit === "pt");
    } else if (word in LINES || word === "none") {
      line = word;
    } else if (word === "medium" || word === "thick") {
      weight = word;
    } else {
      // `windowtext` is the colour of text, which borders have without being told.
      ink = word === "windowtext" ? undefined : color(word);
    }
  }
  const name = LINES[line]?.[weight];
  return name === undefined ? undefined : { style: name, ...(ink !== undefined && { color: ink }) };
}

type Weight = "thin" | "medium" | "thick";

/** Excel measures in points (half a point is thin, one medium), the others in pixels. */
function weightOf(width: number, isPoints: boolean): Weight {
  const step = isPoints ? width * 2 : width;
  return step <= 1 ? "thin" : step <= 2 ? "medium" : "thick";
}

const LINES: Readonly<Record<string, Readonly<Record<Weight, BorderName>>>> = {
  solid: { thin: "thin", medium: "medium", thick: "thick" },
  double: { thin: "double", medium: "double", thick: "double" },
  dotted: { thin: "dotted", medium: "dotted", thick: "dotted" },
  dashed: { thin: "dashed", medium: "mediumDashed", thick: "mediumDashed" },
  // LibreOffice 7 writes this for dashed lines.
  hidden: { thin: "dashed", medium: "mediumDashed", thick: "mediumDashed" },
  hairline: { thin: "hair", medium: "hair", thick: "hair" },
  "dot-dash": { thin: "dashDot", medium: "mediumDashDot", thick: "mediumDashDot" },
  "dot-dot-dash": { thin: "dashDotDot", medium: "mediumDashDotDot", thick: "mediumDashDotDot" },
  "dot-dash-slanted": { thin: "slantDashDot", medium: "slantDashDot", thick: "slantDashDot" },
};

/** Whether all of the cell's text is within such tags. */
function onlyChildren(cell: HTMLElement, tags: string): boolean {
  // Of tags within one another only the outermost counts.
  const outer = [...cell.querySelectorAll(tags)].filter((element) => !element.parentElement?.closest(tags));
  const marked = outer.map((element) => element.textContent ?? "").join("");
  return marked.replace(/\s/g, "").length >= (cell.textContent ?? "").replace(/\s/g, "").length;
}

function isSide(value: string): value is "left" | "center" | "right" {
  return value === "left" || value === "center" || value === "right";
}

function isHeight(value: string): value is "top" | "middle" {
  return value === "top" || value === "middle";
}

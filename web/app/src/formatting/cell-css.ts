/** Cell formats as CSS, for HTML tables on the clipboard and for printing. */

import {
  Align,
  type Border,
  BorderLine,
  type CellStyle,
  HorizontalFill,
  NO_COLOR,
  ReadingOrder,
  UnderlineStyle,
  ValueKind,
} from "@quadrille/protocol";

/** Logical horizontal alignment. */
export type Side = "start" | "center" | "end";

/**
 * Horizontal alignment: that of the format, otherwise end for numbers, center for booleans and
 * errors, start for texts.
 */
export function sideOf(style: CellStyle, kind: ValueKind): Side {
  switch (style.horizontal) {
    case Align.Start:
      return "start";
    case Align.Center:
      return "center";
    case Align.End:
      return "end";
    default:
      break;
  }
  if (style.rotation === 90 || style.rotation === -90) {
    return "center";
  }
  return kind === ValueKind.Number ? "end" : kind === ValueKind.Boolean || kind === ValueKind.Error ? "center" : "start";
}

/** A color number as `#rrggbb`. */
export function hexColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

/** Width and style of a CSS border. */
export interface BorderCss {
  readonly widthPx: number;
  readonly style: "solid" | "dotted" | "dashed" | "double";
}

/** CSS equivalents of border lines; CSS has fewer line styles. */
export const BORDER_PRESETS: Readonly<Record<BorderLine, BorderCss>> = {
  [BorderLine.None]: { widthPx: 0, style: "solid" },
  [BorderLine.Hair]: { widthPx: 1, style: "dotted" },
  [BorderLine.Dotted]: { widthPx: 1, style: "dotted" },
  [BorderLine.Dashed]: { widthPx: 1, style: "dashed" },
  [BorderLine.Thin]: { widthPx: 1, style: "solid" },
  [BorderLine.DashDot]: { widthPx: 1, style: "dashed" },
  [BorderLine.DashDotDot]: { widthPx: 1, style: "dashed" },
  [BorderLine.Medium]: { widthPx: 2, style: "solid" },
  [BorderLine.MediumDashed]: { widthPx: 2, style: "dashed" },
  [BorderLine.MediumDashDot]: { widthPx: 2, style: "dashed" },
  [BorderLine.MediumDashDotDot]: { widthPx: 2, style: "dashed" },
  [BorderLine.SlantDashDot]: { widthPx: 2, style: "dashed" },
  [BorderLine.Thick]: { widthPx: 3, style: "solid" },
  [BorderLine.Double]: { widthPx: 3, style: "double" },
};

/** The CSS value of a border. */
export function borderCss({ line, color }: Border): string {
  const { widthPx, style } = BORDER_PRESETS[line];
  return `${widthPx}px ${style} ${hexColor(color)}`;
}

/** The CSS declarations of a cell format, with left and right as in a left-to-right sheet. */
export function declarationsOf(style: CellStyle, kind: ValueKind): readonly string[] {
  const declarations: string[] = [];
  const side = sideOf(style, kind);
  if (side !== "start" || style.horizontal === Align.Start) {
    const isJustified = style.horizontalFill === HorizontalFill.Justify || style.horizontalFill === HorizontalFill.Distributed;
    declarations.push(`text-align:${isJustified ? "justify" : side === "end" ? "right" : side === "center" ? "center" : "left"}`);
  }
  if (style.vertical !== Align.None) {
    declarations.push(`vertical-align:${style.vertical === Align.Start ? "top" : style.vertical === Align.Center ? "middle" : "bottom"}`);
  }
  if (style.bold) {
    declarations.push("font-weight:bold");
  }
  if (style.italic) {
    declarations.push("font-style:italic");
  }
  if (style.underline || style.strikethrough) {
    const decorations = [style.underline && "underline", style.strikethrough && "line-through"].filter(Boolean);
    declarations.push(`text-decoration:${decorations.join(" ")}`);
    if (style.underline && (style.underlineStyle === UnderlineStyle.Double || style.underlineStyle === UnderlineStyle.DoubleAccounting)) {
      declarations.push("text-underline-style:double");
    }
  }
  if (style.fontFamily !== "") {
    declarations.push(`font-family:'${style.fontFamily.replaceAll(/['"\\;<>]/g, "")}'`);
  }
  if (style.fontSize !== 0) {
    declarations.push(`font-size:${style.fontSize}pt`);
  }
  if (style.textColor !== NO_COLOR) {
    declarations.push(`color:${hexColor(style.textColor)}`);
  }
  if (style.fillColor !== NO_COLOR) {
    declarations.push(`background-color:${hexColor(style.fillColor)}`);
  }
  if (style.readingOrder !== ReadingOrder.Automatic) {
    declarations.push(`direction:${style.readingOrder === ReadingOrder.RightToLeft ? "rtl" : "ltr"}`);
  }
  if (style.wrap) {
    declarations.push("white-space:normal");
  }
  const { top, right, bottom, left } = style;
  for (const [name, border] of Object.entries({ top, right, bottom, left })) {
    if (border) {
      declarations.push(`border-${name}:${borderCss(border)}`);
    }
  }
  return declarations;
}

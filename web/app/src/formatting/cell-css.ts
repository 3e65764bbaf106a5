/** How cells look, in words of CSS: for tables on the clipboard and for paper. */

import { Align, type Border, BorderLine, type CellStyle, NO_COLOR, ValueKind } from "@quadrille/protocol";

export type Side = "start" | "center" | "end";

/** Numbers stand at the end, booleans and errors in the middle, texts at the start, unless the format says otherwise. */
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

export function hexColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

export interface BorderCss {
  readonly widthPx: number;
  readonly style: "solid" | "dotted" | "dashed" | "double";
}

/** CSS has fewer kinds of lines than spreadsheets. */
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

export function borderCss({ line, color }: Border): string {
  const { widthPx, style } = BORDER_PRESETS[line];
  return `${widthPx}px ${style} ${hexColor(color)}`;
}

/** Declarations of a cell's look, with sides as on a sheet from left to right. */
export function declarationsOf(style: CellStyle, kind: ValueKind): readonly string[] {
  const found: string[] = [];
  const side = sideOf(style, kind);
  if (side !== "start" || style.horizontal === Align.Start) {
    found.push(`text-align:${side === "end" ? "right" : side === "center" ? "center" : "left"}`);
  }
  if (style.vertical !== Align.None) {
    found.push(`vertical-align:${style.vertical === Align.Start ? "top" : style.vertical === Align.Center ? "middle" : "bottom"}`);
  }
  if (style.bold) {
    found.push("font-weight:bold");
  }
  if (style.italic) {
    found.push("font-style:italic");
  }
  if (style.underline || style.strikethrough) {
    const lines = [style.underline && "underline", style.strikethrough && "line-through"].filter(Boolean);
    found.push(`text-decoration:${lines.join(" ")}`);
  }
  if (style.fontFamily !== "") {
    found.push(`font-family:'${style.fontFamily.replaceAll(/['"\\;<>]/g, "")}'`);
  }
  if (style.fontSize !== 0) {
    found.push(`font-size:${style.fontSize}pt`);
  }
  if (style.textColor !== NO_COLOR) {
    found.push(`color:${hexColor(style.textColor)}`);
  }
  if (style.fillColor !== NO_COLOR) {
    found.push(`background-color:${hexColor(style.fillColor)}`);
  }
  if (style.wrap) {
    found.push("white-space:normal");
  }
  const { top, right, bottom, left } = style;
  for (const [name, border] of Object.entries({ top, right, bottom, left })) {
    if (border) {
      found.push(`border-${name}:${borderCss(border)}`);
    }
  }
  return found;
}

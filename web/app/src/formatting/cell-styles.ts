/**
 * The built-in cell styles. Text colors are set only together with a fill, so that styles are
 * readable on light and dark backgrounds.
 */

import type { BorderFormat, FormatChange } from "@quadrille/protocol";
import type { Message } from "../language/index.ts";

/** A group of styles with a heading. */
export interface CellStyleGroup {
  readonly name: Message;
  readonly styles: readonly (readonly [name: Message, format: FormatChange])[];
}

const border = (style: BorderFormat["style"], color?: string): BorderFormat => (color === undefined ? { style } : { style, color });

const allBorders = (style: BorderFormat["style"], color: string): FormatChange => {
  const side = border(style, color);
  return { borderTop: side, borderRight: side, borderBottom: side, borderLeft: side };
};

/** The built-in styles in the order of the list. */
export const CELL_STYLES: readonly CellStyleGroup[] = [
  {
    name: "Good, bad, neutral",
    styles: [
      ["Good", { fillColor: "#d9ead3", textColor: "#1e5213" }],
      ["Bad", { fillColor: "#f4cccc", textColor: "#8f1d1d" }],
      ["Neutral", { fillColor: "#fff2cc", textColor: "#6b5200" }],
    ],
  },
  {
    name: "Titles and headings",
    styles: [
      ["Title", { bold: true, fontSize: 18 }],
      ["Heading", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" }],
      ["Heading 1", { bold: true, fontSize: 15, borderBottom: border("thick", "#2a917a") }],
      ["Heading 2", { bold: true, fontSize: 13, borderBottom: border("thick", "#8fd3c1") }],
      ["Heading 3", { bold: true, borderBottom: border("medium", "#8fd3c1") }],
      ["Heading 4", { bold: true, italic: true }],
      ["Total", { bold: true, borderTop: border("thin", "#2a917a"), borderBottom: border("double", "#2a917a") }],
    ],
  },
  {
    name: "Data and model",
    styles: [
      ["Input", { fillColor: "#fce0cc", textColor: "#1d4a8a", ...allBorders("thin", "#9aa3ad") }],
      ["Calculation", { bold: true, fillColor: "#f4f5f7", textColor: "#9c4a0f", ...allBorders("thin", "#9aa3ad") }],
      ["Result", { bold: true, fillColor: "#f4f5f7", textColor: "#2b3138", ...allBorders("thin", "#6b7480") }],
      ["Check cell", { bold: true, fillColor: "#58636e", textColor: "#ffffff", ...allBorders("double", "#9aa3ad") }],
      ["Linked cell", { borderBottom: border("double", "#e07a2f") }],
      ["Note|style", { fillColor: "#fffbd6", textColor: "#3d3a14", ...allBorders("thin", "#c9b458") }],
      ["Explanation", { italic: true, indent: 1 }],
      ["Warning|style", { bold: true, fillColor: "#fde2e0", textColor: "#a01414" }],
    ],
  },
  {
    name: "Number formats|of styles",
    styles: [
      ["Comma|style", { numberFormat: "#,##0.00" }],
      ["Comma [0]", { numberFormat: "#,##0" }],
      ["Dollar", { numberFormat: "$#,##0.00" }],
      ["Euro", { numberFormat: "[$€-x-euro2] #,##0.00" }],
      ["Percent", { numberFormat: "0%" }],
    ],
  },
];

/** Text rotations in degrees counterclockwise; 255 stacks the letters. */
export const ROTATIONS: readonly (readonly [name: Message, rotation: number])[] = [
  ["No rotation", 0],
  ["Tilt up", 45],
  ["Tilt down", -45],
  ["Rotate up", 90],
  ["Rotate down", -90],
  ["Stack vertically", 255],
];

/**
 * Looks with a name: what Excel calls cell styles. Texts have a colour of their own only on a fill, so that all of them
 * can be read on light and on dark paper.
 */

import type { BorderFormat, FormatChange } from "@quadrille/protocol";
import type { Message } from "../language/index.ts";

export interface CellStyleGroup {
  readonly name: Message;
  readonly styles: readonly (readonly [name: Message, format: FormatChange])[];
}

const line = (style: BorderFormat["style"], color?: string): BorderFormat => (color === undefined ? { style } : { style, color });

const framed = (style: BorderFormat["style"], color: string): FormatChange => {
  const border = line(style, color);
  return { borderTop: border, borderRight: border, borderBottom: border, borderLeft: border };
};

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
      ["Heading 1", { bold: true, fontSize: 15, borderBottom: line("thick", "#2a917a") }],
      ["Heading 2", { bold: true, fontSize: 13, borderBottom: line("thick", "#8fd3c1") }],
      ["Heading 3", { bold: true, borderBottom: line("medium", "#8fd3c1") }],
      ["Heading 4", { bold: true, italic: true }],
      ["Total", { bold: true, borderTop: line("thin", "#2a917a"), borderBottom: line("double", "#2a917a") }],
    ],
  },
  {
    name: "Data and model",
    styles: [
      ["Input", { fillColor: "#fce0cc", textColor: "#1d4a8a", ...framed("thin", "#9aa3ad") }],
      ["Calculation", { bold: true, fillColor: "#f4f5f7", textColor: "#9c4a0f", ...framed("thin", "#9aa3ad") }],
      ["Result", { bold: true, fillColor: "#f4f5f7", textColor: "#2b3138", ...framed("thin", "#6b7480") }],
      ["Check cell", { bold: true, fillColor: "#58636e", textColor: "#ffffff", ...framed("double", "#9aa3ad") }],
      ["Linked cell", { borderBottom: line("double", "#e07a2f") }],
      ["Note|style", { fillColor: "#fffbd6", textColor: "#3d3a14", ...framed("thin", "#c9b458") }],
      ["Explanation", { italic: true, indent: 1 }],
      ["Warning|style", { bold: true, fillColor: "#fde2e0", textColor: "#a01414" }],
    ],
  },
  {
    name: "Numbers|style",
    styles: [
      ["Comma|style", { numberFormat: "#,##0.00" }],
      ["Comma, whole", { numberFormat: "#,##0" }],
      ["Dollar", { numberFormat: "$#,##0.00" }],
      ["Euro", { numberFormat: "[$€-x-euro2] #,##0.00" }],
      ["Percent", { numberFormat: "0%" }],
    ],
  },
];

/** Degrees counter-clockwise; 255: letters below one another. */
export const ROTATIONS: readonly (readonly [name: Message, rotation: number])[] = [
  ["Level", 0],
  ["Rising", 45],
  ["Falling", -45],
  ["Rotate up", 90],
  ["Rotate down", -90],
  ["Stacked vertically", 255],
];

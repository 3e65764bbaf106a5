/**
 * The built-in cell styles. Text colors are set only together with a fill, so that styles are
 * readable on light and dark backgrounds. A built-in style becomes an item of the workbook when it is
 * applied first, so that it can be changed.
 */

import type { BorderFormat, FormatChange } from "@quadrille/protocol";
import type { Message } from "../language/index.ts";

/** A built-in style. */
export interface BuiltinStyle {
  readonly label: Message;
  readonly format: FormatChange;
  /** The id of the item that the style has in every workbook. */
  readonly id: number;
  /** The name in files. */
  readonly name: string;
  /** The number in XLSX (ECMA-376 part 1, 18.8.7); not all styles have one. */
  readonly builtinId?: number;
}

/** A group of styles with a heading. */
export interface CellStyleGroup {
  readonly name: Message;
  readonly styles: readonly BuiltinStyle[];
}

/** The first ids of built-in styles and of other styles, which files give them as well. */
const BUILTIN_STYLES = 0x6274_0000_0000;
const NAMED_STYLES = 0x6373_0000_0000;

/** FNV-1a hash (Fowler, Noll, Vo) of an ASCII text. */
function fingerprint(text: string): number {
  let hash = 0x811c_9dc5;
  for (const letter of text) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x0100_0193) >>> 0;
  }
  return hash;
}

function style(label: Message, format: FormatChange, name: string, builtinId?: number): BuiltinStyle {
  const id = builtinId === undefined ? NAMED_STYLES + fingerprint(name.toLowerCase()) : BUILTIN_STYLES + builtinId;
  return { label, format, id, name, ...(builtinId !== undefined && { builtinId }) };
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
      style("Good", { fillColor: "#d9ead3", textColor: "#1e5213" }, "Good", 26),
      style("Bad", { fillColor: "#f4cccc", textColor: "#8f1d1d" }, "Bad", 27),
      style("Neutral", { fillColor: "#fff2cc", textColor: "#6b5200" }, "Neutral", 28),
    ],
  },
  {
    name: "Titles and headings",
    styles: [
      style("Title", { bold: true, fontSize: 18 }, "Title", 15),
      style("Heading", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" }, "Heading"),
      style("Heading 1", { bold: true, fontSize: 15, borderBottom: border("thick", "#2a917a") }, "Heading 1", 16),
      style("Heading 2", { bold: true, fontSize: 13, borderBottom: border("thick", "#8fd3c1") }, "Heading 2", 17),
      style("Heading 3", { bold: true, borderBottom: border("medium", "#8fd3c1") }, "Heading 3", 18),
      style("Heading 4", { bold: true, italic: true }, "Heading 4", 19),
      style("Total", { bold: true, borderTop: border("thin", "#2a917a"), borderBottom: border("double", "#2a917a") }, "Total", 25),
    ],
  },
  {
    name: "Data and model",
    styles: [
      style("Input", { fillColor: "#fce0cc", textColor: "#1d4a8a", ...allBorders("thin", "#9aa3ad") }, "Input", 20),
      style("Calculation", { bold: true, fillColor: "#f4f5f7", textColor: "#9c4a0f", ...allBorders("thin", "#9aa3ad") }, "Calculation", 22),
      style("Result", { bold: true, fillColor: "#f4f5f7", textColor: "#2b3138", ...allBorders("thin", "#6b7480") }, "Output", 21),
      style("Check cell", { bold: true, fillColor: "#58636e", textColor: "#ffffff", ...allBorders("double", "#9aa3ad") }, "Check Cell", 23),
      style("Linked cell", { borderBottom: border("double", "#e07a2f") }, "Linked Cell", 24),
      style("Note|style", { fillColor: "#fffbd6", textColor: "#3d3a14", ...allBorders("thin", "#c9b458") }, "Note", 10),
      style("Explanation", { italic: true, indent: 1 }, "Explanatory Text", 53),
      style("Warning|style", { bold: true, fillColor: "#fde2e0", textColor: "#a01414" }, "Warning Text", 11),
    ],
  },
  {
    name: "Number formats|of styles",
    styles: [
      style("Comma|style", { numberFormat: "#,##0.00" }, "Comma", 3),
      style("Comma [0]", { numberFormat: "#,##0" }, "Comma [0]", 6),
      style("Dollar", { numberFormat: "$#,##0.00" }, "Currency", 4),
      style("Euro", { numberFormat: "[$€-x-euro2] #,##0.00" }, "Euro"),
      style("Percent", { numberFormat: "0%" }, "Percent", 5),
    ],
  },
];

/** The ids of the built-in styles. */
export const BUILTIN_IDS: ReadonlySet<number> = new Set(CELL_STYLES.flatMap(({ styles }) => styles.map(({ id }) => id)));

/** Text rotations in degrees counterclockwise; 255 stacks the letters. */
export const ROTATIONS: readonly (readonly [name: Message, rotation: number])[] = [
  ["No rotation", 0],
  ["Tilt up", 45],
  ["Tilt down", -45],
  ["Rotate up", 90],
  ["Rotate down", -90],
  ["Stack vertically", 255],
];

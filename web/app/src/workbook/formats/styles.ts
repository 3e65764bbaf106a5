/** Looks with a name: what Excel calls cell styles. */

import type { FormatChange } from "@quadrille/protocol";
import type { Message } from "../../language/language.ts";

export const CELL_STYLES: readonly (readonly [name: Message, format: FormatChange])[] = [
  ["Title", { bold: true, fontSize: 18 }],
  ["Heading", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" }],
  ["Total", { bold: true, borderTop: { style: "thin" }, borderBottom: { style: "double" } }],
  ["Good", { fillColor: "#d9ead3", textColor: "#1e5213" }],
  ["Neutral", { fillColor: "#fff2cc", textColor: "#6b5200" }],
  ["Bad", { fillColor: "#f4cccc", textColor: "#8f1d1d" }],
  ["Input", { fillColor: "#fce0cc", textColor: "#1d4a8a", borderTop: { style: "thin" }, borderRight: { style: "thin" }, borderBottom: { style: "thin" }, borderLeft: { style: "thin" } }],
  ["Remark", { italic: true, textColor: "#6b7480" }],
];

/** Degrees counter-clockwise; 255: letters below one another. */
export const ROTATIONS: readonly (readonly [name: Message, rotation: number])[] = [
  ["Level", 0],
  ["Rising", 45],
  ["Falling", -45],
  ["Upwards", 90],
  ["Downwards", -90],
  ["Letters below one another", 255],
];

/** Reads the fonts of the parts of a pasted text from elements within its cell. */

import { changedFont, type FontChange } from "@quadrille/editor";
import type { FormatChange, TextRunFormat } from "@quadrille/protocol";
import { color, type Declarations } from "./css-parser.ts";
import { familyOf, FONT_SIZES, pointsOf } from "./pasted-formats.ts";

/** The declarations of the classes and the `style` attribute of an element. */
export type StyleOf = (element: Element) => Declarations;

/**
 * The parts of `text`, the displayed text of a cell, with what their fonts have beyond `format`, the
 * format of the cell; `undefined` if all have one font.
 */
export function textRunsOf(
  cell: HTMLTableCellElement,
  text: string,
  format: FormatChange,
  base: Declarations,
  styleOf: StyleOf,
): TextRunFormat[] | undefined {
  if (cell.querySelector("b, strong, i, em, u, s, strike, del, sup, sub, font, span") === null) {
    return undefined;
  }
  const letters: Letter[] = [];
  const walk = (node: Node, font: FontChange): void => {
    if (node instanceof Text) {
      for (const letter of node.data) {
        letters.push({ letter, font });
      }
    } else if (node instanceof HTMLBRElement) {
      letters.push({ letter: BREAK, font });
    } else if (node instanceof Element && node.localName !== "script") {
      if (/^(p|div)$/.test(node.localName) && node.previousElementSibling?.localName === node.localName) {
        letters.push({ letter: BREAK, font });
      }
      const own = fontOf(node, font, styleOf(node), base);
      node.childNodes.forEach((child) => walk(child, own));
    }
  };
  const ofCell = fontOf(cell, {}, new Map([...base, ...styleOf(cell)]), base);
  cell.childNodes.forEach((child) => walk(child, ofCell));
  const parts: { text: string; font: FontChange }[] = [];
  for (const { letter, font } of displayed(letters)) {
    const last = parts.at(-1);
    if (last?.font === font) {
      last.text += letter;
    } else {
      parts.push({ text: letter, font });
    }
  }
  const runs = parts.map((part) => ({ text: part.text, format: changedFont({}, { ...NO_FONT, ...part.font }, format) }));
  const isWhole = runs.map((run) => run.text).join("") === text;
  // The font of a single part is that of the cell.
  return isWhole && runs.length > 1 && runs.some((run) => Object.keys(run.format).length > 0) ? runs : undefined;
}

interface Letter {
  readonly letter: string;
  readonly font: FontChange;
}

/** Stands for a line break of the markup, as in `displayedText`. */
const BREAK = "\u0000";

/** The letters with spaces and line breaks as a browser displays them. */
function displayed(letters: readonly Letter[]): readonly Letter[] {
  const shown: Letter[] = [];
  for (const { letter, font } of letters) {
    const last = shown.at(-1)?.letter;
    if (letter === BREAK) {
      if (last === " ") {
        shown.pop();
      }
      shown.push({ letter: BREAK, font });
    } else if (!/[ \t\r\n]/.test(letter)) {
      shown.push({ letter, font });
    } else if (last !== " " && last !== BREAK) {
      shown.push({ letter: " ", font });
    }
  }
  const text = shown.map(({ letter }) => ({ [BREAK]: "\n", "\u00a0": " " })[letter] ?? letter);
  const isLetter = (letter: string): boolean => letter.trim() !== "";
  return shown.map(({ font }, at) => ({ letter: text[at] ?? "", font })).slice(text.findIndex(isLetter), text.findLastIndex(isLetter) + 1);
}

/** A font without attributes. */
const NO_FONT: FontChange = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  script: null,
  textColor: null,
  fontFamily: null,
  fontSize: null,
};

const TAGS: Readonly<Record<string, FontChange>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  s: { strikethrough: true },
  strike: { strikethrough: true },
  del: { strikethrough: true },
  sup: { script: "superscript" },
  sub: { script: "subscript" },
};

/** The font within an element. */
function fontOf(element: Element, around: FontChange, style: Declarations, base: Declarations): FontChange {
  const attribute = (name: string): string | undefined => (element.localName === "font" ? (element.getAttribute(name) ?? undefined) : undefined);
  const weight = style.get("font-weight");
  const slant = style.get("font-style");
  const lines = style.get("text-decoration") ?? style.get("text-decoration-line");
  const position = style.get("vertical-align");
  const ink = color(style.get("color") ?? attribute("color"));
  const family = familyOf(style.get("font-family") ?? attribute("face"));
  const size = pointsOf(style.get("font-size")) ?? FONT_SIZES[attribute("size") ?? ""];
  const change: FontChange = {
    ...TAGS[element.localName],
    ...(weight !== undefined && { bold: weight.startsWith("bold") || Number(weight) >= 600 }),
    ...(slant !== undefined && { italic: slant === "italic" || slant === "oblique" }),
    ...(lines !== undefined && { underline: lines.includes("underline"), strikethrough: lines.includes("line-through") }),
    ...(position === "super" && { script: "superscript" as const }),
    ...(position === "sub" && { script: "subscript" as const }),
    // Black text and the font of all cells are the default.
    ...(ink !== undefined && { textColor: ink === "#000000" ? null : ink }),
    ...(family !== undefined && { fontFamily: family === familyOf(base.get("font-family")) ? null : family }),
    ...(size !== undefined && { fontSize: size === pointsOf(base.get("font-size")) ? null : size }),
  };
  return Object.keys(change).length === 0 ? around : { ...around, ...change };
}

/**
 * Fonts of the parts of a text while it is edited. The runs cover the text; an edit of the text keeps the
 * fonts of the letters around it.
 */

import type { FormatChange, TextRunFormat } from "@quadrille/protocol";

/** The attributes that a part of a text can have. */
const FONT_ATTRIBUTES = [
  "bold",
  "italic",
  "underline",
  "underlineStyle",
  "strikethrough",
  "script",
  "textColor",
  "fontFamily",
  "fontSize",
] as const satisfies readonly (keyof FormatChange)[];

/** The font of a part of a text: the attributes that differ from those of the cell. */
export type FontChange = Pick<FormatChange, (typeof FONT_ATTRIBUTES)[number]>;

/** A part of a text. */
export interface TextRun {
  /** Length in UTF-16 code units. */
  readonly length: number;
  readonly font: FontChange;
}

/** The attributes of a font in a format; `undefined` if the format has another attribute. */
export function fontOnly(format: FormatChange): FontChange | undefined {
  const names: readonly string[] = FONT_ATTRIBUTES;
  return Object.keys(format).every((name) => names.includes(name)) ? format : undefined;
}

/**
 * The runs of a cell whose text is edited as `text`, which starts with an apostrophe if the text would
 * otherwise be a number.
 */
export function runsOf(text: string, parts: readonly TextRunFormat[] | null | undefined): readonly TextRun[] {
  const runs = (parts ?? []).map((part) => ({ length: part.text?.length ?? 0, font: part.format }));
  const length = runs.reduce((sum, run) => sum + run.length, 0);
  if (runs.length === 0 || (length !== text.length && length !== text.length - 1)) {
    return plain(text.length);
  }
  return merged([{ length: text.length - length, font: runs[0]?.font ?? {} }, ...runs]);
}

/** Runs of a text in the font of its cell. */
export function plain(length: number): readonly TextRun[] {
  return length === 0 ? [] : [{ length, font: {} }];
}

/** Whether a part of the text has a font of its own. */
export function hasFonts(runs: readonly TextRun[]): boolean {
  return runs.some(({ font }) => Object.keys(font).length > 0);
}

/** The parts of a text for a command; `null` if none has a font of its own. */
export function textRuns(text: string, runs: readonly TextRun[]): TextRunFormat[] | null {
  if (!hasFonts(runs)) {
    return null;
  }
  let start = 0;
  const parts = runs.map(({ length, font }) => {
    start += length;
    return { text: text.slice(start - length, start), format: font };
  });
  // The apostrophe before a text is not part of it.
  const [first, ...rest] = parts;
  if (first?.text.startsWith("'")) {
    parts.splice(0, parts.length, { ...first, text: first.text.slice(1) }, ...rest);
  }
  return parts.filter((part) => part.text !== "");
}

/**
 * The runs after an edit of the text from `before` to `after`, with the caret behind what was entered. What
 * is entered has the font of the letter before it, or of the one that it replaces; at the start of the
 * text, that of the letter behind it. `font`, if given, is chosen for what is entered.
 */
export function afterEdit(
  runs: readonly TextRun[],
  before: string,
  after: string,
  caret: number,
  font?: FontChange,
): readonly TextRun[] {
  const shorter = Math.min(before.length, after.length);
  let end = 0;
  while (end < Math.min(shorter, after.length - caret) && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
  }
  let start = 0;
  while (start < shorter - end && before[start] === after[start]) {
    start += 1;
  }
  const isReplaced = before.length - end > start;
  const neighbour = isReplaced || start === 0 ? start : start - 1;
  const entered = { length: after.length - end - start, font: font ?? fontAt(runs, neighbour) };
  return merged([...slice(runs, 0, start), entered, ...slice(runs, before.length - end, before.length)]);
}

/** The runs after `change` of the font of the letters from `start` to `end`, in a cell with the format `cell`. */
export function withFont(runs: readonly TextRun[], start: number, end: number, change: FontChange, cell: FormatChange): readonly TextRun[] {
  const changed = slice(runs, start, end).map(({ length, font }) => ({ length, font: changedFont(font, change, cell) }));
  return merged([...slice(runs, 0, start), ...changed, ...slice(runs, end, Number.POSITIVE_INFINITY)]);
}

/** The font after a change, without what the cell has as well. */
export function changedFont(font: FontChange, change: FontChange, cell: FormatChange): FontChange {
  const all = { ...font, ...change };
  return Object.fromEntries(FONT_ATTRIBUTES.filter((name) => (all[name] ?? false) !== (cell[name] ?? false) && name in all).map((name) => [name, all[name]]));
}

/**
 * The attributes that all letters from `start` to `end` have, over those of the cell. Without letters, those
 * of what would be entered there.
 */
export function fontOfRange(runs: readonly TextRun[], start: number, end: number, cell: FormatChange): FontChange {
  const fonts = start === end ? [fontAt(runs, Math.max(0, start - 1))] : slice(runs, start, end).map(({ font }) => font);
  const common: Record<string, unknown> = {};
  for (const name of FONT_ATTRIBUTES) {
    const [first, ...others] = fonts.map((font) => font[name] ?? (name in font ? null : (cell[name] ?? null)));
    common[name] = others.every((other) => other === first) ? first : null;
  }
  return common;
}

function fontAt(runs: readonly TextRun[], position: number): FontChange {
  let end = 0;
  for (const { length, font } of runs) {
    end += length;
    if (position < end) {
      return font;
    }
  }
  return runs.at(-1)?.font ?? {};
}

/** The runs of the letters from `start` to `end`. */
function slice(runs: readonly TextRun[], start: number, end: number): readonly TextRun[] {
  const parts: TextRun[] = [];
  let first = 0;
  for (const { length, font } of runs) {
    const left = Math.min(end, first + length) - Math.max(start, first);
    if (left > 0) {
      parts.push({ length: left, font });
    }
    first += length;
  }
  return parts;
}

/** The runs without empty ones; neighbours with one font become one. */
function merged(runs: readonly TextRun[]): readonly TextRun[] {
  const result: TextRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (run.length === 0) {
      continue;
    }
    if (last && isSame(last.font, run.font)) {
      result[result.length - 1] = { length: last.length + run.length, font: run.font };
    } else {
      result.push(run);
    }
  }
  return result;
}

function isSame(a: FontChange, b: FontChange): boolean {
  return FONT_ATTRIBUTES.every((name) => a[name] === b[name]);
}

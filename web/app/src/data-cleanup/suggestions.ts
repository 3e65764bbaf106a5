/** Finds what may be wrong in a table: whitespace, numbers stored as text, spellings of one value. */

import type { CellTable, ReadCell } from "@quadrille/protocol";

/** A text of a cell, and what it should be. */
export interface Correction {
  readonly row: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

export type SuggestionKind = "whitespace" | "numbers" | "spelling";

/** Corrections of one kind in one column. */
export interface CleanUpSuggestion {
  readonly kind: SuggestionKind;
  readonly column: number;
  readonly corrections: readonly Correction[];
}

/** Columns with more different texts are not searched for similar ones, which compares all pairs. */
const VALUES_MAX = 1_000;
/** Shorter texts are not misspelled by one letter: they may be codes. */
const MISSPELLED_CHARS_MIN = 5;
/** A text that occurs this many times as often as a similar one is the right spelling. */
const TIMES_AS_OFTEN = 3;
/** Digits that a number keeps exactly (IEEE 754, binary64). */
const DIGITS_MAX = 15;

interface TextCell {
  readonly row: number;
  readonly text: string;
}

/** The suggestions for a table, column by column. `hasHeader`: the first row is not data. */
export function cleanUpSuggestions(table: CellTable, hasHeader: boolean): readonly CleanUpSuggestion[] {
  const rows = hasHeader ? table.rows.slice(1) : table.rows;
  const width = table.rows[0]?.cells.length ?? 0;
  return Array.from({ length: width }, (_, index) => index).flatMap((index) => {
    const column = table.left + index;
    const cells = rows.map(({ row, cells: all }) => ({ row, cell: all[index] }));
    const texts = cells.flatMap(({ row, cell }): TextCell[] => (cell && isEnteredText(cell) ? [{ row, text: String(cell.value) }] : []));
    const numbers = cells.filter(({ cell }) => typeof cell?.value === "number").length;
    const suggestion = (kind: SuggestionKind, changed: readonly (readonly [TextCell, string])[]): CleanUpSuggestion[] =>
      changed.length === 0
        ? []
        : [{ kind, column, corrections: changed.map(([{ row, text }, to]) => ({ row, column, from: text, to })) }];
    const trimmed = texts.flatMap((one) => (trim(one.text) !== one.text ? [[one, trim(one.text)] as const] : []));
    const stored = texts.flatMap((one) => (looksLikeNumber(trim(one.text)) ? [[one, trim(one.text)] as const] : []));
    // In a column of texts, such as one of codes, digits are meant to be texts.
    const areNumbers = stored.length > 0 && numbers + stored.length > (texts.length - stored.length) * 4 && numbers > 0;
    return [
      ...suggestion("whitespace", trimmed),
      ...(areNumbers ? suggestion("numbers", stored) : []),
      ...suggestion("spelling", respelled(texts)),
    ];
  });
}

function isEnteredText({ value, formula }: ReadCell): boolean {
  return typeof value === "string" && formula === undefined && value !== "";
}

/** Without whitespace around, and with single spaces within, as the function TRIM and the command do. */
function trim(text: string): string {
  return text.replace(/[^\S\n]+/g, " ").trim();
}

function looksLikeNumber(text: string): boolean {
  return /^[-+]?(?:0|[1-9]\d*)(?:[.,]\d+)?$/.test(text) && text.replace(/\D/g, "").length <= DIGITS_MAX;
}

/** The letters and digits of a text, by which spellings that differ in case or punctuation are equal. */
function skeleton(text: string): string {
  return text.normalize("NFKC").toLocaleLowerCase().replace(/[^\p{L}\p{M}\p{Nd}]+/gu, "");
}

interface Spelling {
  readonly text: string;
  readonly count: number;
}

/** The cells with a rarer spelling of a text, and the more frequent one. */
function respelled(cells: readonly TextCell[]): readonly (readonly [TextCell, string])[] {
  const counts = new Map<string, number>();
  for (const { text } of cells) {
    counts.set(trim(text), (counts.get(trim(text)) ?? 0) + 1);
  }
  if (counts.size > VALUES_MAX) {
    return [];
  }
  // The most frequent spelling first, and of equally frequent ones the first in the column.
  const spellings = [...counts].map(([text, count]): Spelling => ({ text, count })).sort((a, b) => b.count - a.count);
  const right = new Map<string, string>();
  for (const [at, spelling] of spellings.entries()) {
    const better = spellings.slice(0, at).find((other) => !right.has(other.text) && isRespelling(spelling, other));
    if (better) {
      right.set(spelling.text, better.text);
    }
  }
  return cells.flatMap((cell) => {
    const to = right.get(trim(cell.text));
    return to === undefined ? [] : [[cell, to] as const];
  });
}

function isRespelling(rare: Spelling, frequent: Spelling): boolean {
  const [a, b] = [skeleton(rare.text), skeleton(frequent.text)];
  if (a === b) {
    return a !== "" && rare.count < frequent.count;
  }
  const hasDigits = /\p{Nd}/u.test(a + b);
  return !hasDigits && a.length >= MISSPELLED_CHARS_MIN && frequent.count >= rare.count * TIMES_AS_OFTEN && isOneEditApart(a, b);
}

/**
 * Whether the texts differ in one character that is inserted, deleted or replaced, or in two that are
 * exchanged (the distance of F. Damerau, Communications of the ACM 7(3), 1964).
 */
export function isOneEditApart(a: string, b: string): boolean {
  if (a.length > b.length) {
    return isOneEditApart(b, a);
  }
  if (b.length - a.length > 1 || a === b) {
    return false;
  }
  let start = 0;
  while (start < a.length && a[start] === b[start]) {
    start += 1;
  }
  if (a.length < b.length) {
    return a.slice(start) === b.slice(start + 1);
  }
  const isReplaced = a.slice(start + 1) === b.slice(start + 1);
  const isExchanged = a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2);
  return isReplaced || isExchanged;
}

/**
 * The tokenizer of the formula editor, for syntax colouring, point mode and F4.
 *
 * The engine has the full grammar. This tokenizer runs on the main thread for each keystroke, so
 * that colours do not lag behind the text, and accepts any text, including incomplete formulas.
 */

import { type Cell, parseRange, type Range } from "@quadrille/grid";
import { A1, type Notation } from "./notation.ts";

/** Kinds of tokens. */
export type TokenKind = "reference" | "function" | "name" | "number" | "text" | "error" | "bracket" | "operator" | "space";

/** A token from `start` to `end`, exclusive. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** A reference token. */
export interface Reference extends Token {
  readonly kind: "reference";
  /** Sheet name without quotes; `undefined` for the formula's own sheet. */
  readonly sheet: string | undefined;
  readonly range: Range;
}

const SHEET = "(?:'(?:[^']|'')*'|[\\p{L}_][\\p{L}\\p{N}_.]*)!";

type Pattern = readonly [TokenKind, RegExp];

/** Patterns in order of precedence. */
function patternsOf({ area }: Notation): readonly Pattern[] {
  // A name or a call is not a reference: A1_total and LOG10(.
  return [...BEFORE_REFERENCES, ["reference", new RegExp(`(?:${SHEET})?${area}(?![\\p{L}\\p{N}_.($![])`, "uy")], ...AFTER_REFERENCES];
}

const BEFORE_REFERENCES: readonly Pattern[] = [
  ["space", /\s+/uy],
  ["text", /"(?:[^"]|"")*(?:"|$)/uy],
];
const AFTER_REFERENCES: readonly Pattern[] = [
  ["error", /#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!|CIRC!)/iuy],
  ["function", /[\p{L}_][\p{L}\p{N}_.]*(?=\s*\()/uy],
  ["name", new RegExp(`(?:${SHEET})?[\\p{L}_\\\\][\\p{L}\\p{N}_.]*|'(?:[^']|'')*'?`, "uy")],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?/uy],
  ["bracket", /[()[\]{}]/uy],
  ["operator", /<>|<=|>=|./suy],
];
const PATTERNS = new Map<Notation, readonly Pattern[]>();

const CORNER: Cell = { row: 0, column: 0 };

/** Tokens of a formula, which cover all of it; none if `formula` is not a formula. */
export function tokens(formula: string, notation = A1): readonly Token[] {
  if (!isFormula(formula)) {
    return [];
  }
  const patterns = PATTERNS.get(notation) ?? patternsOf(notation);
  PATTERNS.set(notation, patterns);
  const result: Token[] = [];
  for (let at = 0; at < formula.length; ) {
    let kind: TokenKind = "operator";
    let end = at + 1;
    for (const [candidate, pattern] of patterns) {
      pattern.lastIndex = at;
      const match = pattern.exec(formula);
      if (match && match[0].length > 0) {
        kind = candidate;
        end = at + match[0].length;
        break;
      }
    }
    result.push({ kind, start: at, end });
    at = end;
  }
  return result;
}

/** Whether an entry is a formula. */
export function isFormula(text: string): boolean {
  return text.startsWith("=") || /^[+-](?=[A-Za-z$(])/.test(text);
}

/** References of a formula. `host`: cell of the formula. */
export function references(formula: string, notation = A1, host = CORNER): readonly Reference[] {
  return tokens(formula, notation).flatMap((token) => {
    if (token.kind !== "reference") {
      return [];
    }
    const text = formula.slice(token.start, token.end);
    const bang = text.lastIndexOf("!");
    const range = notation.parse(text.slice(bang + 1), host);
    return range ? [{ ...token, kind: "reference" as const, sheet: bang < 0 ? undefined : unquoted(text.slice(0, bang)), range }] : [];
  });
}

/** The formula with `change` applied to the address of each reference, without its sheet. */
export function mapReferences(formula: string, notation: Notation, change: (address: string) => string): string {
  const pieces = tokens(formula, notation).map(({ kind, start, end }) => {
    const text = formula.slice(start, end);
    const bang = text.lastIndexOf("!") + 1;
    return kind === "reference" ? text.slice(0, bang) + change(text.slice(bang)) : text;
  });
  return pieces.join("");
}

/** Prefix of a reference to another sheet, `Sheet2!` or `'My sheet'!`. */
export function sheetPrefix(name: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !parseRange(name) && !/^(?:r\d*)?(?:c\d*)?$/i.test(name);
  return isPlain ? `${name}!` : `'${name.replaceAll("'", "''")}'!`;
}

function unquoted(name: string): string {
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
}

/** A changed formula with its selection. */
export interface TextEdit {
  readonly text: string;
  /** Start and end of the selection. */
  readonly start: number;
  readonly end: number;
}

/** The reference that contains the caret or ends at it. */
export function referenceAt(formula: string, caret: number, notation = A1, host = CORNER): Reference | undefined {
  return references(formula, notation, host).findLast(({ start, end }) => start <= caret && caret <= end);
}

/**
 * Cycles the reference at the caret as F4 does: `A1` → `$A$1` → `A$1` → `$A1` → `A1`, and `RC[1]` →
 * `R1C2` → `R1C[1]` → `RC2` → `RC[1]`.
 */
export function cycleAbsolute(formula: string, caret: number, notation = A1, host = CORNER): TextEdit | undefined {
  const reference = referenceAt(formula, caret, notation, host);
  return reference && replaceAddress(formula, reference, (address) => notation.cycleAbsolute(address, host));
}

/** The formula with `reference` changed to `range`, keeping its sheet and dollar signs. */
export function moveReference(formula: string, reference: Reference, range: Range, notation = A1, host = CORNER): TextEdit {
  return replaceAddress(formula, reference, (address) => notation.withRange(address, range, host));
}

function replaceAddress(formula: string, { start, end }: Reference, change: (address: string) => string): TextEdit {
  const text = formula.slice(start, end);
  const bang = text.lastIndexOf("!") + 1;
  const changed = text.slice(0, bang) + change(text.slice(bang));
  const caret = start + changed.length;
  return { text: formula.slice(0, start) + changed + formula.slice(end), start: caret, end: caret };
}

/** Position of the bracket at the caret, and of the matching bracket if there is one. */
export function bracketsAt(formula: string, caret: number, notation = A1): readonly number[] {
  const brackets = tokens(formula, notation).filter(({ kind }) => kind === "bracket");
  const at = brackets.find(({ start }) => start === caret - 1) ?? brackets.find(({ start }) => start === caret);
  if (!at) {
    return [];
  }
  const open: number[] = [];
  const other = new Map<number, number>();
  for (const { start } of brackets) {
    if ("([{".includes(formula[start] ?? "")) {
      open.push(start);
    } else {
      const begin = open.pop();
      if (begin !== undefined) {
        other.set(begin, start);
        other.set(start, begin);
      }
    }
  }
  const partner = other.get(at.start);
  return partner === undefined ? [at.start] : [at.start, partner];
}

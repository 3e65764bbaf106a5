/**
 * The parts of a formula being typed, for colouring, pointing and F4.
 *
 * The engine has the real grammar. This one runs with every key on the page, so that colours never lag behind the
 * letters, and reads any text, also a half-typed one.
 */

import { type Cell, parseRange, type Range } from "@quadrille/grid";
import { A1, type Notation } from "./notation.ts";

export type TokenKind = "reference" | "function" | "name" | "number" | "text" | "error" | "bracket" | "operator" | "space";

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

export interface Reference extends Token {
  readonly kind: "reference";
  /** As written, without quotes; none is the formula's own sheet. */
  readonly sheet: string | undefined;
  readonly range: Range;
}

const SHEET = "(?:'(?:[^']|'')*'|[\\p{L}_][\\p{L}\\p{N}_.]*)!";

type Pattern = readonly [TokenKind, RegExp];

/** In this order: what could be two things is the first. */
function patternsOf({ area }: Notation): readonly Pattern[] {
  // What goes on as a name or a call is no reference: LOG10( and A1_total.
  return [...BEFORE, ["reference", new RegExp(`(?:${SHEET})?${area}(?![\\p{L}\\p{N}_.($![])`, "uy")], ...BEHIND];
}

const BEFORE: readonly Pattern[] = [
  ["space", /\s+/uy],
  ["text", /"(?:[^"]|"")*(?:"|$)/uy],
];
const BEHIND: readonly Pattern[] = [
  ["error", /#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!|CIRC!)/iuy],
  ["function", /[\p{L}_][\p{L}\p{N}_.]*(?=\s*\()/uy],
  ["name", new RegExp(`(?:${SHEET})?[\\p{L}_\\\\][\\p{L}\\p{N}_.]*|'(?:[^']|'')*'?`, "uy")],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?/uy],
  ["bracket", /[()[\]{}]/uy],
  ["operator", /<>|<=|>=|./suy],
];
const PATTERNS = new Map<Notation, readonly Pattern[]>();

const CORNER: Cell = { row: 0, column: 0 };

/** Every letter belongs to one token. A text that is no formula has none. */
export function tokens(formula: string, notation = A1): readonly Token[] {
  if (!isFormula(formula)) {
    return [];
  }
  const patterns = PATTERNS.get(notation) ?? patternsOf(notation);
  PATTERNS.set(notation, patterns);
  const found: Token[] = [];
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
    found.push({ kind, start: at, end });
    at = end;
  }
  return found;
}

export function isFormula(text: string): boolean {
  return text.startsWith("=") || /^[+-](?=[A-Za-z$(])/.test(text);
}

/** `host`: where the formula stands. */
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

/** The formula with its references written otherwise; all else stays, sheets too. */
export function rewritten(formula: string, notation: Notation, change: (address: string) => string): string {
  const pieces = tokens(formula, notation).map(({ kind, start, end }) => {
    const text = formula.slice(start, end);
    const bang = text.lastIndexOf("!") + 1;
    return kind === "reference" ? text.slice(0, bang) + change(text.slice(bang)) : text;
  });
  return pieces.join("");
}

/** `Sheet2!` where it is needed before a reference, with quotes where these are. */
export function sheetPrefix(name: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !parseRange(name) && !/^(?:r\d*)?(?:c\d*)?$/i.test(name);
  return isPlain ? `${name}!` : `'${name.replaceAll("'", "''")}'!`;
}

function unquoted(name: string): string {
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
}

export interface Changed {
  readonly text: string;
  /** Where the caret goes, or what is selected. */
  readonly start: number;
  readonly end: number;
}

/** The reference at the caret: the one it stands in or right behind. */
export function referenceAt(formula: string, caret: number, notation = A1, host = CORNER): Reference | undefined {
  return references(formula, notation, host).findLast(({ start, end }) => start <= caret && caret <= end);
}

/** F4: `A1` → `$A$1` → `A$1` → `$A1` → `A1`, and `RC[1]` → `R1C2` → `R1C[1]` → `RC2` → `RC[1]`. */
export function cycleDollars(formula: string, caret: number, notation = A1, host = CORNER): Changed | undefined {
  const found = referenceAt(formula, caret, notation, host);
  return found && readdressed(formula, found, (address) => notation.cycled(address, host));
}

/** The formula with one of its references at other cells; sheet and dollar signs stay. */
export function moveReference(formula: string, reference: Reference, range: Range, notation = A1, host = CORNER): Changed {
  return readdressed(formula, reference, (address) => notation.moved(address, range, host));
}

function readdressed(formula: string, { start, end }: Reference, change: (address: string) => string): Changed {
  const text = formula.slice(start, end);
  const bang = text.lastIndexOf("!") + 1;
  const changed = text.slice(0, bang) + change(text.slice(bang));
  const caret = start + changed.length;
  return { text: formula.slice(0, start) + changed + formula.slice(end), start: caret, end: caret };
}

/** The bracket at the caret and its other half; the half alone when it has none. */
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

/**
 * The parts of a formula being typed, for colouring, pointing and F4.
 *
 * The engine has the real grammar. This one runs with every key on the page, so that colours never lag behind the
 * letters, and reads any text, also a half-typed one.
 */

import { type Range, parseRange, rangeName } from "@quadrille/grid";

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

const CELL = "\\$?[A-Za-z]{1,3}\\$?[1-9][0-9]{0,6}";
const COLUMN = "\\$?[A-Za-z]{1,3}";
const ROW = "\\$?[1-9][0-9]{0,6}";
const AREA = `(?:${CELL}:${CELL}|${CELL}|${COLUMN}:${COLUMN}|${ROW}:${ROW})`;
const SHEET = "(?:'(?:[^']|'')*'|[\\p{L}_][\\p{L}\\p{N}_.]*)!";

/** In this order: what could be two things is the first. */
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["space", /\s+/uy],
  ["text", /"(?:[^"]|"")*(?:"|$)/uy],
  // What goes on as a name or a call is no reference: LOG10( and A1_total.
  ["reference", new RegExp(`(?:${SHEET})?${AREA}(?![\\p{L}\\p{N}_.(!])`, "uy")],
  ["error", /#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!|CIRC!)/iuy],
  ["function", /[\p{L}_][\p{L}\p{N}_.]*(?=\s*\()/uy],
  ["name", new RegExp(`(?:${SHEET})?[\\p{L}_\\\\][\\p{L}\\p{N}_.]*|'(?:[^']|'')*'?`, "uy")],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?/uy],
  ["bracket", /[()[\]{}]/uy],
  ["operator", /<>|<=|>=|./suy],
];

/** Every letter belongs to one token. A text that is no formula has none. */
export function tokens(formula: string): readonly Token[] {
  if (!isFormula(formula)) {
    return [];
  }
  const found: Token[] = [];
  for (let at = 0; at < formula.length; ) {
    let kind: TokenKind = "operator";
    let end = at + 1;
    for (const [candidate, pattern] of PATTERNS) {
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

export function references(formula: string): readonly Reference[] {
  return tokens(formula).flatMap((token) => {
    if (token.kind !== "reference") {
      return [];
    }
    const text = formula.slice(token.start, token.end);
    const bang = text.lastIndexOf("!");
    const range = parseRange(text.slice(bang + 1).replaceAll("$", ""));
    return range ? [{ ...token, kind: "reference" as const, sheet: bang < 0 ? undefined : unquoted(text.slice(0, bang)), range }] : [];
  });
}

/** `Sheet2!` where it is needed before a reference, with quotes where these are. */
export function sheetPrefix(name: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !parseRange(name) && !/^[rc]\d*$/i.test(name);
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
export function referenceAt(formula: string, caret: number): Reference | undefined {
  return references(formula).findLast(({ start, end }) => start <= caret && caret <= end);
}

/** F4: `A1` → `$A$1` → `A$1` → `$A1` → `A1`. */
export function cycleDollars(formula: string, caret: number): Changed | undefined {
  const found = referenceAt(formula, caret);
  if (!found) {
    return undefined;
  }
  const text = formula.slice(found.start, found.end);
  const bang = text.lastIndexOf("!") + 1;
  const address = text.slice(bang);
  const next = nextDollars(dollarsOf(address));
  const changed = address
    .split(":")
    .map((part) => withDollars(part, next))
    .join(":");
  const end = found.start + bang + changed.length;
  return { text: formula.slice(0, found.start) + text.slice(0, bang) + changed + formula.slice(found.end), start: end, end };
}

interface Dollars {
  readonly column: boolean;
  readonly row: boolean;
}

function dollarsOf(address: string): Dollars {
  const first = address.split(":")[0] ?? "";
  const isWholeRow = /^\$?\d+$/.test(first);
  return { column: !isWholeRow && first.startsWith("$"), row: /\$\d/.test(first) };
}

function nextDollars({ column, row }: Dollars): Dollars {
  if (column && row) {
    return { column: false, row: true };
  }
  if (row) {
    return { column: true, row: false };
  }
  return column ? { column: false, row: false } : { column: true, row: true };
}

function withDollars(part: string, dollars: Dollars): string {
  const match = /^\$?([A-Za-z]*)\$?(\d*)$/.exec(part);
  const [letters, digits] = [match?.[1] ?? "", match?.[2] ?? ""];
  // Whole rows and columns have one of the two: it takes turns by itself.
  const both = letters !== "" && digits !== "";
  const onColumn = both ? dollars.column : dollars.column && dollars.row;
  const onRow = both ? dollars.row : dollars.column && dollars.row;
  return `${letters && onColumn ? "$" : ""}${letters}${digits && onRow ? "$" : ""}${digits}`;
}

/** The formula with one of its references at other cells; sheet and dollar signs stay. */
export function moveReference(formula: string, reference: Reference, range: Range): Changed {
  const text = formula.slice(reference.start, reference.end);
  const bang = text.lastIndexOf("!") + 1;
  const parts = text.slice(bang).split(":");
  const written = rangeName(range).split(":");
  const moved = written.map((part, at) => withDollars(part, partDollars(parts[at] ?? parts[0] ?? "")));
  const address = text.slice(0, bang) + moved.join(":");
  const end = reference.start + address.length;
  return { text: formula.slice(0, reference.start) + address + formula.slice(reference.end), start: end, end };
}

function partDollars(part: string): Dollars {
  return { column: part.startsWith("$"), row: /\$\d/.test(part) };
}

/** The bracket at the caret and its other half; the half alone when it has none. */
export function bracketsAt(formula: string, caret: number): readonly number[] {
  const brackets = tokens(formula).filter(({ kind }) => kind === "bracket");
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

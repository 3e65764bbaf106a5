/**
 * Formulas as a user reads and writes them: `SUM(1.5,A1)` is `SUMME(1,5;A1)` in German. Loaded on
 * demand, for languages with own separators or function names.
 *
 * The engine converts the formulas of cells (`crates/formula/src/localized.rs`); this module
 * converts those of rules, names and charts, by the same rules (`fixtures/formulas/localized.tsv`).
 */

/** Separators of a formula; those of the rows of an array constant are always semicolons. */
export interface Separators {
  readonly decimal: string;
  /** Separator of arguments. */
  readonly list: string;
  /** Separator of the columns of an array constant. */
  readonly column: string;
}

/** The function names and error values of a language by the English ones; empty for English. */
export interface FunctionTable {
  readonly functions: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
}

/** Converts formulas, without `=`, between the stored notation and that of a user. */
export interface FormulaLanguage {
  readonly separators: Separators;
  readonly displayed: (formula: string) => string;
  readonly stored: (formula: string) => string;
  /** The name of a function in the language. */
  readonly functionName: (english: string) => string;
  /** The English name of a function in the language; other names in capital letters. */
  readonly englishName: (name: string) => string;
  /** The table for the engine, with entries such as `SUM=SUMME`. */
  readonly entries: readonly string[];
}

/** The separators of stored formulas. */
const STORED: Separators = { decimal: ".", list: ",", column: "," };
/** Excel's prefix of functions that are not built in marks names that the language has taken. */
const OWN_NAME = /^(?:_xludf\.)+/i;
const OWN_NAME_PREFIX = "_xludf.";
/** Functions that call a function named in an argument: `BYROW(A1:B3,SUM)`. */
const TAKING_FUNCTIONS = new Set(["BYCOL", "BYROW", "GROUPBY", "MAKEARRAY", "MAP", "PIVOTBY", "REDUCE", "SCAN"]);
const CELL = /^[A-Z]{1,3}[1-9][0-9]*$/i;

/** The place of a name: a call, an argument that names a function, or any other. */
type NameUse = "call" | "argument" | "value";
type NameChange = (text: string, use: NameUse) => string;

/** The language with these separators and names. */
export function formulaLanguage(separators: Separators, { functions, errors }: FunctionTable): FormulaLanguage {
  const local = new Map(Object.entries(functions));
  const english = new Map([...local].map(([from, to]) => [to, from]));
  const errorPairs = Object.entries(errors);
  const englishName = (name: string): string => english.get(name.toUpperCase()) ?? name.toUpperCase();
  const isTaken = (name: string, use: NameUse): boolean => {
    const found = english.get(name.toUpperCase().replace(OWN_NAME, ""));
    return use === "value" ? found === "TRUE" || found === "FALSE" : found !== undefined;
  };
  const toLocal: NameChange = (text, use) => {
    const found = use === "value" ? undefined : local.get(text.toUpperCase());
    if (found !== undefined) {
      return use === "argument" && CELL.test(found) ? text : found;
    }
    return isTaken(text, use) ? OWN_NAME_PREFIX + text : text;
  };
  const toEnglish: NameChange = (text, use) => {
    if (!isTaken(text, use)) {
      return text;
    }
    return OWN_NAME.test(text) ? text.slice(OWN_NAME_PREFIX.length) : (english.get(text.toUpperCase()) ?? text);
  };
  const errorAt = (text: string): readonly [english: string, local: string] | undefined =>
    errorPairs.find(([, name]) => text.slice(0, name.length).toUpperCase() === name);
  const takesFunctions = (name: string): boolean => TAKING_FUNCTIONS.has(englishName(name));
  return {
    separators,
    displayed: (formula) => converted(formula, STORED, separators, toLocal, takesFunctions, () => undefined),
    stored: (formula) => converted(formula, separators, STORED, toEnglish, takesFunctions, errorAt),
    functionName: (name) => local.get(name) ?? name,
    englishName,
    entries: [...Object.entries(functions), ...errorPairs].map(([from, to]) => `${from}=${to}`),
  };
}

function converted(
  text: string,
  from: Separators,
  to: Separators,
  changeName: NameChange,
  takesFunctions: (name: string) => boolean,
  errorAt: (text: string) => readonly [english: string, local: string] | undefined,
): string {
  let result = "";
  // For each open parenthesis, whether it belongs to a function that takes functions.
  const open: boolean[] = [];
  let [takes, inBraces, brackets] = [false, false, 0];
  // The last character that is not whitespace.
  let before = "";
  for (let at = 0; at < text.length; ) {
    const first = text.charAt(at);
    let [end, piece] = [at + 1, first];
    const error = first === "#" ? errorAt(text.slice(at)) : undefined;
    if (first === '"' || first === "'") {
      end = quoteEnd(text, at);
      piece = text.slice(at, end);
    } else if (first === "[" || first === "]") {
      brackets = first === "[" ? brackets + 1 : Math.max(0, brackets - 1);
    } else if (brackets > 0) {
      // Brackets contain column names; separators stand between two pairs of brackets.
      piece = first === from.list && before === "]" ? to.list : first;
    } else if (first === "{" || first === "}") {
      inBraces = first === "{";
    } else if (inBraces && first === from.column && first !== from.decimal) {
      piece = to.column;
    } else if (isNumberStart(text, at, from.decimal, before)) {
      end = matchEnd(from.decimal === "," ? /[0-9,]+/y : /[0-9.]+/y, text, at);
      piece = text.slice(at, end).replaceAll(from.decimal, to.decimal);
      // An exponent, or the rest of a name that starts with digits.
      const rest = matchEnd(inBraces ? /[\p{L}_$][\p{L}\p{N}_$]*/uy : /[\p{L}_$][\p{L}\p{N}_$.?\\]*/uy, text, end);
      piece += text.slice(end, rest);
      end = rest;
    } else if (first === from.list && !inBraces) {
      piece = to.list;
    } else if (error) {
      end = at + error[1].length;
      piece = error[0];
    } else if (/[\p{L}_$\\]/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0))) {
      end = matchEnd(inBraces ? /[\p{L}_$\\][\p{L}\p{M}\p{N}_$]*/uy : /[\p{L}_$\\][\p{L}\p{M}\p{N}_$.?\\]*/uy, text, at);
      piece = text.slice(at, end);
      const next = /^[\s\u00A0]*(.?)/su.exec(text.slice(end))?.[1] ?? "";
      const isCall = next === "(" && (text.charAt(end) === "(" || !CELL.test(piece));
      if (isCall) {
        takes = takesFunctions(piece);
      }
      if (before !== "!" && (isCall || !/[![(]/.test(next))) {
        const isArgument = open.at(-1) === true && (before === "(" || before === from.list) && (next === "" || next === ")" || next === from.list);
        piece = changeName(piece, isCall ? "call" : isArgument ? "argument" : "value");
      }
    } else if (first === "(") {
      open.push(takes && /[\p{L}\p{N}_.?\\]/u.test(before));
    } else if (first === ")") {
      open.pop();
    }
    result += piece;
    before = text.slice(at, end).trim().at(-1) ?? before;
    at = end;
  }
  return result;
}

/** The position after the closing quote, or the end of the text. */
function quoteEnd(text: string, at: number): number {
  const end = text.indexOf(text.charAt(at), at + 1);
  return end < 0 ? text.length : end + 1;
}

/** Whether a number starts; a decimal separator alone is one only before a digit. */
function isNumberStart(text: string, at: number, decimal: string, before: string): boolean {
  const isDigit = (position: number): boolean => /[0-9]/.test(text.charAt(position));
  return isDigit(at) || (text.charAt(at) === decimal && before !== ":" && isDigit(at + 1));
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

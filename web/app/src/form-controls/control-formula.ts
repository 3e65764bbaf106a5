/**
 * The formulas of EtherCalc's form controls, `=SELECT("red","red,blue")`: the first argument is the
 * value of the control, which changes when somebody uses it.
 */

import { type Notation, type Token, tokens } from "@quadrille/editor";

/** A formula that is a call of a control, such as `TEXTBOX("Ada")` or `TEXTBOX("Ada")+STYLE(A1)`. */
export interface ControlFormula {
  /** The function in capital letters. */
  readonly name: string;
  readonly arguments: readonly string[];
  /** The formula up to the first argument, and from its end on. */
  readonly before: string;
  readonly after: string;
}

const CONTROLS: ReadonlySet<string> = new Set(["TEXTBOX", "AUTOCOMPLETE", "SELECT", "CHECKBOX", "RADIOBUTTON"]);

/** The control that a formula is; `undefined` for other formulas and for texts. */
export function controlFormula(formula: string, notation: Notation): ControlFormula | undefined {
  const parts = tokens(formula, notation).filter(({ kind }) => kind !== "space");
  const [equals, name, open] = parts;
  const textOf = (token: Token | undefined): string => (token ? formula.slice(token.start, token.end) : "");
  const function_ = textOf(name).toUpperCase();
  if (textOf(equals) !== "=" || textOf(open) !== "(" || !CONTROLS.has(function_) || !open) {
    return undefined;
  }
  // Separators between the arguments of the call, and its closing bracket.
  const separators: Token[] = [];
  let depth = 1;
  let close: Token | undefined;
  for (const token of parts.slice(3)) {
    const text = textOf(token);
    depth += token.kind !== "bracket" ? 0 : /[([{]/.test(text) ? 1 : -1;
    if (depth === 0) {
      close = token;
      break;
    }
    if (depth === 1 && (text === "," || text === ";")) {
      separators.push(token);
    }
  }
  if (!close) {
    return undefined;
  }
  // Where `;` separates arguments, `,` is the decimal separator.
  const separator = separators.some((token) => textOf(token) === ";") ? ";" : ",";
  const ends = [...separators.filter((token) => textOf(token) === separator), close];
  const starts = [open, ...ends.slice(0, -1)];
  const first = ends[0] ?? close;
  return {
    name: function_,
    arguments: ends.map(({ start }, index) => formula.slice(starts[index]?.end ?? 0, start).trim()),
    before: formula.slice(0, open.end),
    after: formula.slice(first.start),
  };
}

/** The formula with another value of the control. */
export function withValue({ before, after }: ControlFormula, value: string): string {
  return `${before}${quoted(value)}${after}`;
}

/** The text of an argument in quotation marks; `undefined` for other arguments. */
export function textArgument(argument: string | undefined): string | undefined {
  const text = /^"((?:[^"]|"")*)"$/.exec(argument ?? "")?.[1];
  return text?.replaceAll('""', '"');
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

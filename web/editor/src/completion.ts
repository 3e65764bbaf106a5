/** Autocompletion of function names, and argument hints. */

/** Help of a function. */
export interface FunctionHelp {
  /** The name as the user reads it. */
  readonly name: string;
  readonly englishName: string;
  /** Argument list such as `number, [digits]`. */
  readonly arguments: string;
  readonly summary: string;
}

/** The name prefix from `start` to the caret. */
export interface NamePart {
  readonly start: number;
  readonly text: string;
}

/**
 * The prefix at the caret that may become a function name; none inside strings or after the `!` of
 * a reference.
 */
export function namePart(text: string, caret: number): NamePart | undefined {
  const before = text.slice(0, caret);
  const match = /(?:^=|[=(,;:+\-*/^&<>{@\s])(\p{L}[\p{L}\p{M}0-9._]*)$/u.exec(before);
  const part = match?.[1];
  if (!text.startsWith("=") || part === undefined || isInText(before)) {
    return undefined;
  }
  return { start: caret - part.length, text: part };
}

/**
 * The function call around the caret, with the zero-based index of the argument. If `;` separates
 * arguments, commas are decimal separators.
 */
export function callAt(text: string, caret: number, separator: "," | ";" = ","): { readonly name: string; readonly argument: number } | undefined {
  if (!text.startsWith("=")) {
    return undefined;
  }
  const open: { name: string; argument: number }[] = [];
  let inText = false;
  for (let at = 0; at < caret; at += 1) {
    const letter = text[at];
    if (letter === '"') {
      inText = !inText;
    } else if (inText) {
      continue;
    } else if (letter === "(" || letter === "{") {
      const name = letter === "(" ? (/\p{L}[\p{L}\p{M}0-9._]*$/u.exec(text.slice(0, at))?.[0] ?? "") : "";
      open.push({ name: name.toUpperCase(), argument: 0 });
    } else if (letter === ")" || letter === "}") {
      open.pop();
    } else if (letter === ";" || letter === separator) {
      const current = open.at(-1);
      if (current) {
        current.argument += 1;
      }
    }
  }
  return open.findLast((call) => call.name !== "");
}

/**
 * At most `max` functions whose names start with `typed`, shortest first; after those that the user
 * reads, those with such an English name.
 */
export function completions<Help extends FunctionHelp>(functions: readonly Help[], typed: string, max: number): Help[] {
  const upper = typed.toUpperCase();
  const matching = (nameOf: (known: Help) => string): Help[] =>
    functions
      .filter((known) => nameOf(known).startsWith(upper))
      .sort((a, b) => nameOf(a).length - nameOf(b).length || (nameOf(a) < nameOf(b) ? -1 : 1));
  return [...new Set([...matching(({ name }) => name), ...matching(({ englishName }) => englishName)])].slice(0, max);
}

/**
 * The arguments of a hint. In a list that ends with `…`, every further argument maps to the last.
 */
export function argumentParts(
  list: string,
  argument: number,
): readonly { readonly text: string; readonly isCurrent: boolean }[] {
  const names = list.split(/,\s*/).filter((name) => name !== "");
  const last = names.length - 1;
  const repeats = names[last] === "…";
  const current = repeats ? Math.min(argument, last) : argument;
  return names.map((text, index) => ({ text, isCurrent: index === current }));
}

function isInText(before: string): boolean {
  return (before.split('"').length - 1) % 2 === 1;
}

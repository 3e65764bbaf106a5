/** Adds what is missing at the end of a formula. */

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["{", "}"],
  ["[", "]"],
]);

/** A formula whose text and brackets are closed, or `undefined` if none is open, or others are closed than were opened. */
export function closedFormula(formula: string): string | undefined {
  const open: string[] = [];
  let quote = "";
  for (const character of formula) {
    if (quote !== "") {
      // A doubled quote within a text ends and begins it.
      quote = character === quote ? "" : quote;
    } else if (character === '"' || (character === "'" && open.at(-1) !== "]")) {
      quote = character;
    } else if (CLOSING.has(character)) {
      open.push(CLOSING.get(character) ?? "");
    } else if (")}]".includes(character) && open.pop() !== character) {
      return undefined;
    }
  }
  const end = quote + open.reverse().join("");
  return end === "" ? undefined : formula.trimEnd() + end;
}

/** Searches that tolerate typing errors, as regular expressions. */

/** Shorter words are searched as they are: with one letter changed, most words match. */
const WORD_CHARS_MIN = 4;
/** Longer words would make the expression longer than a search may be. */
const WORD_CHARS_MAX = 30;
/** Bytes of an expression that the engine accepts. */
const PATTERN_BYTES_MAX = 2_000;

/**
 * A regular expression for a text in which each word may have one typing error: a letter that is
 * missing, added or replaced, or two that are exchanged. Runs of whitespace match each other.
 */
export function similarPattern(text: string): string {
  const words = text.trim().split(/\s+/);
  const exact = words.map(escaped).join("\\s+");
  const tolerant = words.map(wordPattern).join("\\s+");
  return new TextEncoder().encode(tolerant).length <= PATTERN_BYTES_MAX ? tolerant : exact;
}

/** The text that a replacement of a regular expression writes as it is. */
export function literalReplacement(text: string): string {
  return text.replaceAll("$", "$$$$");
}

function wordPattern(word: string): string {
  const letters = [...word];
  return letters.length < WORD_CHARS_MIN || letters.length > WORD_CHARS_MAX ? escaped(word) : oneErrorIn(letters);
}

/** The first letter and one error in the rest, or an error here and the exact rest. */
function oneErrorIn(letters: readonly string[]): string {
  const [first, second, ...others] = letters;
  if (first === undefined) {
    return ".?";
  }
  const rest = escaped(letters.slice(1).join(""));
  const exchanged = second === undefined ? [] : [escaped(second + first + others.join(""))];
  // The first alternative that matches counts: an added letter before a replaced one, so that all of the word is found.
  return `(?:${[escaped(first) + oneErrorIn(letters.slice(1)), `.${escaped(first)}${rest}`, ...exchanged, `.?${rest}`].join("|")})`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

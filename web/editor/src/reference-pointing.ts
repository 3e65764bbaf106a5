/** Point mode: inserting references into a formula by selecting cells. */

/** The reference that point mode inserted last; the next one replaces it. */
export interface Pointed {
  readonly start: number;
  readonly end: number;
}

/** Characters after which a reference may follow. */
const BEFORE_REFERENCE = /[=(,;:+\-*/^&<>{@]\s*$/;
/** Operators in square brackets belong to a name or to a reference such as `R[-1]C`. */
const IN_BRACKETS = /\[[^\]]*$/;

/** Whether point mode is possible at the caret, so that a press on a cell inserts a reference. */
export function canPoint(text: string, caret: number, pointed: Pointed | undefined): boolean {
  // A dash may be all that is typed: it stands for nothing in many lists.
  if (!/^(=|[+]|-.)/.test(text) || isInsideText(text, caret)) {
    return false;
  }
  const before = text.slice(0, caret);
  return (pointed !== undefined && pointed.end === caret) || (BEFORE_REFERENCE.test(before) && !IN_BRACKETS.test(before));
}

/** Inserts `reference` at the caret, or replaces the one that was inserted last. */
export function insertReference(
  text: string,
  caret: number,
  pointed: Pointed | undefined,
  reference: string,
): { readonly text: string; readonly pointed: Pointed } {
  const start = pointed?.start ?? caret;
  const end = pointed?.end ?? caret;
  return {
    text: text.slice(0, start) + reference + text.slice(end),
    pointed: { start, end: start + reference.length },
  };
}

function isInsideText(text: string, caret: number): boolean {
  let quotes = 0;
  for (let at = 0; at < caret; at += 1) {
    quotes += text[at] === '"' ? 1 : 0;
  }
  return quotes % 2 === 1;
}

/** Naming cells in a formula by pointing at them: where a reference may stand, and putting it there. */

/** Part of the text that pointing put there and that the next pointing replaces. */
export interface Pointed {
  readonly start: number;
  readonly end: number;
}

/** After these a value is due, so a cell pointed at becomes a reference. */
const BEFORE_REFERENCE = /[=(,;:+\-*/^&<>{@]\s*$/;
/** A sign in brackets belongs to a name or to `R[-1]C`. */
const IN_BRACKETS = /\[[^\]]*$/;

/** Whether a press on a cell names it instead of ending the edit. */
export function canPoint(text: string, caret: number, pointed: Pointed | undefined): boolean {
  if (!text.startsWith("=") || isInsideText(text, caret)) {
    return false;
  }
  const before = text.slice(0, caret);
  return (pointed !== undefined && pointed.end === caret) || (BEFORE_REFERENCE.test(before) && !IN_BRACKETS.test(before));
}

export function putReference(
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

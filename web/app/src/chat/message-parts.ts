/** Splits the text of a message into plain text and cell references. */

import type { SheetTab } from "@quadrille/protocol";
import { type CellReference, parseReference } from "../references/index.ts";

/** A part of a message. */
export interface MessagePart {
  readonly text: string;
  /** The reference that the text names; `undefined` for plain text. */
  readonly reference: CellReference | undefined;
}

/**
 * Cell references with a sheet name: `Sheet1!A1:B3`, `'My sheet'!C:C`. References without a sheet
 * are ambiguous.
 */
const REFERENCES = /(?:'(?:[^'\n]|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!\$?(?:[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?|[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\d{1,7}:\$?\d{1,7})(?![\p{L}\p{N}])/gu;

/** The parts of a message, in order; joined, their texts are the message. */
export function messageParts(text: string, sheets: readonly SheetTab[]): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCES)) {
    const reference = parseReference(match[0], sheets);
    if (reference) {
      parts.push({ text: text.slice(end, match.index), reference: undefined }, { text: match[0], reference });
      end = match.index + match[0].length;
    }
  }
  return [...parts, { text: text.slice(end), reference: undefined }].filter((part) => part.text !== "");
}

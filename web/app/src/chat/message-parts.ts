/** What somebody wrote, taken apart into words and cells that can be shown. */

import type { SheetTab } from "@quadrille/protocol";
import { type CellReference, positionOf } from "../references/index.ts";

export interface Piece {
  readonly text: string;
  /** Set when the text names cells of a sheet that is there. */
  readonly reference: CellReference | undefined;
}

/** `Sheet1!A1:B3`, `'My sheet'!C:C`. Without its sheet nobody knows which cells are meant. */
const PLACES = /(?:'(?:[^'\n]|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!\$?(?:[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?|[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\d{1,7}:\$?\d{1,7})(?![\p{L}\p{N}])/gu;

export function piecesOf(text: string, sheets: readonly SheetTab[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let after = 0;
  for (const match of text.matchAll(PLACES)) {
    const reference = positionOf(match[0], sheets);
    if (reference) {
      pieces.push({ text: text.slice(after, match.index), reference: undefined }, { text: match[0], reference });
      after = match.index + match[0].length;
    }
  }
  return [...pieces, { text: text.slice(after), reference: undefined }].filter((piece) => piece.text !== "");
}

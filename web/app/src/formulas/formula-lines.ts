/** Breaks the edited formula into lines, or joins its lines. */

import { formulaOnLines, formulaOnOneLine, type LayoutOptions } from "@quadrille/editor/formula-layout";
import { language } from "../language/index.ts";
import { formulaLanguage, listSeparator, notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Average width of a letter in the formula bar. */
const LETTER_PX = 7.5;
const LETTERS_MIN = 24;
/** Longer lines are hard to read. */
const LETTERS_MAX = 80;

/** Breaks the edited formula into lines that fit into the formula bar, or joins its lines. */
export function toggleLines(model: WorkbookModel): void {
  const text = model.cellEdit.edit()?.text;
  if (!text?.startsWith("=")) {
    return;
  }
  const bar = document.querySelector(".formula-field");
  const width = Math.max(LETTERS_MIN, Math.min(LETTERS_MAX, Math.floor((bar?.clientWidth ?? 0) / LETTER_PX)));
  const names = formulaLanguage();
  const options: LayoutOptions = { width, separator: listSeparator(language()), notation: notation(), ...(names && { englishName: names.englishName }) };
  const changed = text.includes("\n") ? formulaOnOneLine(text, options) : formulaOnLines(text, options);
  if (changed !== undefined && changed !== text) {
    model.cellEdit.replaceWhitespace(changed);
  }
}

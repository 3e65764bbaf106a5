/**
 * Personal settings: locale, function names and reference style. The dialogs are loaded on first
 * use.
 */

export {
  chooseEnglishFunctions,
  formulaInLanguage,
  formulaLanguage,
  functionName,
  hasFunctionNames,
  listSeparator,
  startFormulaLanguage,
  usesEnglish,
} from "./formula-language.ts";
export { type FormulaSettings, localeSettings, localeTag } from "./locale.ts";
export {
  chooseR1c1,
  displayedFormula,
  displayedRanges,
  hostOf,
  notation,
  startReferenceStyle,
  storedFormula,
  storedRange,
} from "./reference-style.ts";

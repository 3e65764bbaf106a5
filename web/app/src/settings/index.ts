/** Personal settings: locale and reference style. The dialogs are loaded on first use. */

export { listSeparator, localeSettings } from "./locale.ts";
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

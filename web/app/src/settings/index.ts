export { listSeparator, localeSettings } from "./locale.ts";
export { chooseR1c1, displayedFormula, displayedRanges, hostOf, notation, startReferenceStyle, storedFormula, storedRange } from "./reference-style.ts";

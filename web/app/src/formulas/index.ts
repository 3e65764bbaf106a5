/** Formula bar, highlighting, help with functions and explanations of errors. */

export { ErrorHelp } from "./ErrorHelp.tsx";
export { FormulaBar } from "./FormulaBar.tsx";
export { FormulaHelp } from "./FormulaHelp.tsx";
export { FormulaHighlight } from "./FormulaHighlight.tsx";
export { formulaTraces } from "./formula-traces.ts";
export { insertFunction } from "./insert-function.ts";
export { toggleLines } from "./formula-lines.ts";

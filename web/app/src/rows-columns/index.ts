/** Rows and columns: commands, automatic sizes, page breaks and the outline. */

export { AutoFit } from "./auto-fit.ts";
export { fitSizes } from "./fit-sizes.ts";
export { Outline } from "./outline.ts";
export { OutlineBar } from "./OutlineBars.tsx";
export { canInsertPageBreak, hasPageBreak, insertPageBreak, removePageBreak } from "./page-breaks.ts";
export { RowsAndColumns } from "./rows-columns.ts";

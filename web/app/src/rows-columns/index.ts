/** Rows and columns: commands, automatic sizes and the outline. */

export { AutoFit } from "./auto-fit.ts";
export { Outline } from "./outline.ts";
export { OutlineBar } from "./OutlineBars.tsx";
export { RowsAndColumns } from "./rows-columns.ts";

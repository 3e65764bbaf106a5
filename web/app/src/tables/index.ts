/** Tables: what other capabilities ask about them. The dialog is loaded when it is opened. */

export { filteredRows, filterOfTable, sheetFilter } from "./table-filter.ts";
export { tableAt } from "./tables.ts";

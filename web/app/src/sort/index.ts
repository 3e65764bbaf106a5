/** Sorting, and names of columns for dialogs. `SortDialog.tsx` is loaded on first use. */

export { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "./column-headers.ts";

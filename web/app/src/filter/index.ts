/**
 * Filters, filter views and commands for visible rows. `FilterMenu.tsx` is loaded with the first
 * filter.
 */

export { fillDown } from "./fill-down.ts";
export { fillToEnd } from "./fill-to-end.ts";
export { filterAt, toggleFilter } from "./filter.ts";
export { FilterViewBar } from "./FilterViewBar.tsx";
export { filterViews, viewName } from "./filter-views.ts";
export { forVisibleRows, intoVisibleRows } from "./visible-rows.ts";

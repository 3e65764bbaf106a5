/**
 * Filters, filter views and commands for visible rows. `FilterMenu.tsx` is loaded with the first
 * filter.
 */

export { fillDown } from "./fill-down.ts";
export { filterAt, toggleFilter } from "./filter.ts";
export { FilterViewBar } from "./FilterViewBar.tsx";
export { FilterViews, viewName } from "./filter-views.ts";
export { forVisibleRows, intoVisibleRows } from "./visible-rows.ts";

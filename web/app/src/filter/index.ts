/**
 * Filters, filter views and commands for visible rows. `FilterMenu.tsx` is loaded with the first
 * filter.
 */

export { filterAt, toggleFilter } from "./filter.ts";
export { FilterViewBar } from "./FilterViewBar.tsx";
export { FilterViews, viewName } from "./filter-views.ts";
export { forVisibleRows, intoVisibleRows } from "./visible-rows.ts";

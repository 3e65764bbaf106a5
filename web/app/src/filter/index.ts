export { FilterViewBar } from "./FilterViewBar.tsx";
export { viewName, Views } from "./filter-views.ts";
export { filterAt, toggleFilter } from "./filter.ts";
export { forVisibleRows, scrollIntoView } from "./visible-rows.ts";

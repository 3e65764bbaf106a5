export { SheetTabs } from "./SheetTabs.tsx";
export { stepSheet } from "./hidden-sheets.ts";

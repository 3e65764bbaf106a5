/** Sheet tabs and switching between sheets. */

export { stepSheet } from "./hidden-sheets.ts";
export { SheetTabs } from "./SheetTabs.tsx";

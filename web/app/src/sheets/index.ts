/** Sheet tabs and switching between sheets. */

export { dragTab } from "./drag-tab.ts";
export { stepSheet } from "./hidden-sheets.ts";
export { SheetDialogs } from "./SheetDialogs.tsx";
export { SheetMenu } from "./SheetMenu.tsx";
export { SheetTabs } from "./SheetTabs.tsx";

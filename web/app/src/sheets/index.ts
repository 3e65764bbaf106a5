/** Sheet tabs and switching between sheets. */

export { checkKeepsCells, checkShowsCells } from "./chart-sheet-commands.ts";
export { focusOwnSheetChart, isChartSheet, ownSheetChart } from "./chart-sheet.ts";
export { dragTab } from "./drag-tab.ts";
export { stepSheet } from "./hidden-sheets.ts";
export { SheetDialogs } from "./SheetDialogs.tsx";
export { SheetMenu } from "./SheetMenu.tsx";
export { SheetTabs } from "./SheetTabs.tsx";

/** Menu bar, toolbar, and the menus of cells. Menu entries are loaded with the overlays. */

export { CellDropdown } from "./CellDropdown.tsx";
export { CellMenu } from "./CellMenu.tsx";
export { MenuBar } from "./MenuBar.tsx";
export { Toolbar } from "./Toolbar.tsx";

export { CellDropdown } from "./CellDropdown.tsx";
export { CellMenu } from "./CellMenu.tsx";
export { MenuBar } from "./MenuBar.tsx";
export { Toolbar } from "./Toolbar.tsx";

/** Editing cells: the editor field, the edit in progress, and checks of entries. */

export { CellEdit, type Edit, type EditSurface, type FontToggle, REFERENCE_COLOURS } from "./cell-edit.ts";
export { CellEditor } from "./CellEditor.tsx";
export { type Entry, type EntryAlert, EntryChecks } from "./enter-value.ts";

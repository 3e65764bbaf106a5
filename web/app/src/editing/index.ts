export { CellEditor } from "./CellEditor.tsx";
export { CellEdit, type Edit, type EditSurface, REFERENCE_COLOURS } from "./cell-edit.ts";
export { type EntryAlert, EntryChecks } from "./enter-value.ts";

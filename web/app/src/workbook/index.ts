/** The page of a workbook, and the registries of its dialogs and panels. */

export { type DialogName, DIALOGS } from "./dialog-registry.ts";
export { type PanelName, PANELS } from "./panel-registry.ts";

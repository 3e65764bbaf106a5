/** The page of a workbook, its dialogs and panels, and the parts that are loaded after it is editable. */

export { DIALOGS_FOR_VIEWERS } from "./dialogs-for-viewers.ts";
export type { DialogName } from "./dialog-registry.ts";
export { ifLoaded, laterParts, openParts, withLaterParts } from "./later-parts.ts";
export type { PanelName } from "./panel-registry.ts";

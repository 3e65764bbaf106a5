/** Copying and pasting. `PasteSpecialDialog.tsx` and `external-tables` are loaded when needed. */

export { Clipboard } from "./clipboard.ts";
export { Copying } from "./copying.ts";
export { loadTables } from "./load-external-tables.ts";
export { pasteContents, pasteFromMenu } from "./pasting.ts";

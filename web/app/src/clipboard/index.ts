/** Copying and pasting. `PasteSpecialDialog.tsx` and `external-tables` are loaded when needed. */

export { Clipboard } from "./clipboard.ts";
export { loadTables } from "./load-external-tables.ts";

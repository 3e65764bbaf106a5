/** Keyboard commands and names of keys. `ShortcutsDialog.tsx` is loaded on first use. */

export { CHART_SHEET_ACTIONS, KeyCommands } from "./key-commands.ts";
export { isApple, keyLabel } from "./key-names.ts";
export { runSheetCommand } from "./sheet-commands.ts";

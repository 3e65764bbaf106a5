/**
 * Reading and writing tables of other programs: a chunk of its own, see `load-external-tables.ts`.
 */

export { tableHtml } from "../copy/html-table.ts";
export { pasteCommands } from "../paste/paste-commands.ts";
export { isAddress, readTable } from "../paste/html-table.ts";

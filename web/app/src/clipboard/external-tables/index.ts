/** Tables of other programs, as they are copied to and pasted from; in one file of the built page (see load-external-tables.ts). */

export { tableHtml } from "../copy/html-table.ts";
export { pasteCommands } from "../paste/paste-commands.ts";
export { isAddress, readTable } from "../paste/html-table.ts";

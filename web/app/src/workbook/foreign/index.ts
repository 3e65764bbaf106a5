/** Tables of other programs, as they are copied to and pasted from; in one file of the built page (see loading.ts). */

export { tableHtml } from "../copy/table.ts";
export { pasteCommands } from "../paste/commands.ts";
export { isAddress, readTable } from "../paste/table.ts";

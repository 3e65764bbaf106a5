export { Clipboard } from "./clipboard.ts";
export { loadTables } from "./load-external-tables.ts";

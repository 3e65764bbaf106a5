/** Tables: what other capabilities ask about them. The dialog is loaded when it is opened. */

export { tableAt } from "./tables.ts";

/** The model of an open workbook, which the other folders use. */

export { showSourceRows } from "./source-rows.ts";
export { createPoll } from "./poll.ts";
export { newItemId } from "./sheet-items.ts";
export { WorkbookModel } from "./workbook-model.ts";

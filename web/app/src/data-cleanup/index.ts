/**
 * Removing duplicates, splitting texts, trimming whitespace, filling by example, clean-up suggestions, goal
 * seek. The dialogs and the panel are loaded on first use.
 */

import type { WorkbookModel } from "../state/index.ts";

export { trimWhitespace } from "./trim-whitespace.ts";

/** Fills the active column by its examples. Loaded on first use. */
export async function fillByExample(model: WorkbookModel): Promise<void> {
  const { fillByExample: fill } = await import("./fill-by-example.ts");
  await fill(model);
}

/**
 * The dialogs that open for people without edit permission. They are not named in the registry, which is
 * loaded later than the code that opens dialogs.
 */

import type { DialogName } from "./dialog-registry.ts";

/** The names of these dialogs. */
export const DIALOGS_FOR_VIEWERS: ReadonlySet<DialogName> = new Set<DialogName>([
  "copyWorkbook",
  "download",
  "evaluateFormula",
  "language",
  "namedFunctions",
  "names",
  "print",
  "protection",
  "publish",
  "scenarios",
  "share",
  "shortcuts",
]);

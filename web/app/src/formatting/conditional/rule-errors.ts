/** Validation of the form for a rule. */

import { parseRange } from "@quadrille/grid";
import { t } from "../../language/index.ts";
import { storedRange } from "../../settings/index.ts";
import { anchorsOf, type Draft } from "./rule-draft.ts";
import { KINDS } from "./rule-kinds.ts";

/** Error messages by field. */
export type DraftErrors = Partial<Record<"cells" | "first" | "second", string>>;

/** The error messages of a draft; empty when it is valid. */
export function draftErrors(draft: Draft): DraftErrors {
  const operands = KINDS[draft.kind]?.operands;
  const names = anchorsOf(draft);
  const invalid = names.find((name) => parseRange(storedRange(name)) === undefined);
  const errors: DraftErrors = {};
  if (names.length === 0) {
    errors.cells = t("Enter a value.");
  } else if (invalid !== undefined) {
    errors.cells = t("Not a valid cell reference: {text}", { text: invalid });
  }
  if ((operands === "formula" || operands === "formulas" || operands === "text") && draft.first.trim() === "") {
    errors.first = t("Enter a value.");
  }
  if (operands === "formulas" && draft.second.trim() === "") {
    errors.second = t("Enter a value.");
  }
  return errors;
}

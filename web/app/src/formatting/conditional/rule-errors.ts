/** What is missing from a rule that is being made, or cannot be what it says. */

import { parseRange } from "@quadrille/grid";
import { t } from "../../language/index.ts";
import { storedRange } from "../../settings/index.ts";
import { anchorsOf, type Draft } from "./rule-draft.ts";
import { KINDS } from "./rule-kinds.ts";

export type DraftErrors = Partial<Record<"cells" | "first" | "second", string>>;

export function draftErrors(draft: Draft): DraftErrors {
  const asks = KINDS[draft.kind]?.asks;
  const names = anchorsOf(draft);
  const wrong = names.find((name) => parseRange(storedRange(name)) === undefined);
  const problems: DraftErrors = {};
  if (names.length === 0) {
    problems.cells = t("Enter a value.");
  } else if (wrong !== undefined) {
    problems.cells = t("Not a valid cell reference: {text}", { text: wrong });
  }
  if ((asks === "formula" || asks === "formulas" || asks === "text") && draft.first.trim() === "") {
    problems.first = t("Enter a value.");
  }
  if (asks === "formulas" && draft.second.trim() === "") {
    problems.second = t("Enter a value.");
  }
  return problems;
}

/**
 * Converts the ranges and formulas of a rule between the notation of the user and the stored one.
 */

import { displayedFormula, displayedRanges, hostOf, storedFormula, storedRange } from "../../settings/index.ts";
import { anchorsOf, type Draft, type Stop } from "./rule-draft.ts";
import { KINDS } from "./rule-kinds.ts";

/** The draft in the notation of the user. */
export function displayedDraft(draft: Draft): Draft {
  const host = hostOf(anchorsOf(draft));
  return { ...withFormulas(draft, (formula) => displayedFormula(formula, host)), cells: displayedRanges(anchorsOf(draft)) };
}

/** The draft in stored notation. */
export function storedDraft(draft: Draft): Draft {
  const anchors = anchorsOf(draft).map((text) => storedRange(text));
  const host = hostOf(anchors);
  return { ...withFormulas(draft, (formula) => storedFormula(formula, host)), cells: anchors.join(" ") };
}

function withFormulas(draft: Draft, change: (formula: string) => string): Draft {
  const operands = KINDS[draft.kind]?.operands;
  const changeStop = (stop: Stop): Stop => (stop.at === "formula" ? { ...stop, value: change(stop.value) } : stop);
  const isFormula = operands === "formula" || operands === "formulas";
  return {
    ...draft,
    ...(isFormula && { first: change(draft.first), second: change(draft.second) }),
    scale: draft.scale.map(changeStop),
    limits: draft.limits.map(changeStop),
  };
}

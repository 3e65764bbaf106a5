/** A rule's cells and formulas as its author writes them, and as they are stored. */

import { displayedFormula, displayedRanges, hostOf, storedFormula, storedRange } from "../../settings/index.ts";
import { anchorsOf, type Draft, type Stop } from "./rule-draft.ts";
import { KINDS } from "./rule-kinds.ts";

export function displayedDraft(draft: Draft): Draft {
  const host = hostOf(anchorsOf(draft));
  return { ...withFormulas(draft, (formula) => displayedFormula(formula, host)), cells: displayedRanges(anchorsOf(draft)) };
}

export function storedDraft(draft: Draft): Draft {
  const anchors = anchorsOf(draft).map((text) => storedRange(text));
  const host = hostOf(anchors);
  return { ...withFormulas(draft, (formula) => storedFormula(formula, host)), cells: anchors.join(" ") };
}

function withFormulas(draft: Draft, change: (formula: string) => string): Draft {
  const asks = KINDS[draft.kind]?.asks;
  const own = (stop: Stop): Stop => (stop.at === "formula" ? { ...stop, value: change(stop.value) } : stop);
  const isFormula = asks === "formula" || asks === "formulas";
  return {
    ...draft,
    ...(isFormula && { first: change(draft.first), second: change(draft.second) }),
    scale: draft.scale.map(own),
    limits: draft.limits.map(own),
  };
}

/** Lists of data validation: their cells, and their values. */

import { type Cell, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { loadKnownPeople } from "../comments/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { parseReference } from "../references/index.ts";
import { isPeople, validationAt } from "./rules-of-cells.ts";

/** Ranges of a rule whose people are offered, and people that are offered, at most. */
const RANGES_READ_MAX = 10;
const PEOPLE_MAX = 1_000;

/** Whether a cell has a dropdown list. */
export function hasList(model: WorkbookModel, cell: Cell): boolean {
  const rule = validationAt(model, cell);
  return rule !== undefined && (isPeople(rule) || (rule.fields["rule"] === "list" && rule.fields["showDropdown"] !== false));
}

/** Whether the numbers of a rule are drawn as stars. */
export function isRating({ fields }: ItemDetails): boolean {
  return fields["rule"] === "whole" && fields["displayStyle"] === "rating";
}

/** The rules of a column of the displayed sheet. */
export function rulesOfColumn(model: WorkbookModel, column: number): readonly ItemDetails[] {
  return model.items.ofKind("validation").filter(({ anchors }) => {
    const ranges = anchors.flatMap((anchor) => parseRange(anchor) ?? []);
    return ranges.some(({ left, right }) => left <= column && column <= right);
  });
}

/** Whether a cell may hold several values of the list. */
export function allowsMultiple({ fields }: ItemDetails): boolean {
  return (fields["rule"] === "list" || fields["displayStyle"] === "people") && fields["allowMultiple"] === true;
}

/** The colours of the values of a list, in the notation of CSS. */
export function colorsOf({ fields }: ItemDetails): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  const list = fields["choiceColors"];
  for (const entry of Array.isArray(list) ? list : []) {
    if (entry !== null && typeof entry === "object" && !Array.isArray(entry)) {
      const { value, color } = entry;
      if (typeof value === "string" && typeof color === "string") {
        colors.set(value, color);
      }
    }
  }
  return colors;
}

/** The values of `text` where several may be selected, such as `A, B`. */
export function selectedChoices(text: string, choices: readonly string[]): readonly string[] {
  if (choices.includes(text)) {
    return [text];
  }
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** `text` with one more of the values, or without it if it has it; known values are in their order. */
export function joinedChoices(text: string, choice: string, choices: readonly string[]): string {
  const selected = selectedChoices(text, choices);
  const wanted = selected.includes(choice) ? selected.filter((other) => other !== choice) : [...selected, choice];
  const known = choices.filter((other) => wanted.includes(other));
  return [...known, ...wanted.filter((other) => !choices.includes(other))].join(", ");
}

/** The people of a rule: those that are known, and those in its cells. */
async function peopleOf(model: WorkbookModel, item: Pick<ItemDetails, "fields" | "anchors">): Promise<readonly string[]> {
  const sheet = model.sheetId();
  const ranges = item.anchors.flatMap((anchor) => parseRange(anchor) ?? []).slice(0, RANGES_READ_MAX);
  const [known, ...columns] = await Promise.all([
    loadKnownPeople().then(({ knownPeople }) => knownPeople(model)),
    ...ranges.map((range) => model.session.query({ type: "columnValues", sheet, range, column: range.left })),
  ]);
  const entered = columns.flat().flatMap(({ text }) => (item.fields["allowMultiple"] === true ? selectedChoices(text, known) : [text]));
  return [...new Set([...known, ...entered])].filter((name) => name !== "").slice(0, PEOPLE_MAX);
}

/** The values of a list rule: its own, or those of the cells that it refers to, in their order. */
export async function choicesOf(model: WorkbookModel, item: Pick<ItemDetails, "fields" | "anchors">): Promise<readonly string[]> {
  if (isPeople(item)) {
    return peopleOf(model, item);
  }
  const { choices, formula1 } = item.fields;
  if (Array.isArray(choices)) {
    return choices.filter((choice) => typeof choice === "string");
  }
  const reference = typeof formula1 === "string" ? parseReference(formula1, model.sheets()) : undefined;
  if (!reference) {
    return [];
  }
  const { range, sheet = model.sheetId() } = reference;
  const values = await model.session.query({ type: "columnValues", sheet, range, column: range.left });
  return values
    .filter(({ text }) => text !== "")
    .sort((a, b) => (a.rows[0]?.[0] ?? 0) - (b.rows[0]?.[0] ?? 0))
    .map(({ text }) => text);
}

/** Addresses of pages that name cells: `/plan#sheet=Costs&range=B7`, as messages of the server have them. */

import { parseRange } from "@quadrille/grid";
import type { SheetTab } from "@quadrille/protocol";
import type { CellReference } from "../references/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The cells that a fragment names; `undefined` if it names none, or a sheet that does not exist. */
export function linkedRange(fragment: string, sheets: readonly SheetTab[]): CellReference | undefined {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const range = parseRange(parameters.get("range") ?? "");
  const name = parameters.get("sheet");
  const sheet = name === null ? undefined : sheets.find((tab) => tab.name.toLowerCase() === name.toLowerCase())?.id;
  return range && (name === null || sheet !== undefined) ? { sheet, range } : undefined;
}

/** Goes to the cells that the address of the page names. */
export function openLinkedRange(model: WorkbookModel): void {
  const reference = linkedRange(location.hash, model.sheets());
  if (reference) {
    model.goToReference(reference);
  }
}

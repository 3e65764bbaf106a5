/** How people are drawn whose names are in cells. */

import type { Face } from "@quadrille/grid";
import type { WorkbookModel } from "../state/index.ts";
import { COLORS } from "./identity.ts";
import { initials } from "./initials.ts";

/** The colour that a person here has chosen; others get one by their names, the same for everybody. */
export function faceOf(model: WorkbookModel, name: string): Face {
  const person = [...model.people(), model.identity()].find((known) => known.name === name);
  return { color: person?.color ?? colorOfName(name), initials: initials(name) };
}

/** One of the colours of people, by a name. */
export function colorOfName(name: string): number {
  const sum = [...name].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 0);
  return COLORS[sum % COLORS.length] ?? 0;
}

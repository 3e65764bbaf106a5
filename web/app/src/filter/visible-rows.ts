/** Where a filter hides rows, what people do is done to what they see. Which rows these are the engine knows. */

import type { Command } from "@quadrille/protocol";

/** In the rows of a sheet that the command names and that are seen. */
export function forVisibleRows(sheet: number, command: Command): Command {
  return { type: "inSight", sheet, command };
}

/** From this row on into as many rows that are seen as the command names. */
export function scrollIntoView(sheet: number, from: number, command: Command): Command {
  return { type: "inSight", sheet, from, command };
}

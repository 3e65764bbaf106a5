/** Commands that apply to visible rows only. The engine knows which rows a filter hides. */

import type { Command } from "@quadrille/protocol";

/** Applies a command to those of its rows that are visible. */
export function forVisibleRows(sheet: number, command: Command): Command {
  return { type: "inSight", sheet, command };
}

/**
 * Applies a command to visible rows from `from` on, as many as the command has rows; with `rows`, to
 * these ones in their order and then to those below the last of them.
 */
export function intoVisibleRows(sheet: number, from: number, command: Command, rows?: readonly number[]): Command {
  return { type: "inSight", sheet, from, ...(rows && { rows: [...rows] }), command };
}

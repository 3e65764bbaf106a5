/** Writes cells as plain text. */

import type { ReadCell } from "@quadrille/protocol";

/**
 * The displayed texts separated by tabs; fields with a tab, a line break or a leading quote are
 * quoted.
 */
export function tableText(rows: readonly (readonly ReadCell[])[]): string {
  const field = ({ text }: ReadCell): string =>
    /[\t\n\r]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
  return rows.map((cells) => cells.map(field).join("\t")).join("\n");
}

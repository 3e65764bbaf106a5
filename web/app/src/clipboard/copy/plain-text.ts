/** Writes cells as plain text. */

import type { CellTable, ReadCell } from "@quadrille/protocol";

/**
 * The displayed texts separated by tabs; fields with a tab, a line break or a leading quote are
 * quoted.
 */
export function tableText(table: CellTable): string {
  const field = ({ text }: ReadCell): string =>
    /[\t\n\r]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
  return table.rows.map(({ cells }) => cells.map(field).join("\t")).join("\n");
}

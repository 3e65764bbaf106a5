/** Cells as the text that any other program takes. */

import type { CellTable, ReadCell } from "@quadrille/protocol";

/** Tab-separated, quoted where a tab, a line break or a quote inside would be misread. */
export function tableText(table: CellTable): string {
  const field = ({ text }: ReadCell): string =>
    /[\t\n\r]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
  return table.rows.map(({ cells }) => cells.map(field).join("\t")).join("\n");
}

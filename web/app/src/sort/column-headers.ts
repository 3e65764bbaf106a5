/** Names of columns for dialogs. */

import { type Range } from "@quadrille/grid";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

/** Maximum number of columns that dialogs list. */
export const COLUMNS_NAMED_MAX = 200;

/**
 * The texts of the first row of a range; they are queried, as the row need not be visible. Formulas
 * give an empty text.
 */
export async function headersOf(model: WorkbookModel, range: Range): Promise<readonly string[]> {
  const sheet = model.sheetId();
  const count = Math.min(range.right - range.left + 1, COLUMNS_NAMED_MAX);
  const cells = Array.from({ length: count }, (_, index) => ({ row: range.top, column: range.left + index }));
  const details = await Promise.all(cells.map((cell) => model.session.query({ type: "cell", sheet, cell })));
  return details.map(({ editText }) => (editText.startsWith("=") ? "" : editText));
}

/** The header and the letter of a column. */
export function columnLabel(header: string | undefined, column: number): string {
  return header ? `${header} (${notation().column(column)})` : t("Column {name}", { name: notation().column(column) });
}

/** The command "Trim whitespace". */

import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Trims the texts of the selected cells and reports how many changed. */
export async function trimWhitespace(model: WorkbookModel): Promise<void> {
  model.cellEdit.commit();
  if (!model.checkCanEdit()) {
    return;
  }
  const count = await model.session.query({ type: "untrimmed", sheet: model.sheetId(), ranges: [...model.selection().ranges] });
  if (count === 0) {
    model.toast(t("No whitespace to trim in the selected cells."), false, { icon: "info" });
    return;
  }
  model.eachRange((range, sheet) => ({ type: "trimWhitespace", sheet, range }));
  model.toast(t("{count} cells trimmed.", { count }), false);
}

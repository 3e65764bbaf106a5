/** Taking spaces away from the selected texts that nobody means, and saying of how many. */

import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

export async function trimWhitespace(model: WorkbookModel): Promise<void> {
  model.cellEdit.commit();
  if (!model.canChange()) {
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

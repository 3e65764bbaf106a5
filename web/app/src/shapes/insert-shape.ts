/** Inserts text boxes and shapes at the active cell. */

import { cellName } from "@quadrille/grid";
import { t } from "../language/index.ts";
import { checkShowsCells } from "../sheets/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { catchTyping, takeTyping } from "./early-typing.ts";
import { editShape, focusShape } from "./editing.ts";
import { type ShapePreset, TEXT_BOX } from "./presets.ts";
import { drawShape, ShapeRejected } from "./shape-api.ts";
import "../style/shapes.css";

/** Inserts an empty text box and edits its text. */
export function insertTextBox(model: WorkbookModel): Promise<void> {
  return insert(model, { ...TEXT_BOX, attributes: {} }, true);
}

/** Inserts a shape, which is selected then. */
export function insertShape(model: WorkbookModel, preset: ShapePreset): Promise<void> {
  return insert(model, preset, false);
}

async function insert(model: WorkbookModel, { width, height, attributes }: Omit<ShapePreset, "name" | "icon">, editsText: boolean): Promise<void> {
  if (!checkShowsCells(model)) {
    return;
  }
  const [sheet, { active }] = [model.sheetId(), model.selection()];
  if (editsText) {
    catchTyping();
  }
  try {
    const drawn = await drawShape(model.room, { width, height, ...attributes });
    const item = newItemId();
    model.command({
      type: "setItem",
      sheet,
      item,
      kind: "image",
      anchors: [cellName(active)],
      fields: { source: drawn.image, shape: true, width: drawn.width, height: drawn.height },
    });
    model.selectItem(item);
    if (editsText) {
      editShape(item);
    } else {
      focusShape(item);
    }
  } catch (error) {
    if (editsText) {
      takeTyping();
      model.focusCells();
    }
    model.toast(error instanceof ShapeRejected ? error.message : t("The shape could not be changed. Try again."), true);
    if (!(error instanceof ShapeRejected)) {
      console.warn("quadrille: a shape could not be inserted:", error);
    }
  }
}

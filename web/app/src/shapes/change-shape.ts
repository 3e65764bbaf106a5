/** Changes shapes, and crops and rotates images. The server draws the image anew, and the item then names it. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { anchorFor, positionOf } from "../drawings/index.ts";
import { DEFAULT_IMAGE_SIZE, storedImage } from "../images/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { drawShape, type ShapeAttributes, ShapeRejected } from "./shape-api.ts";

/** Changes of each item that are not finished: every change starts from the result of the previous one. */
const pending = new Map<number, Promise<boolean>>();

/** Changes a shape or an image. Returns whether it was changed; a failure is shown as a toast. */
export function changeShape(model: WorkbookModel, item: ItemDetails, attributes: ShapeAttributes): Promise<boolean> {
  const sheet = model.sheetId();
  const next = (pending.get(item.id) ?? Promise.resolve(true)).then(() => change(model, sheet, item, attributes));
  pending.set(item.id, next);
  void next.finally(() => {
    if (pending.get(item.id) === next) {
      pending.delete(item.id);
    }
  });
  return next;
}

async function change(model: WorkbookModel, sheet: number, shown: ItemDetails, attributes: ShapeAttributes): Promise<boolean> {
  const items = await model.items.settled();
  const isShown = model.sheetId() === sheet;
  const item = isShown ? items.find(({ id }) => id === shown.id) : shown;
  const image = item && storedImage(item);
  if (!item || image === undefined) {
    return false;
  }
  const number = (field: string): number | undefined => {
    const value = item.fields[field];
    return typeof value === "number" ? value : undefined;
  };
  const altText = item.fields["altText"];
  try {
    const drawn = await drawShape(model.room, {
      ...attributes,
      image,
      width: number("width") ?? DEFAULT_IMAGE_SIZE.width,
      height: number("height") ?? DEFAULT_IMAGE_SIZE.height,
      ...(typeof altText === "string" && { altText }),
    });
    const size = { width: drawn.width, height: drawn.height };
    const fields: Record<string, ItemValue> = { source: drawn.image, shape: drawn.shape || null, altText: drawn.altText, ...size };
    const at = isShown && model.sheetId() === sheet ? positionOf(model, item, DEFAULT_IMAGE_SIZE) : undefined;
    const zoom = model.zoom();
    const moved =
      at && (drawn.moveX !== 0 || drawn.moveY !== 0)
        ? anchorFor(model, { x: at.x + drawn.moveX * zoom, y: at.y + drawn.moveY * zoom, width: size.width * zoom, height: size.height * zoom })
        : undefined;
    model.command({ type: "setItem", sheet, item: item.id, ...(moved && { anchors: moved.anchors }), fields: { ...moved?.fields, ...fields } });
    return true;
  } catch (error) {
    model.toast(error instanceof ShapeRejected ? error.message : t("The shape could not be changed. Try again."), true);
    if (!(error instanceof ShapeRejected)) {
      console.warn("quadrille: a shape could not be changed:", error);
    }
    return false;
  }
}

/** The attributes of the image that an item shows. */

import type { ItemDetails } from "@quadrille/protocol";
import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { storedImage } from "../images/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { readShape, type ShapeDescription } from "./shape-api.ts";

/**
 * The description of the image of an item: `undefined` while it is being loaded, `null` when it cannot be. A
 * changed image keeps the previous one until its own arrives.
 */
export function createShapeDescription(model: WorkbookModel, item: Accessor<ItemDetails>): Accessor<ShapeDescription | null | undefined> {
  const [description, setDescription] = createSignal<ShapeDescription | null>();
  let shownItem: number | undefined;
  createEffect(() => {
    const { id } = item();
    const image = storedImage(item());
    // Another attempt when the server can be reached again.
    const isOpen = model.connection().state === "open";
    let isCurrent = true;
    onCleanup(() => {
      isCurrent = false;
    });
    if (shownItem !== id) {
      shownItem = id;
      setDescription(undefined);
    }
    if (image === undefined) {
      setDescription(null);
      return;
    }
    void readShape(model.room, image).then((read) => {
      if (isCurrent && (read !== undefined || !isOpen || description() === undefined)) {
        setDescription(read ?? null);
      }
    });
  });
  return description;
}

/** The menu entry that deletes a drawing. */

import type { ItemDetails } from "@quadrille/protocol";
import { MenuItem } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Deletes the drawing whose frame has opened the menu. */
export function DeleteEntry(props: { readonly model: WorkbookModel; readonly item: ItemDetails; readonly label: string }) {
  const { model } = props;
  return (
    <MenuItem
      icon="trash"
      isDangerous
      onSelect={() => {
        model.items.remove(props.item.id);
        model.selectItem(undefined);
        // The frame, which has opened the menu, goes.
        model.focusCells();
      }}
    >
      {props.label}
    </MenuItem>
  );
}

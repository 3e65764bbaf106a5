/** What a right click or a long press offers. */

import { columnCount, rowCount } from "@quadrille/grid";
import { Show } from "solid-js";
import { showKey } from "@quadrille/editor";
import { MenuItem, MenuLine, PointMenu } from "../parts/Menu.tsx";
import { isApple } from "./machine.ts";
import type { WorkbookModel } from "./model.ts";

export function CellMenu(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const rows = () => rowCount(model.range);
  const columns = () => columnCount(model.range);
  const many = (count: number, word: string) => (count === 1 ? word : `${count.toLocaleString("en")} ${word}s`);
  const key = (name: string) => showKey(name, isApple);
  return (
    <PointMenu
      label="Cells"
      at={model.menu()}
      onClose={() => model.closeMenu()}
      onClosed={() => {
        if (model.dialog() === undefined) {
          model.focusCells();
        }
      }}
    >
      <MenuItem icon="cut" keys={key("mod+x")} onSelect={() => void model.clipboard.copySelection(true)}>
        Cut
      </MenuItem>
      <MenuItem icon="copy" keys={key("mod+c")} onSelect={() => void model.clipboard.copySelection(false)}>
        Copy
      </MenuItem>
      <MenuItem icon="paste" keys={key("mod+v")} onSelect={() => void model.clipboard.pasteFromMenu(false)}>
        Paste
      </MenuItem>
      <MenuItem keys={key("mod+shift+v")} onSelect={() => void model.clipboard.pasteFromMenu(true)}>
        Paste values
      </MenuItem>
      <MenuLine />
      <Show when={model.menu()?.lines !== "columns"}>
        <MenuItem icon="rowAbove" onSelect={() => model.insertLines("rows", "before")}>
          Insert {many(rows(), "row")} above
        </MenuItem>
        <MenuItem icon="rowBelow" onSelect={() => model.insertLines("rows", "after")}>
          Insert {many(rows(), "row")} below
        </MenuItem>
      </Show>
      <Show when={model.menu()?.lines !== "rows"}>
        <MenuItem icon="columnBefore" onSelect={() => model.insertLines("columns", "before")}>
          Insert {many(columns(), "column")} to the left
        </MenuItem>
        <MenuItem icon="columnAfter" onSelect={() => model.insertLines("columns", "after")}>
          Insert {many(columns(), "column")} to the right
        </MenuItem>
      </Show>
      <MenuLine />
      <Show when={model.menu()?.lines !== "columns"}>
        <MenuItem icon="trash" onSelect={() => model.deleteLines("rows")}>
          Delete {many(rows(), "row")}
        </MenuItem>
      </Show>
      <Show when={model.menu()?.lines !== "rows"}>
        <MenuItem icon="trash" onSelect={() => model.deleteLines("columns")}>
          Delete {many(columns(), "column")}
        </MenuItem>
      </Show>
      <MenuLine />
      <MenuItem icon="sort" onSelect={() => model.openDialog("sort")}>
        Sort…
      </MenuItem>
      <MenuItem icon="eraser" keys={key("Delete")} onSelect={() => model.clear("contents")}>
        Clear contents
      </MenuItem>
      <MenuItem onSelect={() => model.clear("formats")}>Clear formats</MenuItem>
    </PointMenu>
  );
}

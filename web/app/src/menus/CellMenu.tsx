/** The context menu of cells. */

import { PointMenu } from "../components/index.ts";
import { menuEntries } from "./load-menus.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

/** Opens the context menu on a right click or long press. */
export function CellMenu(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <PointMenu
      label={t("Cells")}
      at={model.menu()}
      onClose={() => model.closeMenu()}
      onClosed={() => {
        if (model.dialog() === undefined && model.panel() === undefined) {
          model.focusCells();
        }
      }}
    >
      {menuEntries().CellEntries({ model })}
    </PointMenu>
  );
}

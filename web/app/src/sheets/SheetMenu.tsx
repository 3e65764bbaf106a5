/** The context menu of a sheet tab. */

import type { SheetTab } from "@quadrille/protocol";
import { isRightToLeft, t } from "../language/index.ts";
import { MenuItem, MenuSeparator } from "../components/index.ts";
import { hideSheet } from "./hidden-sheets.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The entries of the menu. */
export function SheetMenu(props: {
  readonly model: WorkbookModel;
  readonly sheet: SheetTab;
  /** The displayed tabs. */
  readonly tabs: readonly SheetTab[];
  /** Moves the sheet before the tab at an index, which may be after the last. */
  readonly onMove: (before: number) => void;
  readonly onRename: () => void;
  readonly onColor: () => void;
  readonly onDelete: () => void;
}) {
  const { model, sheet } = props;
  const index = (): number => props.tabs.findIndex((other) => other.id === sheet.id);
  /** The neighbors by direction, which depends on the writing direction. */
  const sides = () => {
    const earlier = { isEnd: index() === 0, before: index() - 1 };
    const later = { isEnd: index() === props.tabs.length - 1, before: index() + 2 };
    return isRightToLeft() ? { left: later, right: earlier } : { left: earlier, right: later };
  };
  const visibleSheets = (): readonly SheetTab[] => props.tabs.filter(({ isHidden }) => !isHidden);
  return (
    <>
      <MenuItem icon="edit" onSelect={() => props.onRename()}>
        {t("Rename")}
      </MenuItem>
      <MenuItem icon="copy" onSelect={() => model.runAndOpenSheet({ type: "duplicateSheet", sheet: sheet.id })}>
        {t("Duplicate")}
      </MenuItem>
      <MenuItem icon="fillColor" onSelect={() => props.onColor()}>
        {t("Tab colour…")}
      </MenuItem>
      <MenuItem isDisabled={sheet.isHidden || visibleSheets().length < 2} onSelect={() => hideSheet(model, sheet.id)}>
        {t("Hide this sheet")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isDisabled={sides().left.isEnd} onSelect={() => props.onMove(sides().left.before)}>
        {t("Move to the left")}
      </MenuItem>
      <MenuItem isDisabled={sides().right.isEnd} onSelect={() => props.onMove(sides().right.before)}>
        {t("Move to the right")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="trash" isDangerous isDisabled={visibleSheets().every(({ id }) => id === sheet.id)} onSelect={() => props.onDelete()}>
        {t("Delete…")}
      </MenuItem>
    </>
  );
}

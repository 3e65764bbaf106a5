/** The menu bar. */

import { For, type JSX } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Menu } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { menuEntries } from "./load-menus.ts";

interface MenuBarProps {
  readonly model: WorkbookModel;
  readonly onImport: () => void;
}

const MENUS: readonly (readonly [name: Message, entries: (bar: MenuBarProps) => JSX.Element])[] = [
  ["File", (bar) => menuEntries().FileEntries(bar)],
  ["Edit", (bar) => menuEntries().EditEntries(bar)],
  ["View", (bar) => menuEntries().ViewEntries(bar)],
  ["Insert", (bar) => menuEntries().InsertEntries(bar)],
  ["Format", (bar) => menuEntries().FormatEntries(bar)],
  ["Data", (bar) => menuEntries().DataEntries(bar)],
];

/** The menu bar; entries are loaded with the overlays. */
export function MenuBar(props: MenuBarProps) {
  const { model } = props;
  const focusCellsAfterClose = (): void => {
    if (model.dialog() === undefined && model.panel() === undefined && model.findModel.isOpen() === "closed") {
      model.focusCells();
    }
  };
  return (
    <nav class="menu-bar" aria-label={t("Menus")}>
      <For each={MENUS}>
        {([name, entries]) => (
          <Menu isForViewers label={t(name)} buttonClass="menu-name" button={t(name)} onClosed={focusCellsAfterClose}>
            {entries(props)}
          </Menu>
        )}
      </For>
    </nav>
  );
}

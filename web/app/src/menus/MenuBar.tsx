/** The menus over the toolbar, by name. */

import { For, type JSX } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Menu } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { menuEntries } from "./load-menus.ts";

interface Bar {
  readonly model: WorkbookModel;
  readonly onImport: () => void;
}

const MENUS: readonly (readonly [name: Message, entries: (bar: Bar) => JSX.Element])[] = [
  ["File", (bar) => menuEntries().FileEntries(bar)],
  ["Edit", (bar) => menuEntries().EditEntries(bar)],
  ["View", (bar) => menuEntries().ViewEntries(bar)],
  ["Insert", (bar) => menuEntries().InsertEntries(bar)],
  ["Format", (bar) => menuEntries().FormatEntries(bar)],
  ["Data", (bar) => menuEntries().DataEntries(bar)],
];

export function MenuBar(props: Bar) {
  const { model } = props;
  const focusAfter = (): void => {
    if (model.dialog() === undefined && model.panel() === undefined && model.findModel.isOpen() === "closed") {
      model.focusCells();
    }
  };
  return (
    <nav class="menu-bar" aria-label={t("Menus")}>
      <For each={MENUS}>
        {([name, entries]) => (
          <Menu isForViewers label={t(name)} buttonClass="menu-name" button={t(name)} onClosed={focusAfter}>
            {entries(props)}
          </Menu>
        )}
      </For>
    </nav>
  );
}

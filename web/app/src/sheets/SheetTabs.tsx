/**
 * The sheet tabs: opening, adding, renaming, coloring, hiding, moving, duplicating and deleting
 * sheets.
 */

import { createSignal, Show, untrack } from "solid-js";
import type { SheetTab } from "@quadrille/protocol";
import { Icon, KeyedFor, Menu, MenuCheck, PointMenu, ToolButton } from "../components/index.ts";
import { Swatch } from "../formatting/index.ts";
import { openAndUnhide } from "./hidden-sheets.ts";
import type { WorkbookModel } from "../state/index.ts";
import { laterParts, openParts } from "../workbook/index.ts";
import { t } from "../language/index.ts";

/** The sheet tabs. */
export function SheetTabs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [renaming, setRenaming] = createSignal<number>();
  const [menu, setMenu] = createSignal<{ readonly tab: DOMRect; readonly sheet: SheetTab }>();
  const [deleting, setDeleting] = createSignal<SheetTab>();
  const [coloring, setColoring] = createSignal<SheetTab>();
  /** The tab that is being dragged, and the index of the tab before which it would be dropped. */
  const [drag, setDrag] = createSignal<{ readonly sheet: number; readonly before: number }>();
  let list!: HTMLDivElement;
  /** The displayed tabs; a hidden sheet has a tab while it is open. */
  const tabs = (): readonly SheetTab[] => model.sheets().filter(({ id, isHidden }) => !isHidden || id === model.sheet());

  function openMenu(sheet: SheetTab, tab: HTMLElement): void {
    setMenu({ tab: tab.getBoundingClientRect(), sheet });
  }

  /**
   * Moves a sheet. `before` is an index of the displayed tabs, the command takes one of all other
   * sheets.
   */
  function moveTo(sheet: SheetTab, before: number): void {
    const all = model.sheets();
    const next = tabs()[before];
    const target = next ? all.findIndex(({ id }) => id === next.id) : all.length;
    const from = all.findIndex((other) => other.id === sheet.id);
    const position = target > from ? target - 1 : target;
    if (position !== from) {
      model.command({ type: "moveSheet", sheet: sheet.id, position });
    }
  }

  /**
   * Roles of tab list and tabs. While a tab is renamed they are plain buttons, as a tab list may
   * contain only tabs.
   */
  const tabRole = <Role extends "tab" | "tablist">(role: Role): Role | undefined => (renaming() === undefined ? role : undefined);

  function closeDialogs(): void {
    setColoring(undefined);
    setDeleting(undefined);
  }

  function rename(sheet: SheetTab, name: string): void {
    setRenaming(undefined);
    const clean = name.trim();
    if (clean !== "" && clean !== sheet.name) {
      model.command({ type: "renameSheet", sheet: sheet.id, name: clean });
    }
    model.focusCells();
  }

  return (
    <div class="sheet-tabs">
      <ToolButton isSmall icon="plus" label={t("Add sheet")} onPress={() => model.addSheet()} />
      <Show when={model.sheets().length > 1}>
        <Menu isForViewers label={t("All sheets")} buttonClass="tool is-small" button={<Icon name="list" />} onClosed={() => model.focusCells()}>
          <KeyedFor each={model.sheets()} by={({ id }) => id}>
            {(sheet) => (
              <MenuCheck isForViewers isChecked={sheet().id === model.sheet()} onSelect={() => openAndUnhide(model, sheet())}>
                <span class="sheet-listed" classList={{ "is-hidden": sheet().isHidden }} dir="auto">
                  {sheet().isHidden ? t("{name} (hidden)", { name: sheet().name }) : sheet().name}
                </span>
              </MenuCheck>
            )}
          </KeyedFor>
        </Menu>
      </Show>
      <div class="sheet-list" role={tabRole("tablist")} aria-label={renaming() === undefined ? t("Sheets") : undefined} ref={list}>
        <KeyedFor each={tabs()} by={({ id }) => id}>
          {(sheet, position) => (
            <Show
              when={renaming() === sheet().id}
              fallback={
                <button
                  type="button"
                  role={tabRole("tab")}
                  class="sheet-tab"
                  dir="auto"
                  classList={{
                    "is-dragged": drag()?.sheet === sheet().id,
                    "is-drop-before": drag()?.before === position(),
                    "is-drop-after": drag()?.before === position() + 1 && position() === tabs().length - 1,
                  }}
                  data-sheet={sheet().id}
                  aria-description={sheet().isChart ? t("Chart sheet") : undefined}
                  aria-selected={renaming() === undefined ? model.sheet() === sheet().id : undefined}
                  tabIndex={model.sheet() === sheet().id ? 0 : -1}
                  onPointerDown={(event) => {
                    const dragged = sheet();
                    laterParts()?.dragTab(event, list, {
                      moved: (before) => setDrag({ sheet: dragged.id, before }),
                      ended: (before) => {
                        setDrag(undefined);
                        if (before !== undefined) {
                          moveTo(dragged, before);
                        }
                      },
                    });
                  }}
                  onClick={() => model.openSheet(sheet().id)}
                  onDblClick={() => setRenaming(sheet().id)}
                  onKeyDown={(event) => {
                    if (event.key === "F2") {
                      setRenaming(sheet().id);
                    } else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
                      event.preventDefault();
                      openMenu(sheet(), event.currentTarget);
                    }
                  }}
                  onContextMenu={(event) => {
                    event.preventDefault();
                    model.openSheet(sheet().id);
                    openMenu(sheet(), event.currentTarget);
                  }}
                >
                  <Show when={sheet().isChart}>
                    <Icon name="chart" />
                  </Show>
                  {sheet().name}
                  <Show when={sheet().color} keyed>
                    {(color) => <Swatch class="sheet-color" color={color} />}
                  </Show>
                </button>
              }
            >
              <input
                class="sheet-name field"
                aria-label={t("Sheet name")}
                maxLength={100}
                // Untracked: changes by others do not overwrite the text being typed.
                value={untrack(() => sheet().name)}
                ref={(field) =>
                  queueMicrotask(() => {
                    field.focus();
                    field.select();
                  })
                }
                onBlur={(event) => rename(sheet(), event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) {
                    return;
                  }
                  // The cells get the focus and must not handle this key.
                  event.preventDefault();
                  if (event.key === "Escape") {
                    event.currentTarget.value = sheet().name;
                  }
                  event.currentTarget.blur();
                }}
              />
            </Show>
          )}
        </KeyedFor>
      </div>
      <PointMenu label={t("Sheet")} at={menu()?.tab} isAbove onClose={() => setMenu(undefined)} onClosed={() => undefined}>
        <Show when={menu()?.sheet} keyed>
          {(sheet) => {
            const { SheetMenu } = openParts();
            return (
              <SheetMenu
                model={model}
                sheet={sheet}
                tabs={tabs()}
                onMove={(before) => moveTo(sheet, before)}
                onRename={() => setRenaming(sheet.id)}
                onColor={() => setColoring(sheet)}
                onDelete={() => setDeleting(sheet)}
              />
            );
          }}
        </Show>
      </PointMenu>
      <Show when={laterParts()} keyed>
        {({ SheetDialogs }) => (
          <SheetDialogs model={model} coloring={coloring()} deleting={deleting()} onClose={closeDialogs} />
        )}
      </Show>
    </div>
  );
}

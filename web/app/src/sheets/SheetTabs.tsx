/**
 * The sheet tabs: opening, adding, renaming, coloring, hiding, moving, duplicating and deleting
 * sheets.
 */

import { createSignal, Show, untrack } from "solid-js";
import type { SheetTab } from "@quadrille/protocol";
import { Icon, KeyedFor, Menu, MenuCheck, Modal, PointMenu, ToolButton } from "../components/index.ts";
import { Swatch } from "../formatting/index.ts";
import { openAndUnhide } from "./hidden-sheets.ts";
import type { WorkbookModel } from "../state/index.ts";
import { SheetMenu, TabColorDialog } from "./SheetMenu.tsx";
import { t } from "../language/index.ts";

/** Minimum distance of a drag. */
const DRAG_PX_MIN = 5;

/** The sheet tabs. */
export function SheetTabs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [renaming, setRenaming] = createSignal<number>();
  const [menu, setMenu] = createSignal<{ readonly tab: DOMRect; readonly sheet: SheetTab }>();
  const [deleting, setDeleting] = createSignal<SheetTab>();
  const [coloring, setColoring] = createSignal<SheetTab>();
  const [dragged, setDragged] = createSignal<number>();
  const [dropBefore, setDropBefore] = createSignal<number>();
  let list!: HTMLDivElement;
  /** The displayed tabs; a hidden sheet has a tab while it is open. */
  const tabs = (): readonly SheetTab[] => model.sheets().filter(({ id, isHidden }) => !isHidden || id === model.sheet());

  function openMenu(sheet: SheetTab, tab: HTMLElement): void {
    setMenu({ tab: tab.getBoundingClientRect(), sheet });
  }

  /** Index of the tab before which the pointer is. */
  function positionAt(clientX: number): number {
    const elements = [...list.querySelectorAll<HTMLElement>("[data-sheet]")];
    const index = elements.findIndex((tab) => {
      const bounds = tab.getBoundingClientRect();
      return clientX < bounds.left + bounds.width / 2;
    });
    return index < 0 ? elements.length : index;
  }

  function startDrag(event: PointerEvent, sheet: SheetTab): void {
    if (event.button !== 0 || event.pointerType === "touch") {
      return;
    }
    const startX = event.clientX;
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener(
      "pointermove",
      (moved) => {
        if (dragged() !== undefined || Math.abs(moved.clientX - startX) >= DRAG_PX_MIN) {
          setDragged(sheet.id);
          setDropBefore(positionAt(moved.clientX));
        }
      },
      { signal },
    );
    const end = (): void => {
      controller.abort();
      const before = dropBefore();
      if (dragged() !== undefined && before !== undefined) {
        moveTo(sheet, before);
      }
      setDragged(undefined);
      setDropBefore(undefined);
    };
    window.addEventListener("pointerup", end, { signal });
    window.addEventListener("pointercancel", () => {
      setDropBefore(undefined);
      end();
    }, { signal });
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
                    "is-dragged": dragged() === sheet().id,
                    "is-drop-before": dropBefore() === position(),
                    "is-drop-after": dropBefore() === position() + 1 && position() === tabs().length - 1,
                  }}
                  data-sheet={sheet().id}
                  aria-selected={renaming() === undefined ? model.sheet() === sheet().id : undefined}
                  tabIndex={model.sheet() === sheet().id ? 0 : -1}
                  onPointerDown={(event) => startDrag(event, sheet())}
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
                  if (event.key === "Enter") {
                    event.currentTarget.blur();
                  } else if (event.key === "Escape") {
                    event.currentTarget.value = sheet().name;
                    event.currentTarget.blur();
                  }
                }}
              />
            </Show>
          )}
        </KeyedFor>
      </div>
      <PointMenu label={t("Sheet")} at={menu()?.tab} isAbove onClose={() => setMenu(undefined)} onClosed={() => undefined}>
        <Show when={menu()?.sheet} keyed>
          {(sheet) => {
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
      <TabColorDialog model={model} sheet={coloring()} onClose={() => setColoring(undefined)} />
      <Modal isOpen={deleting() !== undefined} title={t("Delete this sheet?")} onClose={() => setDeleting(undefined)}>
        <p>{t("“{name}” and all its contents will be deleted for everyone. You can undo this.", { name: deleting()?.name ?? "" })}</p>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => setDeleting(undefined)}>
            {t("Keep sheet")}
          </button>
          <button
            type="button"
            class="button is-danger"
            onClick={() => {
              const sheet = deleting();
              setDeleting(undefined);
              if (sheet) {
                model.command({ type: "removeSheet", sheet: sheet.id });
              }
              model.focusCells();
            }}
          >
            {t("Delete")}
          </button>
        </div>
      </Modal>
    </div>
  );
}

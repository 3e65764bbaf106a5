/**
 * The workbook page before its code has arrived: the cells as the server shows them, to be looked at and scrolled.
 *
 * Lines and places are those of `WorkbookPage`, which takes over within a frame.
 */

import "../style/header.css";
import "../style/workbook.css";
import "../style/phones.css";
import "../style/grid.css";
import "../style/touch.css";
import "../style/preview.css";
import { Grid, type GridListener, selectCell } from "@quadrille/grid";
import { createSignal, For, onCleanup, onMount } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Logo } from "../components/index.ts";
import { lastKnownTitle, roomTitle } from "../rooms/index.ts";
import { readTheme } from "../theme/index.ts";
import { loadPreview, markPreviewShown } from "./preview.ts";

const MENUS: readonly Message[] = ["File", "Edit", "View", "Insert", "Format", "Data"];

export function PreviewSheet(props: { readonly room: string }) {
  const [sheets, setSheets] = createSignal<readonly { readonly id: number; readonly name: string }[]>([]);
  const [title, setTitle] = createSignal(lastKnownTitle(props.room));
  const [shown, setShown] = createSignal<number>();
  let place!: HTMLDivElement;

  onMount(() => {
    const grid = new Grid(place, readTheme(), DEAF);
    grid.setCanEdit(false);
    let isHere = true;
    onCleanup(() => {
      isHere = false;
      grid.dispose();
    });
    void loadPreview(props.room).then((look) => {
      if (look && isHere) {
        setSheets(look.told.sheets);
        setShown(look.told.sheet);
        setTitle(look.told.title);
        const name = look.told.sheets.find(({ id }) => id === look.told.sheet)?.name ?? "";
        grid.showSheet(name, selectCell({ row: 0, column: 0 }), 0, 0);
        grid.setShape(look.shape);
        grid.setWindows([look.window]);
      }
      // In the frame after the one that paints them.
      requestAnimationFrame(() => requestAnimationFrame(markPreviewShown));
    });
  });

  return (
    <div class="workbook is-first-sight" aria-busy="true">
      <header>
        <div class="header">
          <span class="header-home">
            <Logo sizePx={28} />
          </span>
          <div class="header-title">
            <h1 dir="auto">
              <span class="title-text">{title() ?? roomTitle(props.room)}</span>
            </h1>
            <p class="save-state" role="status">
              {t("Opening the workbook…")}
            </p>
          </div>
          <div class="menu-bar" aria-hidden="true">
            <For each={MENUS}>{(name) => <span class="menu-name">{t(name)}</span>}</For>
          </div>
          <span class="button header-share" />
        </div>
        <div class="toolbar" />
        <div class="formula-bar">
          <span class="name-box">A1</span>
          <span class="formula-sign" aria-hidden="true">
            fx
          </span>
          <span class="formula-field" />
        </div>
      </header>
      <div class="workbook-middle">
        <main class="grid" dir="ltr" aria-label={t("Sheet")} ref={place} />
      </div>
      <footer class="workbook-footer">
        <div class="sheet-tabs">
          <span class="tool is-small" />
          <div class="sheet-list">
            <For each={sheets()}>
              {(sheet) => (
                <span class="sheet-tab" dir="auto" classList={{ "is-shown": sheet.id === shown() }}>
                  {sheet.name}
                </span>
              )}
            </For>
          </div>
        </div>
      </footer>
    </div>
  );
}

const nothing = (): void => undefined;

/** There is nobody yet to whom the grid could tell anything. */
const DEAF: GridListener = {
  windowsRequested: nothing,
  selectionChanged: nothing,
  painted: nothing,
  isPointing: () => false,
  pointed: nothing,
  referenceDragged: nothing,
  pressed: nothing,
  editRequested: nothing,
  resized: nothing,
  autoFitRequested: nothing,
  unhideRequested: nothing,
  dimensionMoved: nothing,
  filled: nothing,
  fillDownWanted: nothing,
  moved: nothing,
  textsChanged: nothing,
  ariaUpdated: nothing,
  contextMenuRequested: nothing,
  controlPressed: nothing,
  zoomRequested: nothing,
  layoutChanged: nothing,
};

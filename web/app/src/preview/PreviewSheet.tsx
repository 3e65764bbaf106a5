/**
 * The workbook page before its code is loaded: the cells of the preview, which can be scrolled.
 *
 * Its layout equals that of `WorkbookPage`, which replaces it within a frame.
 */

import "../style/header.css";
import "../style/workbook.css";
import "../style/phones.css";
import "../style/grid.css";
import "../style/touch.css";
import "../style/preview.css";
import type { DecodedPreview } from "@quadrille/protocol";
import { Grid, type GridListener, selectCell } from "@quadrille/grid";
import { createSignal, For, onCleanup, onMount, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { Logo } from "../components/index.ts";
import { lastKnownTitle, roomTitle } from "../rooms/index.ts";
import { readTheme } from "../theme/index.ts";
import { loadPreview, markPreviewShown } from "./preview.ts";

const MENUS: readonly Message[] = ["File", "Edit", "View", "Insert", "Format", "Data"];

/** The preview of a workbook. */
export function PreviewSheet(props: { readonly room: string }) {
  const [sheets, setSheets] = createSignal<DecodedPreview["description"]["sheets"]>([]);
  const [title, setTitle] = createSignal(lastKnownTitle(props.room));
  const [currentSheet, setCurrentSheet] = createSignal<number>();
  const isChart = (): boolean => sheets().find(({ id }) => id === currentSheet())?.isChart === true;
  let container!: HTMLDivElement;

  onMount(() => {
    const grid = new Grid(container, readTheme(), IGNORE_EVENTS);
    grid.setCanEdit(false);
    let isMounted = true;
    onCleanup(() => {
      isMounted = false;
      grid.dispose();
    });
    void loadPreview(props.room).then((preview) => {
      if (preview && isMounted) {
        setSheets(preview.description.sheets);
        setCurrentSheet(preview.description.sheet);
        setTitle(preview.description.title);
        const name = preview.description.sheets.find(({ id }) => id === preview.description.sheet)?.name ?? "";
        grid.showSheet(name, selectCell({ row: 0, column: 0 }), 0, 0);
        grid.setShape(preview.shape);
        grid.setWindows([preview.window]);
      }
      // After the frame that paints the cells.
      requestAnimationFrame(() => requestAnimationFrame(markPreviewShown));
    });
  });

  return (
    <div class="workbook is-preview" aria-busy="true">
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
        <Show when={!isChart()}>
          <div class="toolbar" />
          <div class="formula-bar">
            <span class="name-box">A1</span>
            <span class="formula-icon" aria-hidden="true">
              fx
            </span>
            <span class="formula-field" />
          </div>
        </Show>
      </header>
      <div class="workbook-middle">
        <main class="grid" classList={{ "is-chart-sheet": isChart() }} dir="ltr" aria-label={t("Sheet")} ref={container} />
      </div>
      <footer class="workbook-footer">
        <div class="sheet-tabs">
          <span class="tool is-small" />
          <div class="sheet-list">
            <For each={sheets()}>
              {(sheet) => (
                <span class="sheet-tab" dir="auto" classList={{ "is-current": sheet.id === currentSheet() }}>
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

const ignore = (): void => undefined;

/** Ignores all events of the grid. */
const IGNORE_EVENTS: GridListener = {
  hasHeaders: true,
  isPage: false,
  showsSelection: true,
  imageOf: () => undefined,
  windowsRequested: ignore,
  selectionChanged: ignore,
  painted: ignore,
  isPointing: () => false,
  pointed: ignore,
  referenceDragged: ignore,
  pressed: ignore,
  editRequested: ignore,
  resized: ignore,
  autoFitRequested: ignore,
  unhideRequested: ignore,
  dimensionMoved: ignore,
  filled: ignore,
  fillDownWanted: ignore,
  moved: ignore,
  apartRefused: ignore,
  textsChanged: ignore,
  ariaUpdated: ignore,
  contextMenuRequested: ignore,
  controlPressed: ignore,
  zoomRequested: ignore,
  layoutChanged: ignore,
};

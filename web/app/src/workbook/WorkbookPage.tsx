/** `/{room}`: the workbook. */

import "../style/header.css";
import "../style/workbook.css";
import "../style/phones.css";
import "../style/grid.css";
import "../style/panels.css";
import "../style/touch.css";
import "../style/data.css";
import { bindingFor } from "@quadrille/editor";
import { createEffect, createMemo, createSignal, lazy, on, onCleanup, onMount, Show, Suspense, untrack } from "solid-js";
import { embedding } from "../embed/index.ts";
import { DrawingLayer } from "../drawings/index.ts";
import { DialogLoadError, EditPermissionContext, failedOpenings, FileDropZone, LazyBoundary, loadOverlays, lazyComponent } from "../components/index.ts";
import { sendQueuedImages } from "../images/index.ts";
import { rememberRoom } from "../rooms/index.ts";
import { CellEditor } from "../editing/index.ts";
import { CellDropdown, CellMenu, Toolbar } from "../menus/index.ts";
import { InputMessage } from "../validation/index.ts";
import { FilterViewBar } from "../filter/index.ts";
import { Dialogs } from "./Dialogs.tsx";
import { FollowBar } from "../presence/index.ts";
import { loadTables } from "../clipboard/index.ts";
import { ErrorHelp, FormulaBar, FormulaHelp } from "../formulas/index.ts";
import { Header } from "../header/index.ts";
import { gridDescriptions } from "../accessibility/index.ts";
import { notation } from "../settings/index.ts";
import { OutlineBar } from "../rows-columns/index.ts";
import { isApple } from "../keyboard/index.ts";
import { WorkbookModel } from "../state/index.ts";
import { Panels } from "./Panels.tsx";
import { SheetTabs } from "../sheets/index.ts";
import { StatusBar } from "../status-bar/index.ts";
import { Toasts } from "../toasts/index.ts";
import { direction, language, t } from "../language/index.ts";

const EmbedFooter = lazy(() => import("../embed/EmbedFooter.tsx").then((module) => ({ default: module.EmbedFooter })));
const ImportDialog = lazyComponent(() => import("../files/ImportDialog.tsx").then((module) => module.ImportDialog));
const FindPanel = lazyComponent(() => import("../find/FindPanel.tsx").then((module) => module.FindPanel));

export { startReferenceStyle } from "../settings/index.ts";

export function WorkbookPage(props: {
  readonly room: string;
  readonly file: File | undefined;
  readonly onLeave: () => void;
}) {
  const model = new WorkbookModel(props.room);
  onCleanup(() => model.dispose());
  const [file, setFile] = createSignal(props.file);
  let gridElement: HTMLDivElement | undefined;

  onMount(() => {
    if (gridElement) {
      model.attachGrid(gridElement);
      model.focusCells();
    }
  });
  const leave = (): void => {
    if (model.wouldLose()) {
      // The browser asks whether to give up what is not saved.
      location.href = "/";
    } else {
      props.onLeave();
    }
  };
  createEffect(() => {
    document.title = `${model.title.displayed()} – Quadrille`;
  });
  createEffect(() => {
    const wanted = [language(), notation().isR1c1] as const;
    untrack(() => {
      // What is being typed is read as it was begun.
      model.cellEdit.commit();
      model.selectionDetails.forget();
      model.tellPlace(...wanted);
      model.selectionDetails.askDetails();
    });
  });
  createEffect(() => model.grid?.setDescriptions(gridDescriptions()));
  const isMirrored = (): boolean => {
    model.layout();
    return model.grid?.view.isRightToLeft ?? false;
  };
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  // Keys that nothing else takes, for instance while a button has the focus.
  window.addEventListener(
    "keydown",
    (event) => {
      const isElsewhere = event.target instanceof Element && event.target.closest("textarea, input, select, [role=menu]");
      const binding = bindingFor(event, isApple);
      // Out of a field of the toolbar, too, there is a way to the cells.
      const isForUs = !isElsewhere || binding?.action.do === "leave";
      if (binding?.isGlobal && !event.defaultPrevented && isForUs && model.keys.act(binding.action)) {
        event.preventDefault();
      }
    },
    { signal: controller.signal },
  );
  // The status changes twice with every edit.
  const isReady = createMemo(() => model.status().isReady);
  const canType = createMemo(() => model.canType());
  createEffect(() => {
    if (isReady() && !embedding) {
      rememberRoom(props.room, model.title.given());
    }
  });
  createEffect(() => {
    if (model.connection().state === "open" && canType()) {
      void sendQueuedImages(model);
    }
  });
  createEffect(() => {
    if (isReady()) {
      // Read by `web/bench`.
      performance.mark("quadrille: editable");
      untrack(() => model.selectionDetails.askDetails());
      // What the first menu needs, or the first copy, before somebody asks for it; after what draws the cells.
      setTimeout(() => {
        void loadOverlays();
        void loadTables();
      });
    }
  });

  // A button or a right click of which nothing opens.
  createEffect(
    on(failedOpenings, () => model.toast(t("This part of the page could not be loaded. Check the connection, then try again."), true), { defer: true }),
  );

  const readFile = (chosen: File): void => {
    if (model.checkCanEdit()) {
      setFile(chosen);
    }
  };

  return (
    <EditPermissionContext.Provider value={model.editPermission}>
      <div class="workbook" classList={{ "is-embedded": embedding !== undefined }}>
        <Show when={embedding?.mode !== "view"}>
          <header>
            <Show when={!embedding}>
              <Header model={model} onLeave={leave} onFile={readFile} />
            </Show>
            <Toolbar model={model} />
            <FormulaBar model={model} />
          </header>
        </Show>
        <FilterViewBar model={model} />
        <FollowBar model={model} />
        <div class="workbook-middle">
          <div class="grid-with-outline" classList={{ "is-rtl": isMirrored() }}>
            <OutlineBar model={model} dimension="columns" />
            <OutlineBar model={model} dimension="rows" />
            <main class="grid" dir="ltr" ref={gridElement} aria-label={t("Sheet")}>
              <DrawingLayer model={model} />
              <div class="grid-overlay-place">
                <CellEditor model={model} />
                <ErrorHelp model={model} />
                <InputMessage model={model} />
                <div class="grid-aria" role="log" aria-live="polite" aria-label={t("Changes of cells")}>
                  {model.announcer.text()}
                </div>
              </div>
              <Show when={!isReady() && !model.looking.isOn()}>
                <Opening model={model} />
              </Show>
            </main>
          </div>
          <Show when={model.findModel.isOpen() !== "closed"}>
            <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => model.findModel.close()} />}>
              <FindPanel model={model} />
            </LazyBoundary>
          </Show>
          <CellDropdown model={model} />
          <Panels model={model} />
        </div>
        <footer class="workbook-footer">
          <SheetTabs model={model} />
          <StatusBar model={model} />
          <Show when={embedding} keyed>
            {(shown) => (
              <Suspense>
                <EmbedFooter model={model} embedding={shown} />
              </Suspense>
            )}
          </Show>
        </footer>
        <FormulaHelp model={model} />
        <CellMenu model={model} />
        <Dialogs model={model} />
        <Show when={file()} keyed>
          {(chosen) => (
            <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => setFile(undefined)} />}>
              <ImportDialog model={model} file={chosen} onClose={() => setFile(undefined)} />
            </LazyBoundary>
          )}
        </Show>
        <Show when={!embedding}>
          <FileDropZone
            text={t("Drop the file to bring it into this workbook")}
            onFile={readFile}
            images={{ text: t("Drop the image to insert it"), onDrop: (files, event) => dropImages(model, files, event) }}
          />
        </Show>
        <Toasts model={model} />
      </div>
    </EditPermissionContext.Provider>
  );
}

/** On the cell below the pointer; beside the sheet, on the active one. */
function dropImages(model: WorkbookModel, files: readonly File[], event: DragEvent): void {
  const { grid } = model;
  const { left = 0, top = 0 } = grid?.element.getBoundingClientRect() ?? {};
  const cell = grid?.cellAt(event.clientX - left, event.clientY - top) ?? model.selection().active;
  void import("../images/insert-image.ts").then(({ insertImages }) => insertImages(model, files, cell));
}

/** Until the workbook has arrived. */
function Opening(props: { readonly model: WorkbookModel }) {
  const { connectionError } = props.model.editPermission;
  return (
    <div class="opening" dir={direction()} role="status">
      <Show
        when={connectionError()}
        fallback={
          <>
            <span class="spinner" aria-hidden="true" />
            <p>{t("Opening the workbook…")}</p>
          </>
        }
      >
        {(known) => (
          <>
            <h2>{known().title}</h2>
            <p>{known().text}</p>
            <a class="button" href="/">
              {t("Start page")}
            </a>
          </>
        )}
      </Show>
    </div>
  );
}

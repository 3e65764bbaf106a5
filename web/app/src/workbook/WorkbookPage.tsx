/** The page of a workbook, `/{room}`. */

import "../style/overlays.css";
import "../style/forms.css";
import "../style/header.css";
import "../style/workbook.css";
import "../style/phones.css";
import "../style/grid.css";
import "../style/touch.css";
import { serverPath } from "../base-path.ts";
import { bindingFor } from "@quadrille/editor";
import { createEffect, createMemo, createSignal, type JSX, lazy, on, onCleanup, onMount, Show, Suspense, untrack } from "solid-js";
import { type Embedding, embedding } from "../embed/index.ts";
import { DialogLoadError, EditPermissionContext, failedOpenings, FileDropZone, LazyBoundary, LoadError, loadOverlays, lazyComponent, overlaysFailed } from "../components/index.ts";
import { rememberRoom } from "../rooms/index.ts";
import { CellEditor } from "../editing/index.ts";
import { CellMenu, Toolbar } from "../menus/index.ts";
import { isAppView, selectShownCell, startAppView } from "../form-controls/index.ts";
import { isDashboard, isPresenting } from "../presentation/index.ts";
import { loadTables } from "../clipboard/index.ts";
import { FormulaBar } from "../formulas/index.ts";
import { Header } from "../header/index.ts";
import { refusal, SessionEnded } from "../connection/index.ts";
import { gridDescriptions } from "../accessibility/index.ts";
import { formulaLanguage, notation } from "../settings/index.ts";
import { CHART_SHEET_ACTIONS, isApple } from "../keyboard/index.ts";
import { WorkbookModel } from "../state/index.ts";
import { laterParts } from "./later-parts.ts";
import { isChartSheet, SheetTabs } from "../sheets/index.ts";
import { StatusBar } from "../status-bar/index.ts";
import { Toasts } from "../toasts/index.ts";
import { direction, language, t } from "../language/index.ts";

const EmbedFooter = lazy(() => import("../embed/EmbedFooter.tsx").then((module) => ({ default: module.EmbedFooter })));
const AccessBar = lazyComponent(() => import("../access/AccessBar.tsx").then((module) => module.AccessBar));
const NoAccess = lazyComponent(() => import("../access/NoAccess.tsx").then((module) => module.NoAccess));

/** The close code of a session without a role (docs/protocol.md). */
const FORBIDDEN = 4403;

/** The footer of the view `/app` is that of an embedded workbook. */
const APP_VIEW: Embedding = { mode: "edit", sheet: undefined, range: undefined, language: undefined, scheme: undefined };

/** Must complete before the page is rendered. */
export { startFormulaLanguage, startReferenceStyle } from "../settings/index.ts";

/** The page of a workbook. */
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
    if (model.wouldLoseChanges()) {
      // A navigation makes the browser ask before unsaved changes are lost.
      location.href = serverPath("/");
    } else {
      props.onLeave();
    }
  };
  createEffect(() => {
    document.title = `${model.title.displayed()} – Quadrille`;
  });
  createEffect(() => {
    const formulas = { language: language(), isR1c1: notation().isR1c1, names: formulaLanguage()?.entries ?? [] };
    untrack(() => {
      // Text being typed is read in the previous locale.
      model.cellEdit.commit();
      model.selectionDetails.forget();
      model.sendLocale(formulas);
      model.selectionDetails.queryDetails();
    });
  });
  createEffect(() => model.grid?.setDescriptions(gridDescriptions()));
  createEffect(on(() => isDashboard(model), () => model.grid?.headersChanged(), { defer: true }));
  createEffect(() => {
    model.layout();
    if (isAppView) {
      untrack(() => selectShownCell(model));
    }
  });
  const isRightToLeft = (): boolean => {
    model.layout();
    return model.grid?.view.isRightToLeft ?? false;
  };
  /** Whether the tools for cells are shown. */
  const showsTools = createMemo(() => !isDashboard(model) && !isChartSheet(model));
  // Cells or chart have been replaced, and with them what had the focus.
  createEffect(
    on(
      createMemo(() => isChartSheet(model)),
      () => {
        if (document.activeElement === document.body) {
          model.focusCells();
        }
      },
      { defer: true },
    ),
  );
  const controller = new AbortController();
  onCleanup(() => controller.abort());
  // Keys that no element handles, for instance while a button has the focus.
  window.addEventListener(
    "keydown",
    (event) => {
      const isInField = event.target instanceof Element && event.target.closest("textarea, input, select, [role=menu]");
      const binding = bindingFor(event, isApple);
      // The key that leaves the cells also leads back from toolbar fields.
      const handles = !isInField || binding?.action.do === "nextRegion";
      const isGlobal = binding?.isGlobal || (binding && isChartSheet(model) && CHART_SHEET_ACTIONS.has(binding.action.do));
      if (isGlobal && !event.defaultPrevented && handles && model.keys.run(binding.action)) {
        event.preventDefault();
      }
    },
    { signal: controller.signal },
  );
  const isForbidden = createMemo(() => {
    const connection = model.connection();
    return connection.state === "refused" && connection.code === FORBIDDEN;
  });
  // A memo, as the status changes twice with every edit.
  const isReady = createMemo(() => model.status().isReady);
  createEffect(() => {
    if (isReady() && !embedding) {
      rememberRoom(props.room, model.title.given());
    }
  });
  createEffect(() => {
    if (isReady()) {
      // Measured by `web/bench`.
      performance.mark("quadrille: editable");
      untrack(() => startAppView(model));
      untrack(() => model.selectionDetails.queryDetails());
      // Loads the later parts, with the code for menus, and the code for copying before they are needed, after
      // the cells are drawn.
      setTimeout(() => {
        void loadOverlays();
        void loadTables();
      });
    }
  });

  // Opened before the workbook is editable, or after the later parts could not be loaded.
  const wantsLaterParts = createMemo(
    () =>
      file() !== undefined ||
      refusal(model) !== undefined ||
      model.dialog() !== undefined ||
      model.panel() !== undefined ||
      model.entryChecks.alert() !== undefined ||
      model.findModel.isOpen() !== "closed",
  );
  createEffect(() => {
    if (wantsLaterParts() && !laterParts()) {
      void loadOverlays();
    }
  });
  const closeLaterParts = (): void => {
    setFile(undefined);
    model.entryChecks.close();
    model.closePanel();
    model.closeDialogAndFind();
  };

  // A menu or popover that could not be loaded.
  createEffect(
    on(failedOpenings, () => model.toast(t("This part of the page could not be loaded. Check the connection, then reload the page."), true), { defer: true }),
  );

  const readFile = (chosen: File): void => {
    if (model.checkCanEdit()) {
      setFile(chosen);
    }
  };

  return (
    <EditPermissionContext.Provider value={model.editPermission}>
      <Show when={isForbidden()}>
        <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={undefined} />}>
          <NoAccess model={model} />
        </LazyBoundary>
      </Show>
      <div class="workbook" classList={{ "is-embedded": embedding !== undefined, "is-closed": isForbidden(), "is-presenting": isPresenting(), "is-dashboard": isDashboard(model) }} inert={isForbidden()}>
        <Show when={embedding?.mode !== "view" && !isAppView && !isPresenting()}>
          <header>
            <Show when={!embedding}>
              <Header model={model} onLeave={leave} onFile={readFile} />
            </Show>
            <Show
              when={model.access.limitedRole()}
              fallback={
                <Show when={showsTools()}>
                  <Toolbar model={model} />
                </Show>
              }
            >
              <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
                <AccessBar model={model} />
              </LazyBoundary>
            </Show>
            <Show when={showsTools()}>
              <FormulaBar model={model} />
            </Show>
          </header>
        </Show>
        <Later>{(parts) => <parts.BarsAboveCells model={model} />}</Later>
        <div class="workbook-middle">
          <div class="grid-with-outline" classList={{ "is-rtl": isRightToLeft() }}>
            <Show when={!isPresenting() && !isChartSheet(model)}>
              <Later>{(parts) => <parts.OutlineBars model={model} />}</Later>
            </Show>
            <main class="grid" classList={{ "is-chart-sheet": isChartSheet(model) }} dir="ltr" ref={gridElement} aria-label={t("Sheet")}>
              <Later>{(parts) => <parts.DrawingLayer model={model} />}</Later>
              <div class="grid-overlays">
                <CellEditor model={model} />
                <Later>{(parts) => <parts.OverCells model={model} />}</Later>
                <div class="grid-aria" role="log" aria-live="polite" aria-label={t("Cell changes")}>
                  {model.announcer.text()}
                </div>
              </div>
              <Show when={!isReady() && (!model.preview.isOn() || isChartSheet(model))}>
                <LoadingState model={model} />
              </Show>
            </main>
          </div>
          <Later>{(parts) => <parts.BesideCells model={model} />}</Later>
        </div>
        <footer class="workbook-footer">
          <Show when={!isAppView && !isPresenting()}>
            <SheetTabs model={model} />
            <StatusBar model={model} />
          </Show>
          <Later>{(parts) => <parts.PresentationFooter model={model} />}</Later>
          <Show when={embedding ?? (isAppView ? APP_VIEW : undefined)} keyed>
            {(parameters) => (
              <Suspense>
                <EmbedFooter model={model} embedding={parameters} />
              </Suspense>
            )}
          </Show>
        </footer>
        <CellMenu model={model} />
        <Later>{(parts) => <parts.OverPage model={model} file={file()} onImported={() => setFile(undefined)} />}</Later>
        <Show when={wantsLaterParts() && !laterParts() && overlaysFailed()}>
          <DialogLoadError onRetry={() => void loadOverlays()} onClose={closeLaterParts} />
        </Show>
        <SessionEnded model={model} />
        <Show when={!embedding}>
          <FileDropZone
            text={t("Drop the file to import it into this workbook")}
            onFile={readFile}
            images={{ text: t("Drop the image to insert it"), onDrop: (files, event) => dropImages(model, files, event) }}
          />
        </Show>
        <Toasts model={model} />
      </div>
    </EditPermissionContext.Provider>
  );
}

/** A part of the page that appears when the later parts have been loaded. */
function Later(props: { readonly children: (parts: NonNullable<ReturnType<typeof laterParts>>) => JSX.Element }) {
  return (
    <Show when={laterParts()} keyed>
      {(parts) => props.children(parts)}
    </Show>
  );
}

/** Inserts dropped images at the cell below the pointer, or at the active cell. */
function dropImages(model: WorkbookModel, files: readonly File[], event: DragEvent): void {
  const { grid } = model;
  const { left = 0, top = 0 } = grid?.element.getBoundingClientRect() ?? {};
  const cell = grid?.cellAt(event.clientX - left, event.clientY - top) ?? model.selection().active;
  void import("../images/insert-image.ts").then(({ insertImages }) => insertImages(model, files, cell));
}

/** The state while the workbook is being loaded. */
function LoadingState(props: { readonly model: WorkbookModel }) {
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
        {(error) => (
          <>
            <h2>{error().title}</h2>
            <p>{error().text}</p>
            <a class="button" href={serverPath("/")}>
              {t("Start page")}
            </a>
          </>
        )}
      </Show>
    </div>
  );
}

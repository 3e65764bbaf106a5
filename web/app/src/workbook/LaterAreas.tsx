/** The areas of the page that are empty in most workbooks or closed at first; loaded after it is editable. */

import "../style/formula-help.css";
import "../style/highlighting.css";
import "../style/people.css";
import "../style/colors.css";
import "../style/panels.css";
import "../style/validation.css";
import "../style/data.css";
import { faces } from "@quadrille/grid";
import { createEffect, createMemo, onCleanup, Show, untrack } from "solid-js";
import { DialogLoadError, LazyBoundary, lazyComponent, LoadError } from "../components/index.ts";
import { embedding } from "../embed/index.ts";
import { FilterViewBar } from "../filter/index.ts";
import { formatPainter } from "../formatting/index.ts";
import { ErrorHelp, FormulaHelp, formulaTraces } from "../formulas/index.ts";
import { openLinkedRange } from "../links/index.ts";
import { CellDropdown } from "../menus/index.ts";
import { faceOf, FollowBar } from "../presence/index.ts";
import { sendQueuedImages } from "../images/index.ts";
import { isPresenting } from "../presentation/index.ts";
import { OutlineBar } from "../rows-columns/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { SuggestionBar, suggestionMarks } from "../suggestions/index.ts";
import { InputMessage } from "../validation/index.ts";
import { Dialogs } from "./Dialogs.tsx";
import { Panels } from "./Panels.tsx";

const ImportDialog = lazyComponent(() => import("../files/ImportDialog.tsx").then((module) => module.ImportDialog));
const PresentationBar = lazyComponent(() => import("../presentation/PresentationBar.tsx").then((module) => module.PresentationBar));
const TrashBanner = lazyComponent(() => import("../access/TrashBanner.tsx").then((module) => module.TrashBanner));
const CellSuggestions = lazyComponent(() => import("../suggestions/CellSuggestions.tsx").then((module) => module.CellSuggestions));
const TraceArrows = lazyComponent(() => import("../formulas/TraceArrows.tsx").then((module) => module.TraceArrows));
const FindPanel = lazyComponent(() => import("../find/FindPanel.tsx").then((module) => module.FindPanel));

interface AreaProps {
  readonly model: WorkbookModel;
}

/** The bars between toolbar and sheet. */
export function BarsAboveCells(props: AreaProps) {
  const { model } = props;
  const canType = createMemo(() => model.canType());
  onCleanup(() => formatPainter(model).stop());
  followAddress(model);
  createEffect(() => {
    if (model.connection().state === "open" && canType()) {
      void sendQueuedImages(model);
    }
  });
  return (
    <>
      <Show when={model.access.ownerInfo()?.trashedMs}>
        <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
          <TrashBanner model={model} />
        </LazyBoundary>
      </Show>
      <FilterViewBar model={model} />
      <SuggestionBar model={model} />
      <FollowBar model={model} />
    </>
  );
}

/** Goes to the cells that the address of the page names: at first, and when a link changes only that part. */
function followAddress(model: WorkbookModel): void {
  if (embedding) {
    return;
  }
  const isReady = createMemo((wasReady: boolean) => wasReady || model.status().isReady, false);
  const go = (): void => {
    if (isReady()) {
      untrack(() => openLinkedRange(model));
    }
  };
  createEffect(go);
  window.addEventListener("hashchange", go);
  onCleanup(() => window.removeEventListener("hashchange", go));
}

/** The outline bars of both dimensions. */
export function OutlineBars(props: AreaProps) {
  const { model } = props;
  return (
    <>
      <OutlineBar model={model} dimension="columns" />
      <OutlineBar model={model} dimension="rows" />
    </>
  );
}

/** What is displayed at the active cell, and arrows between cells. */
export function OverCells(props: AreaProps) {
  const { model } = props;
  // Before what repaints the cells.
  faces.of = (name) => faceOf(model, name);
  createEffect(() => model.grid?.setSuggestions(suggestionMarks(model.sheet() ?? 0, model.items.list())));
  return (
    <>
      <Show when={formulaTraces(model).isOn()}>
        <LazyBoundary failed={() => null}>
          <TraceArrows model={model} />
        </LazyBoundary>
      </Show>
      <ErrorHelp model={model} />
      <InputMessage model={model} />
      <Show when={model.items.ofKind("suggestion").length > 0}>
        <LazyBoundary failed={() => null}>
          <CellSuggestions model={model} />
        </LazyBoundary>
      </Show>
    </>
  );
}

/** The search, the popup of a cell and the panels. */
export function BesideCells(props: AreaProps) {
  const { model } = props;
  return (
    <>
      <Show when={model.findModel.isOpen() !== "closed"}>
        <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => model.findModel.close()} />}>
          <FindPanel model={model} />
        </LazyBoundary>
      </Show>
      <CellDropdown model={model} />
      <Show when={!isPresenting()}>
        <Panels model={model} />
      </Show>
    </>
  );
}

/** The footer of a presentation. */
export function PresentationFooter(props: AreaProps) {
  return (
    <Show when={isPresenting()}>
      <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
        <PresentationBar model={props.model} />
      </LazyBoundary>
    </Show>
  );
}

/** Help with formulas and dialogs, which may cover any part of the page. `file` is the one to import. */
export function OverPage(props: AreaProps & { readonly file: File | undefined; readonly onImported: () => void }) {
  const { model } = props;
  return (
    <>
      <FormulaHelp model={model} />
      <Dialogs model={model} />
      <Show when={props.file} keyed>
        {(chosen) => (
          <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => props.onImported()} />}>
            <ImportDialog model={model} file={chosen} onClose={() => props.onImported()} />
          </LazyBoundary>
        )}
      </Show>
    </>
  );
}

/** The dialogs of a workbook: keys, functions, sorting, and what to do when nothing goes on. */

import { lazy, Show, Suspense } from "solid-js";
import { Modal } from "../parts/Modal.tsx";
import type { WorkbookModel } from "./model.ts";
import { t } from "../language/language.ts";

// Opened seldom: each comes when it is first asked for.
const ValidationDialog = lazy(() => import("./data/ValidationDialog.tsx").then((module) => ({ default: module.ValidationDialog })));
const ConditionalDialog = lazy(() => import("./formats/ConditionalDialog.tsx").then((module) => ({ default: module.ConditionalDialog })));
const LayoutDialog = lazy(() => import("./formats/LayoutDialog.tsx").then((module) => ({ default: module.LayoutDialog })));
const ProtectionDialog = lazy(() => import("./data/ProtectionDialog.tsx").then((module) => ({ default: module.ProtectionDialog })));
const Obstacles = lazy(() => import("./data/Obstacles.tsx").then((module) => ({ default: module.Obstacles })));
const DuplicatesDialog = lazy(() => import("./data/DuplicatesDialog.tsx").then((module) => ({ default: module.DuplicatesDialog })));
const NamesDialog = lazy(() => import("./data/NamesDialog.tsx").then((module) => ({ default: module.NamesDialog })));
const SplitDialog = lazy(() => import("./data/SplitDialog.tsx").then((module) => ({ default: module.SplitDialog })));
const NumberFormatDialog = lazy(() => import("./formats/NumberFormatDialog.tsx").then((module) => ({ default: module.NumberFormatDialog })));
const LanguageDialog = lazy(() => import("./LanguageDialog.tsx").then((module) => ({ default: module.LanguageDialog })));
const PrintDialog = lazy(() => import("../print/PrintDialog.tsx").then((module) => ({ default: module.PrintDialog })));
const KeysDialog = lazy(() => import("./KeysDialog.tsx").then((module) => ({ default: module.KeysDialog })));
const FunctionsDialog = lazy(() => import("./FunctionsDialog.tsx").then((module) => ({ default: module.FunctionsDialog })));
const SortDialog = lazy(() => import("./SortDialog.tsx").then((module) => ({ default: module.SortDialog })));

export function Dialogs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <>
      <Suspense>
        <Show when={model.dialog() === "help"}>
          <KeysDialog model={model} />
        </Show>
        <Show when={model.dialog() === "functions"}>
          <FunctionsDialog model={model} />
        </Show>
        <Show when={model.dialog() === "sort"}>
          <SortDialog model={model} />
        </Show>
        <Show when={model.dialog() === "language"}>
          <LanguageDialog model={model} />
        </Show>
        <Show when={model.dialog() === "names"}>
          <NamesDialog model={model} />
        </Show>
        <Show when={model.dialog() === "duplicates"}>
          <DuplicatesDialog model={model} />
        </Show>
        <Show when={model.dialog() === "split"}>
          <SplitDialog model={model} />
        </Show>
        <Show when={model.dialog() === "numberFormat"}>
          <NumberFormatDialog model={model} />
        </Show>
        <Show when={model.dialog() === "validation"}>
          <ValidationDialog model={model} />
        </Show>
        <Show when={model.dialog() === "conditional"}>
          <ConditionalDialog model={model} />
        </Show>
        <Show when={model.dialog() === "print"}>
          <PrintDialog model={model} />
        </Show>
        <Show when={model.dialog() === "protection"}>
          <ProtectionDialog model={model} />
        </Show>
        <Show when={model.entering.obstacle()}>
          <Obstacles model={model} />
        </Show>
        <Show when={model.dialog() === "layout"}>
          <LayoutDialog model={model} />
        </Show>
      </Suspense>
      <Ended model={model} />
    </>
  );
}

/** The close codes of `CloseReason` in crates/protocol that end a session for good. */
function closedBecause(code: number | undefined): string {
  switch (code) {
    case 4400:
      return t("The server has a newer version of this page. Reload to get it.");
    case 4403:
      return t("This address does not open the workbook. Ask the person who gave it to you for another.");
    case 4410:
      return t("The workbook was deleted.");
    case 4411:
      return t("This very copy of the workbook was opened from elsewhere.");
    case 1009:
      return t("A change was too large for the server. Bring large amounts of data in as a file.");
    default:
      return t("The server could not make sense of what this page sent. Reload to start from what is saved.");
  }
}

/** The engine stopped or the server refuses: only a reload helps. */
function Ended(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const refused = () => {
    const connection = model.connection();
    return connection.state === "refused" ? connection : undefined;
  };
  const wasOpen = () => model.status().isReady;
  return (
    <>
      <Modal
        isOpen={model.stopped() !== undefined}
        title={wasOpen() ? t("This page has stopped working") : t("This page could not be loaded")}
      >
        <p>
          {wasOpen()
            ? t("Something went wrong in this page. What was marked as saved is safe on the server; reload to go on with it.")
            : t("A part of it did not arrive or could not be started. Check the connection and reload.")}
        </p>
        <p class="ended-detail">{model.stopped()}</p>
        <div class="modal-buttons">
          <button type="button" class="button is-main" onClick={() => location.reload()}>
            {t("Reload")}
          </button>
        </div>
      </Modal>
      <Modal isOpen={refused() !== undefined} title={t("The server closed this workbook")}>
        <p>{closedBecause(refused()?.code)}</p>
        <p class="ended-detail">
          {refused()?.code} {refused()?.reason}
        </p>
        <div class="modal-buttons">
          <a class="button" href="/">
            {t("Start page")}
          </a>
          <button type="button" class="button is-main" onClick={() => location.reload()}>
            {t("Try again")}
          </button>
        </div>
      </Modal>
    </>
  );
}

/** The dialogs of a workbook, each loaded when it is first asked for. */

import { lazy, Show, Suspense } from "solid-js";
import { Ended } from "./Ended.tsx";
import type { WorkbookModel } from "./model.ts";

// Opened seldom: each comes when it is first asked for.
const ValidationDialog = lazy(() => import("./data/ValidationDialog.tsx").then((module) => ({ default: module.ValidationDialog })));
const ConditionalDialog = lazy(() => import("./formats/ConditionalDialog.tsx").then((module) => ({ default: module.ConditionalDialog })));
const LayoutDialog = lazy(() => import("./formats/LayoutDialog.tsx").then((module) => ({ default: module.LayoutDialog })));
const PasteSpecialDialog = lazy(() => import("./paste/PasteSpecialDialog.tsx").then((module) => ({ default: module.PasteSpecialDialog })));
const StylesDialog = lazy(() => import("./formats/StylesDialog.tsx").then((module) => ({ default: module.StylesDialog })));
const ProtectionDialog = lazy(() => import("./data/ProtectionDialog.tsx").then((module) => ({ default: module.ProtectionDialog })));
const Obstacles = lazy(() => import("./data/Obstacles.tsx").then((module) => ({ default: module.Obstacles })));
const DuplicatesDialog = lazy(() => import("./data/DuplicatesDialog.tsx").then((module) => ({ default: module.DuplicatesDialog })));
const NamesDialog = lazy(() => import("./data/NamesDialog.tsx").then((module) => ({ default: module.NamesDialog })));
const TableDialog = lazy(() => import("./data/TableDialog.tsx").then((module) => ({ default: module.TableDialog })));
const SplitDialog = lazy(() => import("./data/SplitDialog.tsx").then((module) => ({ default: module.SplitDialog })));
const NumberFormatDialog = lazy(() => import("./formats/NumberFormatDialog.tsx").then((module) => ({ default: module.NumberFormatDialog })));
const LanguageDialog = lazy(() => import("./LanguageDialog.tsx").then((module) => ({ default: module.LanguageDialog })));
const LinkDialog = lazy(() => import("./links/LinkDialog.tsx").then((module) => ({ default: module.LinkDialog })));
const CopyDialog = lazy(() => import("./CopyDialog.tsx").then((module) => ({ default: module.CopyDialog })));
const PrintDialog = lazy(() => import("../print/PrintDialog.tsx").then((module) => ({ default: module.PrintDialog })));
const KeysDialog = lazy(() => import("./KeysDialog.tsx").then((module) => ({ default: module.KeysDialog })));
const FunctionsDialog = lazy(() => import("./FunctionsDialog.tsx").then((module) => ({ default: module.FunctionsDialog })));
const SparklineDialog = lazy(() => import("../sparklines/SparklineDialog.tsx").then((module) => ({ default: module.SparklineDialog })));
const SettingsDialog = lazy(() => import("./SettingsDialog.tsx").then((module) => ({ default: module.SettingsDialog })));
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
        <Show when={model.dialog() === "link"}>
          <LinkDialog model={model} />
        </Show>
        <Show when={model.dialog() === "copy"}>
          <CopyDialog model={model} />
        </Show>
        <Show when={model.dialog() === "names"}>
          <NamesDialog model={model} />
        </Show>
        <Show when={model.dialog() === "duplicates"}>
          <DuplicatesDialog model={model} />
        </Show>
        <Show when={model.dialog() === "table"}>
          <TableDialog model={model} />
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
        <Show when={model.dialog() === "pasteSpecial"}>
          <PasteSpecialDialog model={model} />
        </Show>
        <Show when={model.dialog() === "styles"}>
          <StylesDialog model={model} />
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
        <Show when={model.dialog() === "sparkline"}>
          <SparklineDialog model={model} />
        </Show>
        <Show when={model.dialog() === "settings"}>
          <SettingsDialog model={model} />
        </Show>
        <Show when={model.dialog() === "layout"}>
          <LayoutDialog model={model} />
        </Show>
      </Suspense>
      <Ended model={model} />
    </>
  );
}

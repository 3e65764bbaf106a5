/** The dialogs of a workbook, each loaded when it is first asked for. */

import { type Component, Show } from "solid-js";
import { LazyState, DialogMissing, part } from "../components/lazy.tsx";
import { SessionEnded } from "../connection/SessionEnded.tsx";
import type { WorkbookModel } from "../state/workbook-model.ts";
import type { Dialog } from "../state/signals.ts";

type Shown = Component<{ readonly model: WorkbookModel }>;

const DIALOGS: Readonly<Record<NonNullable<Dialog>, Shown>> = {
  conditional: part(() => import("../formatting/conditional/ConditionalFormatDialog.tsx").then((module) => module.ConditionalFormatDialog)),
  copy: part(() => import("../rooms/CopyDialog.tsx").then((module) => module.CopyDialog)),
  duplicates: part(() => import("../data/cleanup/DuplicatesDialog.tsx").then((module) => module.DuplicatesDialog)),
  functions: part(() => import("../formulas/FunctionsDialog.tsx").then((module) => module.FunctionsDialog)),
  help: part(() => import("../keyboard/ShortcutsDialog.tsx").then((module) => module.ShortcutsDialog)),
  language: part(() => import("../settings/LanguageDialog.tsx").then((module) => module.LanguageDialog)),
  layout: part(() => import("../formatting/AlignmentDialog.tsx").then((module) => module.AlignmentDialog)),
  link: part(() => import("../links/LinkDialog.tsx").then((module) => module.LinkDialog)),
  names: part(() => import("../data/names/NamesDialog.tsx").then((module) => module.NamesDialog)),
  numberFormat: part(() => import("../formatting/NumberFormatDialog.tsx").then((module) => module.NumberFormatDialog)),
  pasteSpecial: part(() => import("../clipboard/PasteSpecialDialog.tsx").then((module) => module.PasteSpecialDialog)),
  print: part(() => import("../printing/PrintDialog.tsx").then((module) => module.PrintDialog)),
  protection: part(() => import("../data/protection/ProtectionDialog.tsx").then((module) => module.ProtectionDialog)),
  settings: part(() => import("../settings/SettingsDialog.tsx").then((module) => module.SettingsDialog)),
  sort: part(() => import("../data/sort/SortDialog.tsx").then((module) => module.SortDialog)),
  sparkline: part(() => import("../sparklines/SparklineDialog.tsx").then((module) => module.SparklineDialog)),
  split: part(() => import("../data/cleanup/SplitDialog.tsx").then((module) => module.SplitDialog)),
  styles: part(() => import("../formatting/StylesDialog.tsx").then((module) => module.StylesDialog)),
  table: part(() => import("../data/tables/TableDialog.tsx").then((module) => module.TableDialog)),
  validation: part(() => import("../data/validation/ValidationDialog.tsx").then((module) => module.ValidationDialog)),
};

const EntryAlerts = part(() => import("../data/validation/EntryAlerts.tsx").then((module) => module.EntryAlerts));

export function Dialogs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <>
      <Show when={model.dialog()} keyed>
        {(name) => {
          const Shown = DIALOGS[name];
          return (
            <LazyState failed={(again) => <DialogMissing onAgain={again} onClose={() => model.closeDialog()} />}>
              <Shown model={model} />
            </LazyState>
          );
        }}
      </Show>
      <Show when={model.entryChecks.obstacle()}>
        <LazyState failed={(again) => <DialogMissing onAgain={again} onClose={() => model.entryChecks.close()} />}>
          <EntryAlerts model={model} />
        </LazyState>
      </Show>
      <SessionEnded model={model} />
    </>
  );
}

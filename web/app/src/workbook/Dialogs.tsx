/** The dialogs of a workbook, each loaded when it is first asked for. */

import { type Component, Show } from "solid-js";
import { Arriving, DialogMissing, part } from "../parts/arriving.tsx";
import { Ended } from "./Ended.tsx";
import type { WorkbookModel } from "./model.ts";
import type { Dialog } from "./signals.ts";

type Shown = Component<{ readonly model: WorkbookModel }>;

const DIALOGS: Readonly<Record<NonNullable<Dialog>, Shown>> = {
  conditional: part(() => import("./formats/ConditionalDialog.tsx").then((module) => module.ConditionalDialog)),
  copy: part(() => import("./CopyDialog.tsx").then((module) => module.CopyDialog)),
  duplicates: part(() => import("./data/DuplicatesDialog.tsx").then((module) => module.DuplicatesDialog)),
  functions: part(() => import("./FunctionsDialog.tsx").then((module) => module.FunctionsDialog)),
  help: part(() => import("./KeysDialog.tsx").then((module) => module.KeysDialog)),
  language: part(() => import("./LanguageDialog.tsx").then((module) => module.LanguageDialog)),
  layout: part(() => import("./formats/LayoutDialog.tsx").then((module) => module.LayoutDialog)),
  link: part(() => import("./links/LinkDialog.tsx").then((module) => module.LinkDialog)),
  names: part(() => import("./data/NamesDialog.tsx").then((module) => module.NamesDialog)),
  numberFormat: part(() => import("./formats/NumberFormatDialog.tsx").then((module) => module.NumberFormatDialog)),
  pasteSpecial: part(() => import("./paste/PasteSpecialDialog.tsx").then((module) => module.PasteSpecialDialog)),
  print: part(() => import("../print/PrintDialog.tsx").then((module) => module.PrintDialog)),
  protection: part(() => import("./data/ProtectionDialog.tsx").then((module) => module.ProtectionDialog)),
  settings: part(() => import("./SettingsDialog.tsx").then((module) => module.SettingsDialog)),
  sort: part(() => import("./SortDialog.tsx").then((module) => module.SortDialog)),
  sparkline: part(() => import("../sparklines/SparklineDialog.tsx").then((module) => module.SparklineDialog)),
  split: part(() => import("./data/SplitDialog.tsx").then((module) => module.SplitDialog)),
  styles: part(() => import("./formats/StylesDialog.tsx").then((module) => module.StylesDialog)),
  table: part(() => import("./data/TableDialog.tsx").then((module) => module.TableDialog)),
  validation: part(() => import("./data/ValidationDialog.tsx").then((module) => module.ValidationDialog)),
};

const Obstacles = part(() => import("./data/Obstacles.tsx").then((module) => module.Obstacles));

export function Dialogs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <>
      <Show when={model.dialog()} keyed>
        {(name) => {
          const Shown = DIALOGS[name];
          return (
            <Arriving failed={(again) => <DialogMissing onAgain={again} onClose={() => model.closeDialog()} />}>
              <Shown model={model} />
            </Arriving>
          );
        }}
      </Show>
      <Show when={model.entering.obstacle()}>
        <Arriving failed={(again) => <DialogMissing onAgain={again} onClose={() => model.entering.close()} />}>
          <Obstacles model={model} />
        </Arriving>
      </Show>
      <Ended model={model} />
    </>
  );
}

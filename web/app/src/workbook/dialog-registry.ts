/**
 * The dialogs of a workbook. A new dialog is one file with a component, and one line here: the key
 * is the name that `model.openDialog` takes. `dialogs-for-viewers.ts` lists those that open without edit
 * permission.
 */

import type { Component } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";

/** One dialog: how its component is loaded. */
interface Registration {
  readonly load: () => Promise<Component<{ readonly model: WorkbookModel }>>;
}

const registry = {
  alignment: { load: () => import("../formatting/AlignmentDialog.tsx").then((module) => module.AlignmentDialog) },
  columnType: { load: () => import("../tables/ColumnTypeDialog.tsx").then((module) => module.ColumnTypeDialog) },
  columnWidth: { load: () => import("../rows-columns/SizeDialog.tsx").then((module) => module.ColumnWidthDialog) },
  conditionalFormat: { load: () => import("../formatting/conditional/ConditionalFormatDialog.tsx").then((module) => module.ConditionalFormatDialog) },
  copyWorkbook: { load: () => import("../rooms/CopyDialog.tsx").then((module) => module.CopyDialog) },
  dataTable: { load: () => import("../data-tables/DataTableDialog.tsx").then((module) => module.DataTableDialog) },
  download: { load: () => import("../files/DownloadDialog.tsx").then((module) => module.DownloadDialog) },
  duplicates: { load: () => import("../data-cleanup/DuplicatesDialog.tsx").then((module) => module.DuplicatesDialog) },
  evaluateFormula: { load: () => import("../formulas/EvaluateFormulaDialog.tsx").then((module) => module.EvaluateFormulaDialog) },
  formatCells: { load: () => import("../formatting/FormatCellsDialog.tsx").then((module) => module.FormatCellsDialog) },
  forms: { load: () => import("../forms/FormsDialog.tsx").then((module) => module.FormsDialog) },
  functions: { load: () => import("../formulas/FunctionsDialog.tsx").then((module) => module.FunctionsDialog) },
  goalSeek: { load: () => import("../data-cleanup/GoalSeekDialog.tsx").then((module) => module.GoalSeekDialog) },
  language: { load: () => import("../settings/LanguageDialog.tsx").then((module) => module.LanguageDialog) },
  link: { load: () => import("../links/LinkDialog.tsx").then((module) => module.LinkDialog) },
  nameVersion: { load: () => import("../history/NameVersionDialog.tsx").then((module) => module.NameVersionDialog) },
  namedFunctions: { load: () => import("../names/NamedFunctionsDialog.tsx").then((module) => module.NamedFunctionsDialog) },
  names: { load: () => import("../names/NamesDialog.tsx").then((module) => module.NamesDialog) },
  numberFormat: { load: () => import("../formatting/NumberFormatDialog.tsx").then((module) => module.NumberFormatDialog) },
  pasteSpecial: { load: () => import("../clipboard/PasteSpecialDialog.tsx").then((module) => module.PasteSpecialDialog) },
  print: { load: () => import("../printing/PrintDialog.tsx").then((module) => module.PrintDialog) },
  protection: { load: () => import("../protection/ProtectionDialog.tsx").then((module) => module.ProtectionDialog) },
  publish: { load: () => import("../publishing/PublishDialog.tsx").then((module) => module.PublishDialog) },
  rowHeight: { load: () => import("../rows-columns/SizeDialog.tsx").then((module) => module.RowHeightDialog) },
  scenarios: { load: () => import("../scenarios/ScenariosDialog.tsx").then((module) => module.ScenariosDialog) },
  settings: { load: () => import("../settings/SettingsDialog.tsx").then((module) => module.SettingsDialog) },
  shape: { load: () => import("../shapes/ShapeDialog.tsx").then((module) => module.ShapeDialog) },
  share: { load: () => import("../access/ShareDialog.tsx").then((module) => module.ShareDialog) },
  shortcuts: { load: () => import("../keyboard/ShortcutsDialog.tsx").then((module) => module.ShortcutsDialog) },
  solver: { load: () => import("../solver/SolverDialog.tsx").then((module) => module.SolverDialog) },
  sort: { load: () => import("../sort/SortDialog.tsx").then((module) => module.SortDialog) },
  sparkline: { load: () => import("../sparklines/SparklineDialog.tsx").then((module) => module.SparklineDialog) },
  split: { load: () => import("../data-cleanup/SplitDialog.tsx").then((module) => module.SplitDialog) },
  styles: { load: () => import("../formatting/StylesDialog.tsx").then((module) => module.StylesDialog) },
  table: { load: () => import("../tables/TableDialog.tsx").then((module) => module.TableDialog) },
  textFormat: { load: () => import("../formatting/TextFormatDialog.tsx").then((module) => module.TextFormatDialog) },
  validation: { load: () => import("../validation/ValidationDialog.tsx").then((module) => module.ValidationDialog) },
};

/** The name of a dialog. */
export type DialogName = keyof typeof registry;

/** Every dialog by its name. */
export const DIALOGS: Readonly<Record<DialogName, Registration>> = registry;

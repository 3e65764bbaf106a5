/** The entries of the menu bar; loaded together with the overlays. */

import { For, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { MenuCheck, MenuHeading, MenuItem, MenuSeparator } from "../components/index.ts";
import { insertChart } from "../charts/index.ts";
import { pasteFromMenu } from "../clipboard/index.ts";
import { formulaTraces } from "../formulas/index.ts";
import { keyLabel as key } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chooseR1c1, notation } from "../settings/index.ts";
import { insertPivotTable } from "../pivot-tables/index.ts";
import { DASHBOARD_SETTINGS, isDashboard, SHEET_SETTINGS, startPresentation } from "../presentation/index.ts";
import { canInsertPageBreak, hasPageBreak, insertPageBreak, Outline, removePageBreak, RowsAndColumns } from "../rows-columns/index.ts";
import { insertSlicer } from "../slicers/index.ts";
import { filterViews, toggleFilter, viewName } from "../filter/index.ts";
import { fillByExample, trimWhitespace } from "../data-cleanup/index.ts";
import { alternateRows } from "../formatting/index.ts";
import { chooseScheme, chosenScheme, type Scheme } from "../theme/index.ts";
import { SuggestionEntries } from "./SuggestionEntries.tsx";
import { invalidCircles } from "../validation/index.ts";
import { autofill } from "./autofill.ts";

export { CellEntries } from "./CellEntries.tsx";
export { FileEntries } from "./FileEntries.tsx";

interface MenuEntriesProps {
  readonly model: WorkbookModel;
}

/** The "Edit" menu. */
export function EditEntries(props: MenuEntriesProps) {
  const { model } = props;
  return (
    <>
      <MenuItem isForCommenters icon="undo" keys={key("mod+z")} isDisabled={!model.history().canUndo} onSelect={() => model.undo()}>
        {t("Undo")}
      </MenuItem>
      <MenuItem isForCommenters icon="redo" keys={key("mod+y")} isDisabled={!model.history().canRedo} onSelect={() => model.redo()}>
        {t("Redo")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="cut" keys={key("mod+x")} onSelect={() => model.clipboard.copySelection(true)}>
        {t("Cut")}
      </MenuItem>
      <MenuItem isForViewers icon="copy" keys={key("mod+c")} onSelect={() => model.clipboard.copySelection(false)}>
        {t("Copy")}
      </MenuItem>
      <MenuItem icon="paste" keys={key("mod+v")} onSelect={() => void pasteFromMenu(model, "all")}>
        {t("Paste")}
      </MenuItem>
      <MenuItem keys={key("mod+alt+v")} onSelect={() => model.openDialog("pasteSpecial")}>
        {t("Paste special…")}
      </MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(autofill(model))}>{t("Autofill")}</MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Paste only")}</MenuHeading>
      <MenuItem keys={key("mod+shift+v")} onSelect={() => void pasteFromMenu(model, "values")}>
        {t("Values")}
      </MenuItem>
      <MenuItem onSelect={() => void pasteFromMenu(model, "contents")}>{t("Formulas")}</MenuItem>
      <MenuItem onSelect={() => void pasteFromMenu(model, "formats")}>{t("Formats")}</MenuItem>
      <MenuItem onSelect={() => void pasteFromMenu(model, "transposed")}>{t("Transpose")}</MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers keys={key("mod+f")} onSelect={() => model.findModel.open(false)}>
        {t("Find…")}
      </MenuItem>
      <MenuItem keys={key("mod+h")} onSelect={() => model.findModel.open(true)}>
        {t("Find and replace…")}
      </MenuItem>
      <MenuItem isForViewers keys={key("mod+g")} onSelect={() => model.keys.focusNameBox()}>
        {t("Go to…")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem keys={key("Delete")} onSelect={() => model.clear("contents")}>
        {t("Clear contents")}
      </MenuItem>
      <MenuItem icon="eraser" onSelect={() => model.clear("formats")}>
        {t("Clear formats")}
      </MenuItem>
      <MenuItem onSelect={() => model.clear("all")}>{t("Clear all")}</MenuItem>
    </>
  );
}

const SCHEMES: readonly (readonly [scheme: Scheme | undefined, name: Message])[] = [
  [undefined, "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** The "View" menu. */
export function ViewEntries(props: MenuEntriesProps) {
  const { model } = props;
  const freeze = (rows: number, columns: number): void => new RowsAndColumns(model).freeze(rows, columns);
  const settings = () => model.items.ofKind("sheetSettings")[0]?.fields ?? {};
  const toggle = (field: "rightToLeft" | "showGridlines", defaultValue: boolean): void => {
    const current = settings()[field] ?? defaultValue;
    model.items.patch(0, { [field]: current === !defaultValue ? null : !defaultValue });
  };
  const toggleDashboard = (): void => {
    model.cellEdit.commit();
    model.selectItem(undefined);
    model.items.patch(0, { ...(isDashboard(model) ? SHEET_SETTINGS : DASHBOARD_SETTINGS) });
    model.focusCells();
  };
  const isFrozen = (rows: number, columns: number): boolean =>
    (settings()["frozenRows"] ?? 0) === rows && (settings()["frozenColumns"] ?? 0) === columns;
  /** The cell up to which rows and columns are frozen, if no other entry applies. */
  const frozenCell = (): string | undefined => {
    const [row, column] = [Number(settings()["frozenRows"] ?? 0), Number(settings()["frozenColumns"] ?? 0)];
    return isFrozen(1, 0) || isFrozen(0, 1) || isFrozen(0, 0) ? undefined : notation().cell({ row, column });
  };
  const hide = (dimension: "rows" | "columns", hidden: boolean): void => new RowsAndColumns(model).hide(dimension, hidden);
  return (
    <>
      <MenuHeading>{t("Freeze")}</MenuHeading>
      <MenuCheck isChecked={isFrozen(1, 0)} onSelect={() => freeze(1, 0)}>
        {t("First row")}
      </MenuCheck>
      <MenuCheck isChecked={isFrozen(0, 1)} onSelect={() => freeze(0, 1)}>
        {t("First column")}
      </MenuCheck>
      <MenuCheck
        isChecked={frozenCell() !== undefined}
        note={frozenCell()}
        onSelect={() => freeze(model.selection().active.row, model.selection().active.column)}
      >
        {t("Up to current cell")}
      </MenuCheck>
      <MenuCheck isChecked={isFrozen(0, 0)} onSelect={() => freeze(0, 0)}>
        {t("None|of freezing")}
      </MenuCheck>
      <MenuSeparator />
      <MenuCheck isForViewers isChecked={model.panel() === "chat"} onSelect={() => (model.panel() === "chat" ? model.closePanel() : model.openPanel("chat"))}>
        {t("Chat")}
      </MenuCheck>
      <MenuCheck isForCommenters isChecked={model.suggestions.isOn()} onSelect={() => model.suggestions.switchTo(!model.suggestions.isOn())}>
        {t("Suggest edits")}
      </MenuCheck>
      <MenuCheck isForViewers isChecked={model.panel() === "suggestions"} onSelect={() => (model.panel() === "suggestions" ? model.closePanel() : model.openPanel("suggestions"))}>
        {t("Suggestions|of edits")}
      </MenuCheck>
      <SuggestionEntries model={model} />
      <MenuSeparator />
      <MenuCheck isForViewers keys={key("mod+`")} isChecked={model.showsFormulas()} onSelect={() => model.showFormulas(!model.showsFormulas())}>
        {t("Show formulas")}
      </MenuCheck>
      <MenuSeparator />
      <MenuItem keys={key("alt+shift+ArrowRight")} onSelect={() => new Outline(model).group("rows")}>
        {t("Group rows")}
      </MenuItem>
      <MenuItem onSelect={() => new Outline(model).group("columns")}>{t("Group columns")}</MenuItem>
      <MenuItem keys={key("alt+shift+ArrowLeft")} onSelect={() => new Outline(model).ungroup()}>
        {t("Ungroup")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => hide("rows", true)}>{t("Hide rows")}</MenuItem>
      <MenuItem onSelect={() => hide("columns", true)}>{t("Hide columns")}</MenuItem>
      <MenuItem onSelect={() => hide("rows", false)}>{t("Unhide rows")}</MenuItem>
      <MenuItem onSelect={() => hide("columns", false)}>{t("Unhide columns")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("rowHeight")}>{t("Row height…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("columnWidth")}>{t("Column width…")}</MenuItem>
      <MenuSeparator />
      <MenuCheck isChecked={settings()["rightToLeft"] === true} onSelect={() => toggle("rightToLeft", false)}>
        {t("Right-to-left sheet")}
      </MenuCheck>
      <MenuCheck isChecked={settings()["showGridlines"] !== false} onSelect={() => (isDashboard(model) ? toggleDashboard() : toggle("showGridlines", true))}>
        {t("Show gridlines")}
      </MenuCheck>
      <MenuCheck isChecked={isDashboard(model)} onSelect={toggleDashboard}>
        {t("Show as dashboard")}
      </MenuCheck>
      <MenuCheck isForViewers isChecked={notation().isR1c1} onSelect={() => void toggleR1c1(model)}>
        {t("R1C1 reference style")}
      </MenuCheck>
      <MenuSeparator />
      <MenuItem isForViewers isDisabled={model.sheet() === undefined} onSelect={() => startPresentation()}>
        {t("Present")}
      </MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Theme")}</MenuHeading>
      <For each={SCHEMES}>
        {([scheme, name]) => (
          <MenuCheck isForViewers isChecked={model.schemeChanges() >= 0 && chosenScheme() === scheme} onSelect={() => chooseScheme(scheme)}>
            {t(name)}
          </MenuCheck>
        )}
      </For>
    </>
  );
}

async function toggleR1c1(model: WorkbookModel): Promise<void> {
  if (!(await chooseR1c1(!notation().isR1c1))) {
    model.toast(t("R1C1 reference style could not be loaded. Check your connection and try again."), true);
  }
}

/** The "Insert" menu. */
export function InsertEntries(props: MenuEntriesProps) {
  const { model } = props;
  return (
    <>
      <MenuItem icon="rowAbove" onSelect={() => new RowsAndColumns(model).insert("rows", "before")}>
        {t("Rows above")}
      </MenuItem>
      <MenuItem icon="rowBelow" onSelect={() => new RowsAndColumns(model).insert("rows", "after")}>
        {t("Rows below")}
      </MenuItem>
      <MenuItem icon="columnBefore" onSelect={() => new RowsAndColumns(model).insert("columns", "before")}>
        {t("Columns to the left")}
      </MenuItem>
      <MenuItem icon="columnAfter" onSelect={() => new RowsAndColumns(model).insert("columns", "after")}>
        {t("Columns to the right")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="sheet" onSelect={() => model.addSheet()}>
        {t("Sheet")}
      </MenuItem>
      <MenuItem keys={key("mod+alt+t")} onSelect={() => model.openDialog("table")}>
        {t("Table…")}
      </MenuItem>
      <MenuItem onSelect={() => model.openDialog("forms")}>{t("Form…")}</MenuItem>
      <MenuItem icon="chart" onSelect={() => model.keys.waitFor(insertChart(model))}>
        {t("Chart")}
      </MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(insertPivotTable(model))}>{t("Pivot table")}</MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(insertSlicer(model))}>{t("Slicer")}</MenuItem>
      <MenuItem icon="sum" onSelect={() => model.openDialog("functions")}>
        {t("Function…")}
      </MenuItem>
      <MenuItem onSelect={() => void import("../images/insert-image.ts").then(({ chooseImages }) => chooseImages(model))}>
        {t("Image…")}
      </MenuItem>
      <MenuItem needsServer onSelect={() => void import("../shapes/insert-shape.ts").then(({ insertTextBox }) => insertTextBox(model))}>
        {t("Text box")}
      </MenuItem>
      <MenuItem needsServer onSelect={() => model.openDialog("shape")}>
        {t("Shape…")}
      </MenuItem>
      <MenuItem onSelect={() => model.openDialog("sparkline")}>{t("Sparkline…")}</MenuItem>
      <MenuItem keys={key("mod+k")} onSelect={() => model.openDialog("link")}>
        {t("Link…")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isDisabled={!canInsertPageBreak(model)} onSelect={() => insertPageBreak(model)}>
        {t("Page break")}
      </MenuItem>
      <MenuItem isDisabled={!hasPageBreak(model)} onSelect={() => removePageBreak(model)}>
        {t("Remove page break")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers icon="comment" keys={key("mod+alt+m")} onSelect={() => model.openPanel("comments")}>
        {t("Comment or note…")}
      </MenuItem>
    </>
  );
}

const SIDES = [
  ["left", "alignLeft", "Align left"],
  ["center", "alignCenter", "Align centre"],
  ["right", "alignRight", "Align right"],
] as const;

/** The "Format" menu. */
export function FormatEntries(props: MenuEntriesProps) {
  const { model } = props;
  const merge = (how: "all" | "rows" | "columns"): void =>
    model.eachRange((range, sheet) => ({ type: "merge", sheet, range, how }));
  return (
    <>
      <MenuItem icon="bold" keys={key("mod+b")} onSelect={() => model.toggle("bold")}>
        {t("Bold")}
      </MenuItem>
      <MenuItem icon="italic" keys={key("mod+i")} onSelect={() => model.toggle("italic")}>
        {t("Italic")}
      </MenuItem>
      <MenuItem icon="underline" keys={key("mod+u")} onSelect={() => model.toggle("underline")}>
        {t("Underline")}
      </MenuItem>
      <MenuItem icon="strikethrough" keys={key("alt+shift+5")} onSelect={() => model.toggle("strikethrough")}>
        {t("Strikethrough")}
      </MenuItem>
      <MenuSeparator />
      <For each={SIDES}>
        {([side, icon, name]) => (
          <MenuItem icon={icon} onSelect={() => model.format({ horizontal: side })}>
            {t(name)}
          </MenuItem>
        )}
      </For>
      <MenuItem icon="wrap" onSelect={() => model.toggle("wrap")}>
        {t("Wrap text")}
      </MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Merge cells")}</MenuHeading>
      <MenuItem onSelect={() => merge("all")}>{t("Merge all")}</MenuItem>
      <MenuItem onSelect={() => merge("rows")}>{t("Merge horizontally")}</MenuItem>
      <MenuItem onSelect={() => model.eachRange((range, sheet) => ({ type: "unmerge", sheet, range }))}>
        {t("Unmerge")}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => model.openDialog("styles")}>{t("Cell styles…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("formatCells")}>{t("Format cells…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("alignment")}>{t("Indent and rotation…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("conditionalFormat")}>{t("Conditional formatting…")}</MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(alternateRows(model))}>{t("Alternating colours")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("numberFormat")}>{t("Custom number format…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("textFormat")}>{t("Text format…")}</MenuItem>
      <MenuItem icon="eraser" onSelect={() => model.clear("formats")}>
        {t("Clear formats")}
      </MenuItem>
    </>
  );
}

/** The "Data" menu. */
export function DataEntries(props: MenuEntriesProps) {
  const { model } = props;
  return (
    <>
      <MenuItem icon="sort" onSelect={() => model.openDialog("sort")}>
        {t("Sort…")}
      </MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(toggleFilter(model))}>{t("Filter")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("validation")}>{t("Data validation…")}</MenuItem>
      <MenuCheck isForViewers isChecked={invalidCircles(model).isOn()} onSelect={() => model.keys.waitFor(invalidCircles(model).toggle())}>
        {t("Circle invalid data")}
      </MenuCheck>
      <MenuItem isForViewers onSelect={() => model.openDialog("names")}>{t("Named ranges…")}</MenuItem>
      <MenuItem isForViewers onSelect={() => model.openDialog("namedFunctions")}>{t("Named functions…")}</MenuItem>
      <MenuItem isForViewers icon="lock" onSelect={() => model.openDialog("protection")}>
        {t("Protected cells…")}
      </MenuItem>
      <MenuSeparator />
      <MenuHeading>{t("Filter views")}</MenuHeading>
      <For each={filterViews(model).list()}>
        {(view) => (
          <MenuCheck isForViewers isChecked={filterViews(model).current()?.id === view.id} onSelect={() => filterViews(model).open(view.id)}>
            <span dir="auto">{viewName(view)}</span>
          </MenuCheck>
        )}
      </For>
      <MenuItem onSelect={() => model.keys.waitFor(filterViews(model).create())}>
        {t("New filter view")}
      </MenuItem>
      <Show when={filterViews(model).current()}>
        <MenuItem isForViewers onSelect={() => filterViews(model).close()}>{t("Close filter view")}</MenuItem>
      </Show>
      <MenuSeparator />
      <MenuItem isForViewers onSelect={() => model.openPanel("cleanUp")}>{t("Clean-up suggestions")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("duplicates")}>{t("Remove duplicates…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("split")}>{t("Split text to columns…")}</MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(trimWhitespace(model))}>
        {t("Trim whitespace")}
      </MenuItem>
      <MenuItem onSelect={() => model.keys.waitFor(fillByExample(model))}>
        {t("Fill by example")}
      </MenuItem>
      <MenuItem onSelect={() => model.openDialog("goalSeek")}>{t("Goal seek…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("dataTable")}>{t("Data table…")}</MenuItem>
      <MenuItem isForViewers onSelect={() => model.openDialog("scenarios")}>{t("Scenarios…")}</MenuItem>
      <MenuItem onSelect={() => model.openDialog("solver")}>{t("Solver…")}</MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers onSelect={() => model.keys.waitFor(formulaTraces(model).trace("precedents"))}>
        {t("Trace precedents")}
      </MenuItem>
      <MenuItem isForViewers onSelect={() => model.keys.waitFor(formulaTraces(model).trace("dependents"))}>
        {t("Trace dependents")}
      </MenuItem>
      <MenuItem isForViewers isDisabled={!formulaTraces(model).isOn()} onSelect={() => formulaTraces(model).clear()}>
        {t("Remove arrows")}
      </MenuItem>
      <MenuItem isForViewers onSelect={() => model.openDialog("evaluateFormula")}>{t("Evaluate formula…")}</MenuItem>
      <MenuItem isForViewers onSelect={() => model.openPanel("watch")}>{t("Watch window")}</MenuItem>
      <MenuSeparator />
      <MenuItem isForViewers onSelect={() => model.openPanel("statistics")}>{t("Column statistics")}</MenuItem>
    </>
  );
}

/** The entries of the context menu of cells. */

import { columnCount, isWholeColumns, isWholeRows, rowCount } from "@quadrille/grid";
import { createSignal, Show } from "solid-js";
import { insertChart } from "../charts/index.ts";
import { pasteFromMenu } from "../clipboard/index.ts";
import { Outline, RowsAndColumns } from "../rows-columns/index.ts";
import { MenuItem, MenuSeparator } from "../components/index.ts";
import { keyLabel as key } from "../keyboard/index.ts";
import { editPivotTable, type LabelActions, labelActions, pivotTableAt } from "../pivot-tables/index.ts";
import { showSourceRows, type WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import { tableAt } from "../tables/index.ts";
import { autofill } from "./autofill.ts";
import { SuggestionEntries } from "./SuggestionEntries.tsx";

/** The context menu of cells, rows and columns. */
export function CellEntries(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const rows = () => rowCount(model.range);
  const columns = () => columnCount(model.range);
  const [pivotTable, setPivotTable] = createSignal<number>();
  const [labels, setLabels] = createSignal<LabelActions>({});
  void pivotTableAt(model).then(setPivotTable);
  if (model.items.ofKind("pivotTable").length > 0) {
    void labelActions(model).then(setLabels);
  }
  /** Whether the menu is for rows or columns: by the pressed header, or by the selection. */
  const target = () => {
    const pressed = model.menu()?.target;
    return pressed !== "cells" ? pressed : isWholeRows(model.range) ? "rows" : isWholeColumns(model.range) ? "columns" : pressed;
  };
  const frozen = (field: "frozenRows" | "frozenColumns"): number => Number(model.items.ofKind("sheetSettings")[0]?.fields[field] ?? 0);
  const freeze = (rows: number, columns: number): void => new RowsAndColumns(model).freeze(rows, columns);
  return (
    <>
      <MenuItem icon="cut" keys={key("mod+x")} onSelect={() => model.clipboard.copySelection(true)}>
        {t("Cut")}
      </MenuItem>
      <MenuItem isForViewers icon="copy" keys={key("mod+c")} onSelect={() => model.clipboard.copySelection(false)}>
        {t("Copy")}
      </MenuItem>
      <MenuItem icon="paste" keys={key("mod+v")} onSelect={() => void pasteFromMenu(model, "all")}>
        {t("Paste")}
      </MenuItem>
      <MenuItem keys={key("mod+shift+v")} onSelect={() => void pasteFromMenu(model, "values")}>
        {t("Paste values")}
      </MenuItem>
      <Show when={rows() > 1 || columns() > 1}>
        <MenuItem onSelect={() => model.keys.waitFor(autofill(model))}>{t("Autofill")}</MenuItem>
      </Show>
      <MenuSeparator />
      <Show when={target() !== "columns"}>
        <MenuItem icon="rowAbove" onSelect={() => new RowsAndColumns(model).insert("rows", "before")}>
          {t("Insert {count} rows above", { count: rows() })}
        </MenuItem>
        <MenuItem icon="rowBelow" onSelect={() => new RowsAndColumns(model).insert("rows", "after")}>
          {t("Insert {count} rows below", { count: rows() })}
        </MenuItem>
      </Show>
      <Show when={target() !== "rows"}>
        <MenuItem icon="columnBefore" onSelect={() => new RowsAndColumns(model).insert("columns", "before")}>
          {t("Insert {count} columns to the left", { count: columns() })}
        </MenuItem>
        <MenuItem icon="columnAfter" onSelect={() => new RowsAndColumns(model).insert("columns", "after")}>
          {t("Insert {count} columns to the right", { count: columns() })}
        </MenuItem>
      </Show>
      <MenuSeparator />
      <Show when={target() === "rows"}>
        <MenuItem onSelect={() => new RowsAndColumns(model).hide("rows", true)}>{t("Hide rows")}</MenuItem>
        <MenuItem onSelect={() => new RowsAndColumns(model).hide("rows", false)}>{t("Unhide rows")}</MenuItem>
        <MenuItem onSelect={() => model.openDialog("rowHeight")}>{t("Row height…")}</MenuItem>
        <MenuItem keys={key("alt+shift+ArrowRight")} onSelect={() => new Outline(model).group("rows")}>
          {t("Group rows")}
        </MenuItem>
        <MenuItem onSelect={() => freeze(model.range.bottom + 1, frozen("frozenColumns"))}>{t("Freeze up to row {row}", { row: model.range.bottom + 1 })}</MenuItem>
        <MenuItem keys={key("alt+shift+ArrowUp")} onSelect={() => new RowsAndColumns(model).moveSelected("rows", -1)}>
          {t("Move {count} rows up", { count: rows() })}
        </MenuItem>
        <MenuItem keys={key("alt+shift+ArrowDown")} onSelect={() => new RowsAndColumns(model).moveSelected("rows", 1)}>
          {t("Move {count} rows down", { count: rows() })}
        </MenuItem>
        <MenuSeparator />
      </Show>
      <Show when={target() === "columns"}>
        <MenuItem onSelect={() => new RowsAndColumns(model).hide("columns", true)}>{t("Hide columns")}</MenuItem>
        <MenuItem onSelect={() => new RowsAndColumns(model).hide("columns", false)}>{t("Unhide columns")}</MenuItem>
        <MenuItem onSelect={() => model.openDialog("columnWidth")}>{t("Column width…")}</MenuItem>
        <MenuItem onSelect={() => new Outline(model).group("columns")}>{t("Group columns")}</MenuItem>
        <MenuItem onSelect={() => freeze(frozen("frozenRows"), model.range.right + 1)}>
          {t("Freeze up to column {column}", { column: notation().column(model.range.right) })}
        </MenuItem>
        <MenuItem keys={key("mod+alt+shift+ArrowLeft")} onSelect={() => new RowsAndColumns(model).moveSelected("columns", -1)}>
          {t("Move {count} columns to the left", { count: columns() })}
        </MenuItem>
        <MenuItem keys={key("mod+alt+shift+ArrowRight")} onSelect={() => new RowsAndColumns(model).moveSelected("columns", 1)}>
          {t("Move {count} columns to the right", { count: columns() })}
        </MenuItem>
        <MenuSeparator />
      </Show>
      <Show when={target() !== "columns"}>
        <MenuItem icon="trash" onSelect={() => new RowsAndColumns(model).remove("rows")}>
          {model.grid?.hasHiddenRows(model.range) ? t("Delete selected rows") : t("Delete {count} rows", { count: rows() })}
        </MenuItem>
      </Show>
      <Show when={target() !== "rows"}>
        <MenuItem icon="trash" onSelect={() => new RowsAndColumns(model).remove("columns")}>
          {t("Delete {count} columns", { count: columns() })}
        </MenuItem>
      </Show>
      <MenuSeparator />
      <SuggestionEntries model={model} />
      <MenuItem isForViewers icon="comment" keys={key("mod+alt+m")} onSelect={() => model.openPanel("comments")}>
        {t("Comment or note…")}
      </MenuItem>
      <MenuItem keys={key("mod+k")} onSelect={() => model.openDialog("link")}>
        {t("Link…")}
      </MenuItem>
      <MenuItem icon="chart" onSelect={() => model.keys.waitFor(insertChart(model))}>
        {t("Insert chart")}
      </MenuItem>
      <Show when={pivotTable() !== undefined}>
        <MenuItem onSelect={() => model.keys.waitFor(editPivotTable(model))}>{t("Edit pivot table")}</MenuItem>
        <MenuItem onSelect={() => model.keys.waitFor(showSourceRows(model, model.selection().active))}>{t("Show source rows")}</MenuItem>
      </Show>
      <Show when={labels().group}>
        {(group) => <MenuItem onSelect={() => model.keys.waitFor(group()())}>{t("Group|labels of a pivot table")}</MenuItem>}
      </Show>
      <Show when={labels().ungroup}>{(ungroup) => <MenuItem onSelect={() => ungroup()()}>{t("Ungroup")}</MenuItem>}</Show>
      <Show when={tableAt(model, model.selection().active)}>
        <MenuItem onSelect={() => model.openDialog("columnType")}>{t("Column type…")}</MenuItem>
      </Show>
      <MenuItem icon="sort" onSelect={() => model.openDialog("sort")}>
        {t("Sort…")}
      </MenuItem>
      <Show when={target() === "columns"}>
        <MenuItem isForViewers onSelect={() => model.openPanel("statistics")}>{t("Column statistics")}</MenuItem>
      </Show>
      <MenuItem keys={key("Delete")} onSelect={() => model.clear("contents")}>
        {t("Clear contents")}
      </MenuItem>
      <MenuItem icon="eraser" onSelect={() => model.clear("formats")}>
        {t("Clear formats")}
      </MenuItem>
    </>
  );
}

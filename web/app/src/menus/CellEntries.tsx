/** What a right click or a long press offers. */

import { columnCount, isWholeColumns, isWholeRows, rowCount } from "@quadrille/grid";
import { Show } from "solid-js";
import { insertChart } from "../charts/index.ts";
import { MenuItem, MenuSeparator } from "../components/index.ts";
import { keyLabel as key } from "../keyboard/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

export function CellEntries(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const rows = () => rowCount(model.range);
  const columns = () => columnCount(model.range);
  /** Whole rows or columns, by what was pressed or else by what is selected. */
  const lines = () => {
    const pressed = model.menu()?.lines;
    return pressed !== "cells" ? pressed : isWholeRows(model.range) ? "rows" : isWholeColumns(model.range) ? "columns" : pressed;
  };
  return (
    <>
      <MenuItem icon="cut" keys={key("mod+x")} onSelect={() => void model.clipboard.copySelection(true)}>
        {t("Cut")}
      </MenuItem>
      <MenuItem isForViewers icon="copy" keys={key("mod+c")} onSelect={() => void model.clipboard.copySelection(false)}>
        {t("Copy")}
      </MenuItem>
      <MenuItem icon="paste" keys={key("mod+v")} onSelect={() => void model.clipboard.pasteFromMenu("all")}>
        {t("Paste")}
      </MenuItem>
      <MenuItem keys={key("mod+shift+v")} onSelect={() => void model.clipboard.pasteFromMenu("values")}>
        {t("Paste values")}
      </MenuItem>
      <MenuSeparator />
      <Show when={lines() !== "columns"}>
        <MenuItem icon="rowAbove" onSelect={() => model.lines.insert("rows", "before")}>
          {t("Insert {count} rows above", { count: rows() })}
        </MenuItem>
        <MenuItem icon="rowBelow" onSelect={() => model.lines.insert("rows", "after")}>
          {t("Insert {count} rows below", { count: rows() })}
        </MenuItem>
      </Show>
      <Show when={lines() !== "rows"}>
        <MenuItem icon="columnBefore" onSelect={() => model.lines.insert("columns", "before")}>
          {t("Insert {count} columns to the left", { count: columns() })}
        </MenuItem>
        <MenuItem icon="columnAfter" onSelect={() => model.lines.insert("columns", "after")}>
          {t("Insert {count} columns to the right", { count: columns() })}
        </MenuItem>
      </Show>
      <MenuSeparator />
      <Show when={lines() === "rows"}>
        <MenuItem keys={key("alt+shift+ArrowUp")} onSelect={() => model.lines.moveSelected("rows", -1)}>
          {t("Move {count} rows up", { count: rows() })}
        </MenuItem>
        <MenuItem keys={key("alt+shift+ArrowDown")} onSelect={() => model.lines.moveSelected("rows", 1)}>
          {t("Move {count} rows down", { count: rows() })}
        </MenuItem>
        <MenuSeparator />
      </Show>
      <Show when={lines() === "columns"}>
        <MenuItem keys={key("mod+alt+shift+ArrowLeft")} onSelect={() => model.lines.moveSelected("columns", -1)}>
          {t("Move {count} columns to the left", { count: columns() })}
        </MenuItem>
        <MenuItem keys={key("mod+alt+shift+ArrowRight")} onSelect={() => model.lines.moveSelected("columns", 1)}>
          {t("Move {count} columns to the right", { count: columns() })}
        </MenuItem>
        <MenuSeparator />
      </Show>
      <Show when={lines() !== "columns"}>
        <MenuItem icon="trash" onSelect={() => model.lines.remove("rows")}>
          {model.grid?.hasHiddenRows(model.range) ? t("Delete the selected rows") : t("Delete {count} rows", { count: rows() })}
        </MenuItem>
      </Show>
      <Show when={lines() !== "rows"}>
        <MenuItem icon="trash" onSelect={() => model.lines.remove("columns")}>
          {t("Delete {count} columns", { count: columns() })}
        </MenuItem>
      </Show>
      <MenuSeparator />
      <MenuItem isForViewers icon="comment" keys={key("mod+alt+m")} onSelect={() => model.openPanel("comments")}>
        {t("Comment or note…")}
      </MenuItem>
      <MenuItem keys={key("mod+k")} onSelect={() => model.openDialog("link")}>
        {t("Link…")}
      </MenuItem>
      <MenuItem icon="chart" onSelect={() => model.keys.hold(insertChart(model))}>
        {t("Insert a chart")}
      </MenuItem>
      <MenuItem icon="sort" onSelect={() => model.openDialog("sort")}>
        {t("Sort…")}
      </MenuItem>
      <Show when={lines() === "columns"}>
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

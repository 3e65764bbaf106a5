/** What the keys of the keymap do. */

import type { Action } from "@quadrille/editor";
import {
  type Cell,
  clampCell,
  columnCount,
  contains,
  COLUMN_WIDTH_PX,
  extendBy,
  extendTo,
  type Grid,
  isWholeColumns,
  ROW_HEIGHT_PX,
  rowCount,
  sameRange,
  selectAll,
  selectCell,
  selectColumns,
  selectRange,
  selectRows,
  step,
  walk,
} from "@quadrille/grid";
import type { WorkbookModel } from "./model.ts";
import type { Edit } from "./typing.ts";

/** Carries out a key's action; whether it did, so that the browser leaves the key alone. */
export function act(model: WorkbookModel, action: Action): boolean {
  const { grid } = model;
  if (action.do === "help") {
    model.openDialog("help");
    return true;
  }
  if (!grid || model.sheet() === undefined) {
    return false;
  }
  const edit = model.typing.edit();
  return edit ? actWhileTyping(model, grid, action, edit) : actOnCells(model, grid, action);
}

function actWhileTyping(model: WorkbookModel, grid: Grid, action: Action, edit: Edit): boolean {
  const { typing } = model;
  switch (action.do) {
    case "walk":
      typing.commit();
      grid.select(walk(model.selection(), action.down, action.back), "active");
      return true;
    case "cancel":
      typing.cancel();
      return true;
    case "fillSelection":
      typing.commit(true);
      return true;
    case "newLine":
      typing.insert("\n");
      return true;
    case "edit":
      typing.toggleQuick();
      return true;
    case "move":
    case "extend":
      if (typing.pointByKey(action.rows, action.columns, action.do === "extend")) {
        return true;
      }
      if (action.do === "move" && edit.isQuick) {
        typing.commit();
        grid.select(step(model.selection(), action.rows, action.columns));
        return true;
      }
      return false;
    case "page":
      if (edit.isQuick) {
        typing.commit();
        return actOnCells(model, grid, action);
      }
      return false;
    case "insertNow":
      typing.insert(now(action.what));
      return true;
    default:
      // Everything else belongs to the text field: caret, undo, clipboard.
      return false;
  }
}

function actOnCells(model: WorkbookModel, grid: Grid, action: Action): boolean {
  const { selection } = grid;
  const { active, head } = selection;
  const goTo = (cell: Cell, extends_: boolean): void =>
    grid.select(extends_ ? extendTo(selection, cell) : selectCell(cell));
  switch (action.do) {
    case "move":
      grid.select(step(selection, action.rows, action.columns));
      return true;
    case "extend":
      grid.select(extendBy(selection, action.rows, action.columns));
      return true;
    case "edge": {
      const from = action.extends ? head : active;
      const question = { type: "edge", sheet: model.sheetId(), from, direction: action.direction } as const;
      void model.session.ask(question).then((cell) => goTo(cell, action.extends));
      return true;
    }
    case "page": {
      const from = action.extends ? head : active;
      const rows = action.sideways ? 0 : action.pages * grid.pageRows;
      const columns = action.sideways ? action.pages * grid.pageColumns : 0;
      grid.scrollBy(rows * ROW_HEIGHT_PX, columns * COLUMN_WIDTH_PX);
      goTo(clampCell(from.row + rows, from.column + columns), action.extends);
      return true;
    }
    case "rowStart":
      goTo({ row: action.extends ? head.row : active.row, column: 0 }, action.extends);
      return true;
    case "sheetStart":
      goTo({ row: 0, column: 0 }, action.extends);
      return true;
    case "sheetEnd":
      void model.session
        .ask({ type: "used", sheet: model.sheetId() })
        .then((used) => goTo({ row: used.bottom, column: used.right }, action.extends));
      return true;
    case "walk":
      grid.select(walk(selection, action.down, action.back), "active");
      return true;
    case "nextSheet":
      model.stepSheet(action.by);
      return true;
    case "toggle":
      model.toggle(action.attribute);
      return true;
    case "numberFormat":
      model.format({ numberFormat: action.code });
      return true;
    case "insertNow":
      model.typing.startWith(now(action.what));
      return true;
    case "selectAll":
      void selectRegion(model, grid);
      return true;
    case "selectRows":
      grid.select(selectRows(model.range.top, model.range.bottom), "none");
      return true;
    case "selectColumns":
      grid.select(selectColumns(model.range.left, model.range.right), "none");
      return true;
    case "edit":
      model.typing.start(active);
      return true;
    case "cancel":
      model.clipboard.forget();
      return true;
    case "clear":
      model.clear("contents");
      return true;
    case "clearAndEdit":
      model.typing.startWith("");
      return true;
    case "undo":
      model.undo();
      return true;
    case "redo":
      model.redo();
      return true;
    case "fillDown":
      model.eachRange((range, sheet) => ({ type: "fillDown", sheet, range }));
      return true;
    case "fillRight":
      model.eachRange((range, sheet) => ({ type: "fillRight", sheet, range }));
      return true;
    case "insertLines":
      model.insertLines(isWholeColumns(model.range) ? "columns" : "rows", "before");
      return true;
    case "deleteLines":
      model.deleteLines(isWholeColumns(model.range) ? "columns" : "rows");
      return true;
    case "pasteValues":
      // The browser raises `paste` for this key itself.
      model.clipboard.pasteValuesNext();
      return false;
    case "showActive":
      grid.reveal(active);
      return true;
    case "sum":
      model.insertFunction("SUM");
      return true;
    case "help":
      model.openDialog("help");
      return true;
    case "newLine":
    case "fillSelection":
      return true;
    default:
      return exhausted(action);
  }
}

/** The filled block round the active cell; when that is selected already, everything. */
async function selectRegion(model: WorkbookModel, grid: Grid): Promise<void> {
  const { active } = model.selection();
  const region = await model.session.ask({ type: "region", sheet: model.sheetId(), cell: active });
  const isBlock = rowCount(region) * columnCount(region) > 1 && contains(region, active);
  const selection = isBlock && !sameRange(region, model.range) ? selectRange(region, active) : selectAll();
  grid.select(selection, "none");
}

function now(what: "date" | "time"): string {
  const date = new Date();
  const two = (number: number): string => String(number).padStart(2, "0");
  return what === "date"
    ? `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    : `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function exhausted(action: never): never {
  throw new Error(`no such action: ${JSON.stringify(action)}`);
}

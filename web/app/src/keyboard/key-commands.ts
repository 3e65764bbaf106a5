/** What the keys of the keymap do. */

import type { Action } from "@quadrille/editor";
import {
  type Cell,
  clampCell,
  columnCount,
  COLUMNS_MAX,
  contains,
  COLUMN_WIDTH_PX,
  extendTo,
  type Grid,
  isWholeColumns,
  ROW_HEIGHT_PX,
  rowCount,
  sameRange,
  type Selection,
  selectAll,
  selectCell,
  selectColumns,
  selectRange,
  selectRows,
  walk,
} from "@quadrille/grid";
import { t } from "../language/index.ts";
import { filterAt, forVisibleRows } from "../filter/index.ts";
import { hasList, validationAt } from "../validation/index.ts";
import { borderCommands } from "../formatting/index.ts";
import { toggleCheckbox, type WorkbookModel } from "../state/index.ts";
import { stepSheet } from "../sheets/index.ts";
import type { Edit } from "../editing/index.ts";
import { insertFunction } from "../formulas/index.ts";

/** Carries out keys one after the other, also those that first have to ask the engine something. */
export class Keys {
  private readonly model: WorkbookModel;
  private readonly waiting: (() => void)[] = [];
  private asking = 0;
  private isCatchingUp = false;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Whether the key's action is carried out, so that the browser leaves the key alone. `key` as events name it. */
  act(action: Action, key = ""): boolean {
    if (!this.isWaiting()) {
      return act(this.model, this, action);
    }
    // What is pasted waits by itself: only the browser can raise the event that brings it.
    if (action.do === "paste" || action.do === "pasteValues") {
      return act(this.model, this, action);
    }
    this.waiting.push(() => {
      if (!isForAnother(this.model, key) && !act(this.model, this, action)) {
        this.model.cellEdit.type(letterOf(key));
      }
    });
    return true;
  }

  focusNameBox(): void {
    queueMicrotask(() => document.querySelector<HTMLInputElement>(".name-box")?.focus());
  }

  /** A letter without a meaning of its own: whether it waits for where it belongs. */
  holds(key: string): boolean {
    const letter = letterOf(key);
    if (letter === "" || !this.isWaiting()) {
      return false;
    }
    this.waiting.push(() => {
      if (!isForAnother(this.model, key)) {
        this.model.cellEdit.type(letter);
      }
    });
    return true;
  }

  /** Now, or after the keys that were pressed before. */
  inTurn(work: () => void): void {
    if (this.isWaiting()) {
      this.waiting.push(work);
    } else {
      work();
    }
  }

  /** The next key waits for this answer: it starts from where this one leads, or acts on what this one makes. */
  ask<Answer>(question: Promise<Answer>, then: (answer: Answer) => void): void {
    this.asking += 1;
    void question.then(then).finally(() => {
      this.asking -= 1;
      this.catchUp();
    });
  }

  /** As `ask`, for work that says itself what becomes of the answer. */
  hold(work: Promise<unknown>): void {
    this.ask(work, () => undefined);
  }

  private catchUp(): void {
    while (this.asking === 0) {
      const next = this.waiting.shift();
      if (!next) {
        return;
      }
      this.isCatchingUp = true;
      next();
      this.isCatchingUp = false;
    }
  }

  /** What is being typed goes on meanwhile. */
  private isWaiting(): boolean {
    return !this.isCatchingUp && (this.waiting.length > 0 || (this.asking > 0 && !this.model.cellEdit.edit()));
  }
}

/** Keys that write a letter are named by it. */
function letterOf(key: string): string {
  return [...key].length === 1 ? key : "";
}

/** A key that waited for a list to open under its cell, for the search or for a dialog is not the cells'. */
function isForAnother(model: WorkbookModel, key: string): boolean {
  const focused = document.activeElement;
  if (focused?.closest(".cell-popup")) {
    focused.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    return true;
  }
  if (model.findModel.awaitsField() && letterOf(key) !== "") {
    model.findModel.typeBeforeLoaded(key);
  }
  return model.isAwaitingWindow();
}

function act(model: WorkbookModel, keys: Keys, action: Action): boolean {
  const { grid } = model;
  // These come before everything else, also while something is typed.
  switch (action.do) {
    case "help":
      model.openDialog("shortcuts");
      return true;
    case "print":
      model.cellEdit.commit();
      if (model.sheet() !== undefined) {
        model.openDialog("print");
      }
      return true;
    case "save":
      model.cellEdit.commit();
      model.toast(t("Every change is saved automatically."), false);
      return true;
    case "history":
      model.cellEdit.commit();
      model.openPanel("history");
      return true;
    case "find":
    case "replace":
      model.findModel.open(action.do === "replace");
      return true;
    case "goTo":
      model.cellEdit.commit();
      keys.focusNameBox();
      return true;
  }
  if (!grid || model.sheet() === undefined) {
    return false;
  }
  const edit = model.cellEdit.edit();
  const seen = grid.view.isRightToLeft ? mirrored(action) : action;
  return edit ? actWhileTyping(model, keys, grid, seen, edit) : actOnCells(model, keys, grid, seen);
}

/** In a sheet from right to left the arrow to the left leads to the next column. */
function mirrored(action: Action): Action {
  switch (action.do) {
    case "move":
    case "extend":
      return { ...action, columns: -action.columns };
    case "edge":
      return action.direction === "left" || action.direction === "right"
        ? { ...action, direction: action.direction === "left" ? "right" : "left" }
        : action;
    default:
      return action;
  }
}

function actWhileTyping(model: WorkbookModel, keys: Keys, grid: Grid, action: Action, edit: Edit): boolean {
  const { cellEdit } = model;
  switch (action.do) {
    case "walk":
      cellEdit.commit();
      grid.select(walk(model.selection(), action.down, action.back), "active");
      return true;
    case "cancel":
      cellEdit.cancel();
      return true;
    case "fillSelection":
      cellEdit.commit(true);
      return true;
    case "newLine":
      cellEdit.insert("\n");
      return true;
    case "edit":
      cellEdit.toggleQuick();
      return true;
    case "move":
    case "extend":
      if (cellEdit.pointByKey(action.rows, action.columns, action.do === "extend")) {
        return true;
      }
      if (action.do === "move" && edit.isQuick) {
        cellEdit.commit();
        grid.select(selectCell(grid.stepFrom(model.selection().active, action.rows, action.columns)));
        return true;
      }
      return false;
    case "edge": {
      const from = cellEdit.pointingOrigin;
      if (!from) {
        return false;
      }
      const question = { type: "edge", sheet: model.sheetId(), from, direction: action.direction } as const;
      keys.ask(model.session.query(question), (cell) => cellEdit.pointTo(cell, action.extends));
      return true;
    }
    case "cycleAbsolute":
      return cellEdit.cycleAbsolute();
    case "nextSheet":
      if (!cellEdit.isPointing()) {
        return false;
      }
      stepSheet(model, action.by);
      return true;
    case "page":
      if (edit.isQuick) {
        cellEdit.commit();
        return actOnCells(model, keys, grid, action);
      }
      return false;
    case "insertNow":
      cellEdit.insert(now(action.what));
      return true;
    default:
      // Everything else belongs to the text field: caret, undo, clipboard.
      return false;
  }
}

function actOnCells(model: WorkbookModel, keys: Keys, grid: Grid, action: Action): boolean {
  const { selection } = grid;
  const { active, head } = selection;
  const select = (selected: Selection, reveal?: "none"): void => {
    // Who has pressed on other cells while the engine was asked is left there.
    if (grid.selection === selection) {
      grid.select(selected, reveal);
    }
  };
  const goTo = (cell: Cell, extends_: boolean): void => select(extends_ ? extendTo(selection, cell) : selectCell(cell));
  switch (action.do) {
    case "move":
      grid.select(selectCell(grid.stepFrom(active, action.rows, action.columns)));
      return true;
    case "extend":
      grid.select(grid.extendBy(action.rows, action.columns));
      return true;
    case "edge": {
      const from = action.extends ? head : active;
      const question = { type: "edge", sheet: model.sheetId(), from, direction: action.direction } as const;
      keys.ask(model.session.query(question), (cell) => goTo(cell, action.extends));
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
      keys.ask(model.session.query({ type: "used", sheet: model.sheetId() }), (used) =>
        goTo({ row: used.bottom, column: used.right }, action.extends),
      );
      return true;
    case "walk":
      grid.select(walk(selection, action.down, action.back), "active");
      return true;
    case "nextSheet":
      if (!action.opensList) {
        stepSheet(model, action.by);
        return true;
      }
      // Not by what is drawn: a rule made a moment ago counts, too.
      keys.ask(model.items.settled(), () => {
        if (hasList(model, active)) {
          model.controlPressed(active, "list");
        } else if (filterAt(model, active.row, active.column)) {
          model.controlPressed(active, "filter");
        } else {
          stepSheet(model, action.by);
        }
      });
      return true;
    case "toggle":
      model.toggle(action.attribute);
      return true;
    case "numberFormat":
      model.format({ numberFormat: action.code });
      return true;
    case "border": {
      const line = { style: "thin" } as const;
      const commands = selection.ranges.flatMap((range) => borderCommands(model.sheetId(), range, action.position, line));
      model.command(forVisibleRows(model.sheetId(), { type: "many", commands }));
      return true;
    }
    case "addSheet":
      model.addSheet();
      return true;
    case "insertNow":
      model.cellEdit.startWith(now(action.what));
      return true;
    case "selectAll":
      // The filled block round the active cell; when that is selected already, everything.
      keys.ask(model.session.query({ type: "region", sheet: model.sheetId(), cell: active }), (region) => {
        const isBlock = rowCount(region) * columnCount(region) > 1 && contains(region, active);
        const isNew = isBlock && !sameRange(region, model.range);
        select(isNew ? selectRange(region, active) : selectAll(), "none");
      });
      return true;
    case "selectRows":
      grid.select(selectRows(model.range.top, model.range.bottom), "none");
      return true;
    case "selectColumns":
      grid.select(selectColumns(model.range.left, model.range.right), "none");
      return true;
    case "edit":
      model.cellEdit.start(active);
      return true;
    case "cancel":
      model.clipboard.forget();
      return true;
    case "clear":
      model.clear("contents");
      return true;
    case "clearAndEdit":
      model.cellEdit.startWith("");
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
    case "insertRowsOrColumns":
      model.lines.insert(isWholeColumns(model.range) ? "columns" : "rows", "before");
      return true;
    case "moveLines":
      model.lines.moveSelected(action.dimension, action.by);
      return true;
    case "deleteRowsOrColumns":
      model.lines.remove(isWholeColumns(model.range) ? "columns" : "rows");
      return true;
    case "copy":
    case "cut":
      void model.clipboard.copySelection(action.do === "cut");
      return true;
    // The browser raises `paste` for these keys itself.
    case "paste":
      return false;
    case "pasteValues":
      model.clipboard.pasteValuesNext();
      return false;
    case "pasteSpecial":
      model.openDialog("pasteSpecial");
      return true;
    case "showActive":
      grid.reveal(active);
      return true;
    case "sum":
      insertFunction(model, "SUM");
      return true;
    case "numberFormats":
      model.openDialog("numberFormat");
      return true;
    case "functions":
    case "table":
    case "link":
      model.openDialog(action.do);
      return true;
    case "comments":
      model.openPanel("comments");
      return true;
    case "leave":
      model.leaveCells();
      return true;
    case "newLine":
    case "fillSelection":
      return true;
    case "rowEnd": {
      const row = action.extends ? head.row : active.row;
      const from = { row, column: COLUMNS_MAX - 1 };
      const question = { type: "edge", sheet: model.sheetId(), from, direction: "left" } as const;
      keys.ask(model.session.query(question), (cell) => goTo(cell, action.extends));
      return true;
    }
    case "setHidden": {
      const { top, left, bottom, right } = model.range;
      const [first, last] = action.dimension === "rows" ? [top, bottom] : [left, right];
      const count = last - first + 1;
      const { dimension, hidden } = action;
      const sheet = model.sheetId();
      model.command(forVisibleRows(sheet, { type: "setHidden", sheet, dimension, first, count, hidden }));
      return true;
    }
    case "group":
      if (action.isGrouped) {
        model.outline.group();
      } else {
        model.outline.ungroup();
      }
      return true;
    case "fold":
      model.outline.fold(action.isFolded);
      return true;
    case "showFormulas":
      model.showFormulas(!model.showsFormulas());
      return true;
    case "align":
      model.format({ horizontal: action.to });
      return true;
    case "clearFormats":
      model.clear("formats");
      return true;
    case "selectEverything":
      grid.select(selectAll(), "none");
      return true;
    case "checkOrType":
      // Letters go straight into the field; the engine is asked only where there is a box, or may be one by now.
      if (model.items.isSettled() && validationAt(model, active)?.fields["rule"] !== "checkbox") {
        return false;
      }
      keys.ask(toggleCheckbox(model, active), (isThere) => {
        if (!isThere) {
          model.cellEdit.startWith(" ");
        }
      });
      return true;
    case "zoom":
      model.setZoom(action.by === 0 ? 1 : model.zoom() + action.by);
      return true;
    case "cycleAbsolute":
      return false;
    case "help":
    case "print":
    case "save":
    case "history":
    case "find":
    case "replace":
    case "goTo":
      // Done before it was asked whether anything is typed.
      return true;
    default:
      return exhausted(action);
  }
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

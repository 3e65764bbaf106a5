/** Runs the actions of the keymap. */

import type { Action } from "@quadrille/editor";
import {
  type Cell,
  columnCount,
  COLUMNS_MAX,
  contains,
  COLUMN_WIDTH_PX,
  type Grid,
  ROW_HEIGHT_PX,
  rowCount,
  sameCell,
  sameRange,
  type Selection,
  selectAll,
  selectCell,
  selectColumns,
  selectRange,
} from "@quadrille/grid";
import { createEffect, createRoot } from "solid-js";
import { t } from "../language/index.ts";
import { isDashboard } from "../presentation/index.ts";
import { validationAt } from "../validation/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { isChartSheet, stepSheet } from "../sheets/index.ts";
import type { Edit } from "../editing/index.ts";
import { withLaterParts } from "../workbook/index.ts";

/** Maximum number of keys that wait, such as those typed while a workbook opens slowly. */
const QUEUED_KEYS_MAX = 1_000;

/** Runs key actions in order, including those that need an answer of the engine first. */
export class KeyCommands {
  private readonly model: WorkbookModel;
  private readonly queue: (() => void)[] = [];
  private pendingAnswers = 0;
  private isDraining = false;
  private isWaitingToOpen = false;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /**
   * Runs or queues the action of a key. Returns whether it did, so that the browser ignores the
   * key. `key` is the key name of the event.
   */
  run(action: Action, key = ""): boolean {
    if (!this.isQueueing()) {
      return runAction(this.model, this, action);
    }
    // Pasting queues itself, as only the browser can raise the `paste` event.
    if (action.do === "paste" || action.do === "pasteValues") {
      return runAction(this.model, this, action);
    }
    this.push(() => {
      if (!passToPopup(this.model, key) && !runAction(this.model, this, action)) {
        this.model.cellEdit.type(letterOf(key));
      }
    });
    return true;
  }

  /** Focuses the name box. */
  focusNameBox(): void {
    queueMicrotask(() => document.querySelector<HTMLInputElement>(".name-box")?.focus());
  }

  /**
   * Queues a letter without an action while earlier keys wait, or while the workbook opens. Returns
   * whether it did.
   */
  queueLetter(key: string): boolean {
    const letter = letterOf(key);
    if (letter === "" || !this.mustWait()) {
      return false;
    }
    this.push(() => {
      if (!passToPopup(this.model, key)) {
        this.model.cellEdit.type(letter);
      }
    });
    return true;
  }

  /** Queues text that comes without keys, such as that of dictation or a virtual keyboard, as {@link queueLetter} does. */
  queueText(text: string | null): boolean {
    if (!text || !this.mustWait()) {
      return false;
    }
    this.push(() => this.model.cellEdit.type(text));
    return true;
  }

  /** Whether what is typed waits. */
  private mustWait(): boolean {
    if (this.isQueueing()) {
      return true;
    }
    const isOpening = this.model.editPermission.canWaitForEditing();
    if (isOpening) {
      this.waitToOpen();
    }
    return isOpening;
  }

  /** Runs `work` now, or after the queued keys. */
  enqueue(work: () => void): void {
    if (this.isQueueing()) {
      this.queue.push(work);
    } else {
      work();
    }
  }

  /** Delays later keys until the answer has been handled, as they depend on its effect. */
  waitForAnswer<Answer>(question: Promise<Answer>, then: (answer: Answer) => void): void {
    this.pendingAnswers += 1;
    void question.then(then).finally(() => {
      this.pendingAnswers -= 1;
      this.drain();
    });
  }

  /** Delays later keys until `work` has finished. */
  waitFor(work: Promise<unknown>): void {
    this.waitForAnswer(work, () => undefined);
  }

  /**
   * Delays this key and later ones until the workbook has opened. They are dropped if it cannot be
   * edited then, or if another cell has been selected with the mouse: they were meant for this one.
   */
  private waitToOpen(): void {
    this.isWaitingToOpen = true;
    this.pendingAnswers += 1;
    const { active } = this.model.selection();
    createRoot((dispose) => {
      createEffect(() => {
        if (this.model.editPermission.canWaitForEditing()) {
          return;
        }
        // Not within the effect, whose dependencies the keys would become.
        queueMicrotask(() => {
          dispose();
          this.isWaitingToOpen = false;
          this.pendingAnswers -= 1;
          if (!sameCell(this.model.selection().active, active) || !this.model.suggestions.checkCanEnter()) {
            this.queue.length = 0;
          }
          this.drain();
        });
      });
    });
  }

  private push(work: () => void): void {
    // More keys are dropped, so that a workbook which does not open cannot fill memory.
    if (!this.isWaitingToOpen || this.queue.length < QUEUED_KEYS_MAX) {
      this.queue.push(work);
    }
  }

  private drain(): void {
    while (this.pendingAnswers === 0) {
      const next = this.queue.shift();
      if (!next) {
        return;
      }
      this.isDraining = true;
      next();
      this.isDraining = false;
    }
  }

  /** Whether keys are queued. An edit in progress does not wait for answers. */
  private isQueueing(): boolean {
    return !this.isDraining && (this.queue.length > 0 || (this.pendingAnswers > 0 && !this.model.cellEdit.edit()));
  }
}

/** The letter that a key types; empty for other keys. */
function letterOf(key: string): string {
  return [...key].length === 1 ? key : "";
}

/**
 * Passes a queued key to a popup, the search or a dialog that has opened in the meantime. Returns
 * whether it did.
 */
function passToPopup(model: WorkbookModel, key: string): boolean {
  const focused = document.activeElement;
  if (focused?.closest(".cell-popup")) {
    focused.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    return true;
  }
  if (model.findModel.awaitsField() && letterOf(key) !== "") {
    model.findModel.typeBeforeLoaded(key);
  }
  return model.isLoadingDialog();
}

function runAction(model: WorkbookModel, keys: KeyCommands, action: Action): boolean {
  const { grid } = model;
  // Actions that are also available during an edit.
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
      // A chart sheet has no name box.
      if (isChartSheet(model)) {
        return true;
      }
      model.cellEdit.commit();
      keys.focusNameBox();
      return true;
  }
  if (!grid || model.sheet() === undefined) {
    return false;
  }
  const edit = model.cellEdit.edit();
  const visual = grid.view.isRightToLeft ? mirrorAction(action) : action;
  return edit ? runWhileEditing(model, keys, grid, visual, edit) : runOnCells(model, keys, grid, visual);
}

/**
 * Mirrors horizontal actions for right-to-left sheets, where the left arrow leads to the next
 * column.
 */
function mirrorAction(action: Action): Action {
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

function runWhileEditing(model: WorkbookModel, keys: KeyCommands, grid: Grid, action: Action, edit: Edit): boolean {
  const { cellEdit } = model;
  switch (action.do) {
    case "nextCell":
      cellEdit.commit();
      grid.select(grid.nextCell(action.down, action.back), "active");
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
      keys.waitForAnswer(model.session.query(question), (cell) => cellEdit.pointTo(cell, action.extends));
      return true;
    }
    case "cycleAbsolute":
      return cellEdit.cycleAbsolute();
    case "toggleLines":
      withLaterParts(model, ({ toggleLines }) => toggleLines(model));
      return true;
    case "nextSheet":
      if (!cellEdit.isPointing()) {
        return false;
      }
      stepSheet(model, action.by);
      return true;
    case "page":
      if (edit.isQuick) {
        cellEdit.commit();
        return runOnCells(model, keys, grid, action);
      }
      return false;
    case "insertNow":
      cellEdit.insert(currentDateOrTime(action.what));
      return true;
    case "toggle":
      cellEdit.toggleFont(action.attribute);
      return true;
    default:
      // The text field handles the other keys: caret, undo, clipboard.
      return false;
  }
}

/** Actions on cells of a dashboard; others would change them by accident. */
const DASHBOARD_ACTIONS: ReadonlySet<Action["do"]> = new Set([
  ...(["move", "extend", "edge", "page", "rowStart", "rowEnd", "sheetStart", "sheetEnd", "nextCell", "nextSheet", "nextRegion"] as const),
  ...(["selectAll", "selectEverything", "selectRows", "selectColumns", "scrollToActive", "zoom", "showFormulas", "collapse"] as const),
  ...(["copy", "cancel", "comments", "toggleCheckbox", "undo", "redo", "addSheet", "paste"] as const),
]);

/** Actions on a sheet that shows a chart instead of its cells. */
export const CHART_SHEET_ACTIONS: ReadonlySet<Action["do"]> = new Set(["nextSheet", "nextRegion", "undo", "redo", "addSheet"]);

function runOnCells(model: WorkbookModel, keys: KeyCommands, grid: Grid, action: Action): boolean {
  if (isChartSheet(model) && !CHART_SHEET_ACTIONS.has(action.do)) {
    return false;
  }
  if (isDashboard(model) && !DASHBOARD_ACTIONS.has(action.do)) {
    model.suggestions.checkCanEnter();
    return true;
  }
  const { selection } = grid;
  const { active, head } = selection;
  const select = (selected: Selection, reveal?: "none"): void => {
    // Not if the selection has changed while the engine was answering.
    if (grid.selection === selection) {
      grid.select(selected, reveal);
    }
  };
  const goTo = (cell: Cell, extends_: boolean): void => select(extends_ ? grid.extendTo(cell) : selectCell(cell));
  switch (action.do) {
    case "move":
      grid.select(selectCell(grid.stepFrom(active, action.rows, action.columns)));
      return true;
    case "extend":
      grid.select(grid.extendBy(action.rows, action.columns));
      return true;
    case "edge": {
      const from = action.extends ? head : active;
      const sortedEdge = grid.edgeOfOrder(from, action.direction);
      if (sortedEdge) {
        goTo(sortedEdge, action.extends);
        return true;
      }
      const question = { type: "edge", sheet: model.sheetId(), from, direction: action.direction } as const;
      keys.waitForAnswer(model.session.query(question), (cell) => goTo(cell, action.extends));
      return true;
    }
    case "page": {
      const from = action.extends ? head : active;
      const rows = action.sideways ? 0 : action.pages * grid.pageRows;
      const columns = action.sideways ? action.pages * grid.pageColumns : 0;
      grid.scrollBy(rows * ROW_HEIGHT_PX, columns * COLUMN_WIDTH_PX);
      goTo(grid.cellFrom(from, rows, columns), action.extends);
      return true;
    }
    case "rowStart":
      goTo({ row: action.extends ? head.row : active.row, column: 0 }, action.extends);
      return true;
    case "sheetStart":
      goTo({ row: 0, column: 0 }, action.extends);
      return true;
    case "sheetEnd":
      keys.waitForAnswer(model.session.query({ type: "used", sheet: model.sheetId() }), (used) =>
        goTo({ row: used.bottom, column: used.right }, action.extends),
      );
      return true;
    case "nextCell":
      grid.select(grid.nextCell(action.down, action.back), "active");
      return true;
    case "insertNow":
      model.cellEdit.startWith(currentDateOrTime(action.what));
      return true;
    case "selectAll":
      // The filled region around the active cell; if it is selected already, everything.
      keys.waitForAnswer(model.session.query({ type: "region", sheet: model.sheetId(), cell: active }), (region) => {
        const isRegion = rowCount(region) * columnCount(region) > 1 && contains(region, active);
        const selectsRegion = isRegion && !sameRange(region, model.range);
        select(selectsRegion ? selectRange(region, active) : selectAll(), "none");
      });
      return true;
    case "selectRows":
      grid.select(grid.wholeRows(), "none");
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
    case "copy":
    case "cut":
      model.clipboard.copySelection(action.do === "cut");
      return true;
    // The browser raises `paste` for these keys.
    case "paste":
      return false;
    case "pasteValues":
      model.clipboard.pasteValuesNext();
      return false;
    case "scrollToActive":
      grid.reveal(active);
      return true;
    case "nextRegion":
      model.leaveCells();
      return true;
    case "newLine":
    case "fillSelection":
      return true;
    case "rowEnd": {
      const row = action.extends ? head.row : active.row;
      const from = { row, column: COLUMNS_MAX - 1 };
      const question = { type: "edge", sheet: model.sheetId(), from, direction: "left" } as const;
      keys.waitForAnswer(model.session.query(question), (cell) => goTo(cell, action.extends));
      return true;
    }
    case "selectEverything":
      grid.select(selectAll(), "none");
      return true;
    case "toggleCheckbox":
      if (grid.markOf(active)?.control === "button") {
        withLaterParts(model, ({ pressButton }) => keys.waitFor(pressButton(model, active)));
        return true;
      }
      // Without a checkbox, letters go directly into the field; the engine is asked only if there
      // is or may be one.
      if (model.items.isSettled() && grid.markOf(active)?.isChecked === undefined && validationAt(model, active)?.fields["rule"] !== "checkbox") {
        return false;
      }
      withLaterParts(model, ({ toggleCheckbox }) => {
        keys.waitForAnswer(toggleCheckbox(model, active), (hasCheckbox) => {
          if (!hasCheckbox) {
            model.cellEdit.startWith(" ");
          }
        });
      });
      return true;
    case "cycleAbsolute":
    case "toggleLines":
      return false;
    case "help":
    case "print":
    case "save":
    case "history":
    case "find":
    case "replace":
    case "goTo":
      // Handled in `run`.
      return true;
    case "nextSheet":
    case "toggle":
    case "numberFormat":
    case "border":
    case "addSheet":
    case "fillDown":
    case "fillRight":
    case "fillByExample":
    case "insertRowsOrColumns":
    case "moveRowsOrColumns":
    case "deleteRowsOrColumns":
    case "pasteSpecial":
    case "sum":
    case "numberFormats":
    case "functions":
    case "table":
    case "link":
    case "comments":
    case "setHidden":
    case "group":
    case "collapse":
    case "showFormulas":
    case "align":
    case "clearFormats":
    case "zoom":
      withLaterParts(model, ({ runSheetCommand }) => runSheetCommand(model, action));
      return true;
    default:
      return unreachable(action);
  }
}

function currentDateOrTime(what: "date" | "time"): string {
  const date = new Date();
  const twoDigits = (number: number): string => String(number).padStart(2, "0");
  return what === "date"
    ? `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`
    : `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function unreachable(action: never): never {
  throw new Error(`unknown action: ${JSON.stringify(action)}`);
}

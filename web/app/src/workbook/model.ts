/**
 * An open workbook as the page sees it: what is shown, what is selected, what is being typed.
 *
 * Session and grid are driven from here; components read the signals and call the methods.
 */

import {
  type Action,
  canPoint,
  type ClipboardSource,
  markTable,
  type Pointed,
  putReference,
  readMark,
  tableAsText,
} from "@quadrille/editor";
import {
  type Cell,
  cellName,
  clampCell,
  columnCount,
  contains,
  currentRange,
  type Dimension,
  extendBy,
  extendTo,
  Grid,
  type Hit,
  isSingleCell,
  isWholeColumns,
  isWholeRows,
  moveRange,
  moveSelection,
  type Range,
  rangeName,
  rangeOf,
  rowCount,
  sameRange,
  selectAll,
  selectCell,
  selectColumns,
  type Selection,
  selectRange,
  selectRows,
  step,
  walk,
} from "@quadrille/grid";
import type {
  CellDetails,
  Command,
  CopiedText,
  FormatChange,
  FunctionDetails,
  Notice,
  Person,
  SheetTab,
  Status,
  Summary,
} from "@quadrille/protocol";
import { type Connection, Session } from "@quadrille/session";
import SessionWorker from "@quadrille/session/worker?worker";
import engineUrl from "@quadrille/engine/quadrille.wasm?url";
import { batch, createSignal } from "solid-js";
import { type Identity, loadIdentity, saveIdentity } from "../identity.ts";
import { socketUrl } from "../rooms.ts";
import { readTheme } from "./theme.ts";

/** A cell being typed into; the field over the cell and the formula bar show the same text. */
export interface Edit {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  /** What the cell held before. */
  readonly original: string;
  /** Started by typing: arrow keys enter the text and move. Otherwise they move the caret. */
  readonly isQuick: boolean;
  /** Which of the two fields has the caret. */
  readonly place: "cell" | "bar";
  readonly pointed: Pointed | undefined;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

export interface MenuAt {
  readonly x: number;
  readonly y: number;
  readonly lines: "rows" | "columns" | "cells";
}

export type Dialog = "help" | "functions" | "sort" | "name" | "share" | undefined;

interface SheetMemory {
  readonly selection: Selection;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
}

/** After the last change to the selection, before its figures are asked for. */
const SUMMARY_DELAY_MS = 80;
const TOAST_MS = 6_000;
/** What others see of a selection is sent at most this often. */
const PRESENCE_MS = 80;
/** More than this is copied within the workbook, but not to other programs. */
const LOADING: Status = { isReady: false, isConnected: false, unconfirmed: 0, mayEdit: true };

export class WorkbookModel {
  readonly room: string;
  readonly session: Session;
  private grid: Grid | undefined;
  /** The always-focused field over the active cell, and the formula bar's. */
  private cellField: HTMLTextAreaElement | undefined;
  private barField: HTMLTextAreaElement | undefined;

  private readonly memory = new Map<number, SheetMemory>();
  private readonly disposal = new AbortController();
  private detailsAsked = 0;
  private summaryTimer = 0;
  private presenceTimer = 0;
  private toasts_ = 0;
  private copySource: (ClipboardSource & { readonly isCut: boolean }) | undefined;
  /** Text for the clipboard, fetched for the `copy` event that is about to be raised. */
  private copyInHand: { readonly copied: CopiedText; readonly source: ClipboardSource } | undefined;
  private pastesValues = false;
  private shownName: string | undefined;

  private readonly signals = makeSignals();
  readonly sheets = this.signals.sheets[0];
  readonly sheet = this.signals.sheet[0];
  readonly status = this.signals.status[0];
  readonly connection = this.signals.connection[0];
  readonly people = this.signals.people[0];
  readonly history = this.signals.history[0];
  readonly details = this.signals.details[0];
  readonly selection = this.signals.selection[0];
  readonly summary = this.signals.summary[0];
  readonly edit = this.signals.edit[0];
  readonly layout = this.signals.layout[0];
  readonly toasts = this.signals.toasts[0];
  readonly menu = this.signals.menu[0];
  readonly dialog = this.signals.dialog[0];
  readonly isCalculating = this.signals.isCalculating[0];
  readonly stopped = this.signals.stopped[0];
  readonly identity = this.signals.identity[0];

  constructor(room: string) {
    this.room = room;
    const { name, color } = this.identity();
    this.session = new Session(
      { worker: new SessionWorker(), engineUrl, socketUrl: socketUrl(room), name, color },
      {
        noticed: (notice) => batch(() => this.noticed(notice)),
        windowArrived: (window) => {
          if (window.sheet === this.sheet() && this.grid) {
            this.grid.setWindow(window);
          } else {
            this.session.painted();
          }
        },
        shapeArrived: (shape) => {
          if (shape.sheet === this.sheet()) {
            this.grid?.setShape(shape);
          }
        },
        changed: () => this.figuresChanged(),
        calculating: this.signals.isCalculating[1],
        connectionChanged: this.signals.connection[1],
        stopped: this.signals.stopped[1],
      },
    );
    const { signal } = this.disposal;
    window.addEventListener(
      "beforeunload",
      (event) => {
        if (this.status().unconfirmed > 0) {
          event.preventDefault();
        }
      },
      { signal },
    );
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.grid?.setTheme(readTheme()), { signal });
  }

  dispose(): void {
    this.disposal.abort();
    window.clearTimeout(this.summaryTimer);
    window.clearTimeout(this.presenceTimer);
    this.grid?.dispose();
    this.session.dispose();
  }

  // ---- the grid and the fields over it -------------------------------------------------------------------

  attachGrid(element: HTMLElement): void {
    this.grid = new Grid(element, readTheme(), {
      windowWanted: (range) => {
        const sheet = this.sheet();
        if (sheet !== undefined) {
          this.session.view(sheet, range);
        }
      },
      painted: () => this.session.painted(),
      selectionChanged: (selection) => this.selectionChanged(selection),
      isPointing: () => this.isPointing(),
      pointed: (range) => this.pointAt(range),
      pressed: () => {
        this.commit();
        this.focusCells();
      },
      editWanted: (cell) => void this.startEdit(cell),
      resized: (dimension, first, count, sizePx) =>
        this.command({ type: "resize", sheet: this.sheetId(), dimension, first, count, size: sizePx }),
      fitWanted: (dimension, first, count) => void this.fit(dimension, first, count),
      filled: (source, target) => {
        this.command({
          type: "fill",
          sheet: this.sheetId(),
          source: rangeName(source),
          target: rangeName(target),
          mode: "series",
        });
        this.grid?.select(selectRange(target, { row: source.top, column: source.left }), "none");
      },
      menuWanted: (x, y, hit) => this.signals.menu[1]({ x, y, lines: linesOf(hit) }),
      layoutChanged: () => this.signals.layout[1]((count) => count + 1),
    });
    if (this.sheet() !== undefined) {
      this.showSheet(this.sheetId());
    }
  }

  attachCellField(field: HTMLTextAreaElement): void {
    this.cellField = field;
    field.addEventListener("focus", () => this.grid?.setFocused(true));
    field.addEventListener("blur", () => this.grid?.setFocused(false));
  }

  attachBarField(field: HTMLTextAreaElement): void {
    this.barField = field;
  }

  /** Where the field over the active or edited cell lies, in pixels of the grid's element. */
  cellBox(cell: Cell): { box: Box; cells: Box } | undefined {
    this.layout();
    return this.grid && { box: this.grid.boxOfCell(cell), cells: this.grid.cellsBox };
  }

  mirrorId(cell: Cell): string {
    return this.grid?.mirrorId(cell) ?? "";
  }

  textOf(cell: Cell): string {
    return this.grid?.textOf(cell) ?? "";
  }

  focusCells(): void {
    this.cellField?.focus({ preventScroll: true });
  }

  // ---- what the engine tells -----------------------------------------------------------------------------

  private noticed(notice: Notice): void {
    switch (notice.type) {
      case "sheets":
        this.sheetsChanged(notice.sheets);
        return;
      case "status":
        this.signals.status[1](notice.status);
        return;
      case "people":
        this.signals.people[1](notice.people);
        this.showOthers();
        return;
      case "history":
        this.signals.history[1]({ canUndo: notice.canUndo, canRedo: notice.canRedo });
        return;
      case "moved":
        this.linesMoved(notice);
        return;
      case "refused":
        this.toast(sentence(notice.message), true);
        return;
      case "close":
        // The worker's.
        return;
      default:
        exhausted(notice);
    }
  }

  private sheetsChanged(sheets: readonly SheetTab[]): void {
    const before = this.sheets();
    this.signals.sheets[1](sheets);
    const current = this.sheet();
    const wanted = this.shownName;
    const added = wanted === undefined ? undefined : sheets.find((sheet) => !before.some((old) => old.id === sheet.id));
    if (added && before.length > 0) {
      this.shownName = undefined;
      this.openSheet(added.id);
    } else if (!sheets.some((sheet) => sheet.id === current)) {
      const position = Math.max(0, before.findIndex((sheet) => sheet.id === current));
      const next = sheets[Math.min(position, sheets.length - 1)];
      if (next) {
        this.cancelEdit();
        this.showSheet(next.id);
      }
    }
    this.grid?.setLabel(this.sheetName());
  }

  /** Others inserted or deleted lines: what is remembered by position moves along. */
  private linesMoved(moved: Notice & { type: "moved" }): void {
    if (moved.sheet !== this.sheet() || !this.grid) {
      return;
    }
    this.grid.select(moveSelection(this.grid.selection, moved), "none");
    const edit = this.edit();
    if (edit) {
      const range = moveRange(rangeOf(edit.cell), moved);
      if (range) {
        this.signals.edit[1]({ ...edit, cell: { row: range.top, column: range.left } });
        this.grid.setEditing({ row: range.top, column: range.left });
      } else {
        this.cancelEdit();
        this.toast("The cell you were typing into was deleted by somebody else.", true);
      }
    }
    this.forgetCopy();
  }

  private showOthers(): void {
    const sheet = this.sheet();
    const others = this.people().flatMap((person) =>
      person.sheet === sheet && person.selection
        ? [{ name: person.name, color: person.color, range: person.selection }]
        : [],
    );
    this.grid?.setOthers(others);
  }

  private figuresChanged(): void {
    this.askDetails();
    this.askSummary();
  }

  private askDetails(): void {
    const sheet = this.sheet();
    if (sheet === undefined) {
      return;
    }
    this.detailsAsked += 1;
    const asked = this.detailsAsked;
    void this.session.ask({ type: "cell", sheet, cell: this.selection().active }).then((details) => {
      if (asked === this.detailsAsked) {
        this.signals.details[1](details);
      }
    });
  }

  private askSummary(): void {
    window.clearTimeout(this.summaryTimer);
    this.summaryTimer = window.setTimeout(() => {
      const sheet = this.sheet();
      const selection = this.selection();
      if (sheet === undefined || isSingleCell(selection)) {
        this.signals.summary[1](undefined);
        return;
      }
      void this.session
        .ask({ type: "summarize", sheet, ranges: [...selection.ranges] })
        .then(this.signals.summary[1]);
    }, SUMMARY_DELAY_MS);
  }

  // ---- selection -----------------------------------------------------------------------------------------

  private selectionChanged(selection: Selection): void {
    const before = this.selection();
    this.signals.selection[1](selection);
    if (before.active.row !== selection.active.row || before.active.column !== selection.active.column) {
      this.askDetails();
    }
    this.askSummary();
    this.tellSelection();
  }

  private tellSelection(): void {
    if (this.presenceTimer !== 0) {
      return;
    }
    this.presenceTimer = window.setTimeout(() => {
      this.presenceTimer = 0;
      const sheet = this.sheet();
      if (sheet !== undefined) {
        const selection = currentRange(this.selection());
        this.session.send({ type: "select", sheet, selection, isEditing: this.edit() !== undefined });
      }
    }, PRESENCE_MS);
  }

  goTo(range: Range): void {
    this.commit();
    this.grid?.select(selectRange(range), "active");
    this.grid?.reveal({ row: range.top, column: range.left });
    this.focusCells();
  }

  get range(): Range {
    return currentRange(this.selection());
  }

  // ---- sheets --------------------------------------------------------------------------------------------

  sheetName(): string {
    return this.sheets().find((sheet) => sheet.id === this.sheet())?.name ?? "";
  }

  openSheet(sheet: number): void {
    this.commit();
    if (sheet !== this.sheet()) {
      this.showSheet(sheet);
    }
    this.focusCells();
  }

  private showSheet(sheet: number): void {
    const previous = this.sheet();
    if (previous !== undefined && previous !== sheet && this.grid) {
      const { scrollTopPx, scrollLeftPx } = this.grid.view;
      this.memory.set(previous, { selection: this.grid.selection, scrollTopPx, scrollLeftPx });
    }
    this.signals.sheet[1](sheet);
    const remembered = this.memory.get(sheet);
    const selection = remembered?.selection ?? selectCell({ row: 0, column: 0 });
    this.signals.selection[1](selection);
    this.grid?.showSheet(
      this.sheetName(),
      selection,
      remembered?.scrollTopPx ?? 0,
      remembered?.scrollLeftPx ?? 0,
    );
    this.grid?.setCopied(this.copySource?.sheet === sheet ? this.copiedRange : undefined);
    this.showOthers();
    this.figuresChanged();
    this.tellSelection();
  }

  addSheet(): void {
    this.commit();
    // Opened when it is there.
    this.shownName = "";
    const at = this.sheets().findIndex((sheet) => sheet.id === this.sheet());
    this.command({ type: "addSheet", position: at + 1 });
  }

  /** Opens the first of these sheets; they may still be on their way. */
  showImported(names: readonly string[]): void {
    const found = this.sheets().find((sheet) => sheet.name === names[0]);
    if (found) {
      this.openSheet(found.id);
    } else {
      this.shownName = names[0];
    }
  }

  // ---- commands ------------------------------------------------------------------------------------------

  command(command: Command): void {
    if (!this.status().mayEdit) {
      this.toast("You can look at this workbook, but not change it.", true);
      return;
    }
    this.session.send({ type: "command", command });
  }

  private eachRange(make: (range: string, sheet: number) => Command): void {
    const sheet = this.sheetId();
    this.selection().ranges.forEach((range) => this.command(make(rangeName(range), sheet)));
  }

  format(format: FormatChange): void {
    this.commit();
    this.eachRange((range, sheet) => ({ type: "format", sheet, range, format }));
    this.focusCells();
  }

  toggle(attribute: "bold" | "italic" | "underline" | "strikethrough" | "wrap"): void {
    this.commit();
    const active = cellName(this.selection().active);
    this.eachRange((range, sheet) => ({ type: "toggle", sheet, range, attribute, active }));
    this.focusCells();
  }

  clear(what: "contents" | "formats" | "all"): void {
    this.eachRange((range, sheet) => ({ type: "clear", sheet, range, what }));
    this.focusCells();
  }

  undo(): void {
    this.session.send({ type: "undo" });
  }

  redo(): void {
    this.session.send({ type: "redo" });
  }

  insertLines(dimension: Dimension, where: "before" | "after"): void {
    const { top, left, bottom, right } = this.range;
    const sheet = this.sheetId();
    if (dimension === "rows") {
      const count = Math.min(bottom - top + 1, 1_000);
      this.command({ type: "insertRows", sheet, at: where === "before" ? top : bottom + 1, count });
    } else {
      const count = Math.min(right - left + 1, 1_000);
      this.command({ type: "insertColumns", sheet, at: where === "before" ? left : right + 1, count });
    }
    this.focusCells();
  }

  deleteLines(dimension: Dimension): void {
    const { top, left, bottom, right } = this.range;
    const sheet = this.sheetId();
    this.command(
      dimension === "rows"
        ? { type: "deleteRows", sheet, at: top, count: bottom - top + 1 }
        : { type: "deleteColumns", sheet, at: left, count: right - left + 1 },
    );
    const active = dimension === "rows" ? { row: top, column: left } : { row: top, column: left };
    this.grid?.select(
      dimension === "rows" && isWholeRows(this.range)
        ? selectRows(top, top)
        : dimension === "columns" && isWholeColumns(this.range)
          ? selectColumns(left, left)
          : selectCell(active),
      "none",
    );
    this.focusCells();
  }

  /** Makes columns as wide as what they show needs; rows go back to the default height. */
  private async fit(dimension: Dimension, first: number, count: number): Promise<void> {
    const sheet = this.sheetId();
    if (dimension === "rows") {
      this.command({ type: "resize", sheet, dimension, first, count, size: null });
      return;
    }
    // A selection of every column fits those that can be seen to hold something.
    const last = Math.min(first + count - 1, first + 200);
    for (let index = first; index <= last; index += 1) {
      const texts = await this.session.ask({ type: "longestTexts", sheet, column: index });
      const size = texts.length === 0 ? null : Math.min(600, Math.max(32, this.grid?.widthNeededPx(texts) ?? 96));
      this.command({ type: "resize", sheet, dimension, first: index, count: 1, size });
    }
  }

  // ---- typing --------------------------------------------------------------------------------------------

  /** The text of the active cell as the formula bar shows it. */
  barText(): string {
    return this.edit()?.text ?? this.details()?.editText ?? "";
  }

  /** Edits what the cell holds. */
  async startEdit(cell: Cell, place: "cell" | "bar" = "cell"): Promise<void> {
    if (!this.mayType()) {
      return;
    }
    const sheet = this.sheetId();
    const details = await this.session.ask({ type: "cell", sheet, cell });
    if (this.edit() || this.sheet() !== sheet) {
      return;
    }
    this.beginEdit(cell, details.editText, details.editText, false, place);
    this.placeCaret(details.editText.length, place);
  }

  mayType(): boolean {
    return this.status().isReady && this.status().mayEdit;
  }

  /** The formula bar got the caret: its text is that of the active cell already. */
  startBarEdit(text: string): void {
    if (!this.mayType()) {
      return;
    }
    const { active } = this.selection();
    this.beginEdit(active, text, this.details()?.editText ?? "", false, "bar");
  }

  /** Typing into a cell replaces what it holds. */
  startTyping(text: string): void {
    if (!this.mayType()) {
      return;
    }
    const { active } = this.selection();
    this.grid?.reveal(active);
    this.beginEdit(active, text, this.details()?.editText ?? "", true, "cell");
  }

  private beginEdit(cell: Cell, text: string, original: string, isQuick: boolean, place: "cell" | "bar"): void {
    const sheet = this.sheetId();
    this.signals.edit[1]({ sheet, cell, text, original, isQuick, place, pointed: undefined });
    this.grid?.setEditing(cell);
  }

  /** The text changed by typing, in either field. */
  typed(text: string, place: "cell" | "bar"): void {
    const edit = this.edit();
    if (edit) {
      this.signals.edit[1]({ ...edit, text, place, pointed: undefined });
      this.grid?.setTarget(undefined);
    } else if (place === "cell") {
      this.startTyping(text);
    }
  }

  focusedField(place: "cell" | "bar"): void {
    const edit = this.edit();
    if (edit && edit.place !== place) {
      this.signals.edit[1]({ ...edit, place, isQuick: false });
    }
  }

  private field(place: "cell" | "bar"): HTMLTextAreaElement | undefined {
    return place === "cell" ? this.cellField : this.barField;
  }

  private placeCaret(at: number, place: "cell" | "bar"): void {
    const field = this.field(place);
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(at, at);
  }

  /** Enters what was typed; does nothing when nothing is being typed. */
  commit(everywhere = false): void {
    const edit = this.edit();
    if (!edit) {
      return;
    }
    this.endEdit();
    if (everywhere) {
      this.eachRange((range, sheet) => ({ type: "typeEverywhere", sheet, range, text: edit.text }));
    } else if (edit.text !== edit.original) {
      this.command({ type: "typeText", sheet: edit.sheet, cell: cellName(edit.cell), text: edit.text });
    }
  }

  cancelEdit(): void {
    if (this.edit()) {
      this.endEdit();
    }
  }

  private endEdit(): void {
    this.signals.edit[1](undefined);
    this.grid?.setEditing(undefined);
    this.grid?.setTarget(undefined);
    this.focusCells();
  }

  // ---- naming cells by pointing --------------------------------------------------------------------------

  private isPointing(): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.place);
    return edit !== undefined && field !== undefined && canPoint(edit.text, field.selectionStart, edit.pointed);
  }

  private pointAt(range: Range): void {
    const edit = this.edit();
    const field = edit && this.field(edit.place);
    if (!edit || !field) {
      return;
    }
    const { text, pointed } = putReference(edit.text, field.selectionStart, edit.pointed, rangeName(range));
    this.signals.edit[1]({ ...edit, text, pointed });
    this.grid?.setTarget(range);
    this.pointedRange = range;
    field.value = text;
    this.placeCaret(pointed.end, edit.place);
  }

  private pointedRange: Range | undefined;

  /** Arrow keys point when a formula waits for a reference; whether they did. */
  private pointByKey(rows: number, columns: number, extends_: boolean): boolean {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return false;
    }
    const from = edit.pointed && this.pointedRange ? this.pointedRange : rangeOf(edit.cell);
    const head = clampCell(from.bottom + rows, from.right + columns);
    this.pointAt(extends_ ? { ...from, bottom: Math.max(from.top, head.row), right: Math.max(from.left, head.column) } : rangeOf(head));
    this.grid?.reveal(head);
    return true;
  }

  // ---- keys ----------------------------------------------------------------------------------------------

  /** Carries out a key's action; whether it did, so that the browser leaves the key alone. */
  act(action: Action): boolean {
    if (this.sheet() === undefined) {
      return false;
    }
    const edit = this.edit();
    return edit ? this.actWhileEditing(action, edit) : this.actOnCells(action);
  }

  private actWhileEditing(action: Action, edit: Edit): boolean {
    const grid = this.grid;
    switch (action.do) {
      case "walk":
        this.commit();
        grid?.select(walk(this.selection(), action.down, action.back), "active");
        return true;
      case "cancel":
        this.cancelEdit();
        return true;
      case "fillSelection":
        this.commit(true);
        return true;
      case "newLine":
        this.insertIntoEdit("\n", edit);
        return true;
      case "edit":
        this.signals.edit[1]({ ...edit, isQuick: !edit.isQuick });
        return true;
      case "move":
      case "extend":
        if (this.pointByKey(action.rows, action.columns, action.do === "extend")) {
          return true;
        }
        if (action.do === "move" && edit.isQuick) {
          this.commit();
          grid?.select(step(this.selection(), action.rows, action.columns));
          return true;
        }
        return false;
      case "page":
      case "edge":
        if (edit.isQuick && action.do === "page") {
          this.commit();
          return this.actOnCells(action);
        }
        return false;
      case "insertNow":
        this.insertIntoEdit(now(action.what), edit);
        return true;
      case "help":
        this.openDialog("help");
        return true;
      default:
        return false;
    }
  }

  private insertIntoEdit(inserted: string, edit: Edit): void {
    const field = this.field(edit.place);
    if (field) {
      field.setRangeText(inserted, field.selectionStart, field.selectionEnd, "end");
      this.typed(field.value, edit.place);
    }
  }

  private actOnCells(action: Action): boolean {
    const { grid } = this;
    if (!grid) {
      return false;
    }
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
        const question = { type: "edge", sheet: this.sheetId(), from, direction: action.direction } as const;
        void this.session.ask(question).then((cell) => goTo(cell, action.extends));
        return true;
      }
      case "page": {
        const from = action.extends ? head : active;
        const rows = action.sideways ? 0 : action.pages * grid.pageRows;
        const columns = action.sideways ? action.pages * grid.pageColumns : 0;
        grid.scrollBy(rows * 22, columns * 96);
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
        void this.session
          .ask({ type: "used", sheet: this.sheetId() })
          .then((used) => goTo({ row: used.bottom, column: used.right }, action.extends));
        return true;
      case "walk":
        grid.select(walk(selection, action.down, action.back), "active");
        return true;
      case "nextSheet":
        this.stepSheet(action.by);
        return true;
      case "toggle":
        this.toggle(action.attribute);
        return true;
      case "numberFormat":
        this.format({ numberFormat: action.code });
        return true;
      case "insertNow":
        this.startTyping(now(action.what));
        return true;
      case "selectAll":
        void this.selectRegion();
        return true;
      case "selectRows":
        grid.select(selectRows(this.range.top, this.range.bottom), "none");
        return true;
      case "selectColumns":
        grid.select(selectColumns(this.range.left, this.range.right), "none");
        return true;
      case "edit":
        void this.startEdit(active);
        return true;
      case "cancel":
        this.forgetCopy();
        return true;
      case "clear":
        this.clear("contents");
        return true;
      case "clearAndEdit":
        this.startTyping("");
        return true;
      case "undo":
        this.undo();
        return true;
      case "redo":
        this.redo();
        return true;
      case "fillDown":
        this.eachRange((range, sheet) => ({ type: "fillDown", sheet, range }));
        return true;
      case "fillRight":
        this.eachRange((range, sheet) => ({ type: "fillRight", sheet, range }));
        return true;
      case "insertLines":
        this.insertLines(isWholeColumns(this.range) ? "columns" : "rows", "before");
        return true;
      case "deleteLines":
        this.deleteLines(isWholeColumns(this.range) ? "columns" : "rows");
        return true;
      case "pasteValues":
        // The browser raises `paste` for this key itself.
        this.pastesValues = true;
        return false;
      case "showActive":
        grid.reveal(active);
        return true;
      case "sum":
        this.insertFunction("SUM");
        return true;
      case "help":
        this.openDialog("help");
        return true;
      case "newLine":
      case "fillSelection":
        return true;
      default:
        return exhausted(action);
    }
  }

  private stepSheet(by: number): void {
    const sheets = this.sheets();
    const at = sheets.findIndex((sheet) => sheet.id === this.sheet());
    const next = sheets[at + by];
    if (next) {
      this.openSheet(next.id);
    }
  }

  /** The filled block round the active cell; when that is selected already, everything. */
  private async selectRegion(): Promise<void> {
    const { active } = this.selection();
    const region = await this.session.ask({ type: "region", sheet: this.sheetId(), cell: active });
    const isBlock = rowCount(region) * columnCount(region) > 1 && contains(region, active);
    const selection = isBlock && !sameRange(region, this.range) ? selectRange(region, active) : selectAll();
    this.grid?.select(selection, "none");
  }

  /** Starts a formula with this function: over the selection in the cell below it, otherwise in the active cell. */
  insertFunction(name: string): void {
    this.commit();
    const { range } = this;
    if (isSingleCell(this.selection()) || isWholeColumns(range) || isWholeRows(range)) {
      this.startTyping(`=${name}(`);
      this.focusCells();
      queueMicrotask(() => this.placeCaret(name.length + 2, "cell"));
      return;
    }
    const isRow = rowCount(range) === 1;
    const cell = isRow
      ? clampCell(range.top, range.right + 1)
      : clampCell(range.bottom + 1, range.left);
    const source = isRow ? range : { ...range, right: range.left };
    this.grid?.select(selectCell(cell));
    this.startTyping(`=${name}(${rangeName(source)})`);
    this.focusCells();
  }

  /** The selected rows, or the filled block round the active cell; whole columns up to where they are filled. */
  async rangeToSort(): Promise<Range> {
    const { range } = this;
    if (!isSingleCell(this.selection()) && !isWholeColumns(range)) {
      return range;
    }
    const region = await this.session.ask({ type: "region", sheet: this.sheetId(), cell: this.selection().active });
    return isWholeColumns(range) ? { ...range, top: region.top, bottom: region.bottom } : region;
  }

  functions(): Promise<readonly FunctionDetails[]> {
    return this.session.ask({ type: "functions" });
  }

  // ---- clipboard -----------------------------------------------------------------------------------------

  private copiedRange: Range | undefined;

  /** Called by the `copy` and `cut` events of the field over the cells. */
  copy(event: ClipboardEvent, isCut: boolean): void {
    if (this.edit()) {
      return;
    }
    event.preventDefault();
    const inHand = this.copyInHand;
    if (inHand) {
      event.clipboardData?.setData("text/plain", inHand.copied.text);
      event.clipboardData?.setData("text/html", markTable(inHand.copied.html, inHand.source));
      return;
    }
    void this.fetchCopy(isCut);
  }

  /** The engine's answer comes too late for the first event, so another is raised when it is here. */
  private async fetchCopy(isCut: boolean): Promise<void> {
    const { range } = this;
    const sheet = this.sheetId();
    const source = { token: crypto.randomUUID(), room: this.room, sheet, range: rangeName(range) };
    this.copySource = { ...source, isCut };
    this.copiedRange = range;
    this.grid?.setCopied(range);
    const copied = await this.session.ask({ type: "copy", sheet, range });
    this.copyInHand = { copied, source };
    this.focusCells();
    document.execCommand("copy");
    this.copyInHand = undefined;
    if (copied.isCutShort) {
      this.toast("This is a lot to copy: other programs get the first part. Pasting in this workbook copies all.", false);
    }
  }

  /** For menu items: there is no clipboard event yet. */
  copySelection(isCut: boolean): void {
    this.focusCells();
    void this.fetchCopy(isCut);
  }

  paste(event: ClipboardEvent): void {
    if (this.edit()) {
      return;
    }
    event.preventDefault();
    const values = this.pastesValues;
    this.pastesValues = false;
    const html = event.clipboardData?.getData("text/html") ?? "";
    const text = event.clipboardData?.getData("text/plain") ?? "";
    this.pasteContent(html, text, values);
  }

  /** For menu items; browsers ask the person first. */
  async pasteFromMenu(values: boolean): Promise<void> {
    this.focusCells();
    try {
      const items = await navigator.clipboard.read();
      const item = items[0];
      const html = item?.types.includes("text/html") ? await (await item.getType("text/html")).text() : "";
      const text = item?.types.includes("text/plain") ? await (await item.getType("text/plain")).text() : "";
      this.pasteContent(html, text, values);
    } catch {
      this.toast("The browser does not let a menu read the clipboard. Please press Ctrl+V.", false);
    }
  }

  private pasteContent(html: string, text: string, values: boolean): void {
    const sheet = this.sheetId();
    const target = rangeName(this.range);
    const mark = readMark(html);
    const source = mark?.room === this.room ? mark : undefined;
    if (!source) {
      const pasted = text !== "" ? text : (tableAsText(html) ?? "");
      if (pasted !== "") {
        this.command({ type: "pasteText", sheet, target, text: pasted });
      }
      return;
    }
    if (this.copySource?.token === source.token && this.copySource.isCut) {
      this.command({ type: "cutPaste", fromSheet: source.sheet, source: source.range, sheet, target });
      this.forgetCopy();
      return;
    }
    const what = values ? "values" : "all";
    this.command({ type: "copyPaste", fromSheet: source.sheet, source: source.range, sheet, target, what });
  }

  private forgetCopy(): void {
    this.copySource = undefined;
    this.copiedRange = undefined;
    this.grid?.setCopied(undefined);
  }

  // ---- the page ------------------------------------------------------------------------------------------

  setIdentity(identity: Identity): void {
    saveIdentity(identity);
    this.signals.identity[1](identity);
    this.session.send({ type: "rename", ...identity });
  }

  openDialog(dialog: Dialog): void {
    this.signals.dialog[1](dialog);
  }

  closeDialog(): void {
    this.signals.dialog[1](undefined);
    this.focusCells();
  }

  closeMenu(): void {
    this.signals.menu[1](undefined);
  }

  toast(text: string, isError: boolean): void {
    this.toasts_ += 1;
    const id = this.toasts_;
    this.signals.toasts[1]((toasts) => [...toasts.filter((old) => old.text !== text), { id, text, isError }]);
    window.setTimeout(() => this.closeToast(id), TOAST_MS);
  }

  closeToast(id: number): void {
    this.signals.toasts[1]((toasts) => toasts.filter((toast) => toast.id !== id));
  }

  sheetId(): number {
    const sheet = this.sheet();
    if (sheet === undefined) {
      throw new Error("no sheet is open yet");
    }
    return sheet;
  }
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function makeSignals() {
  return {
    sheets: createSignal<readonly SheetTab[]>([]),
    sheet: createSignal<number | undefined>(),
    status: createSignal<Status>(LOADING),
    connection: createSignal<Connection>({ state: "connecting" }),
    people: createSignal<readonly Person[]>([]),
    history: createSignal({ canUndo: false, canRedo: false }),
    details: createSignal<CellDetails | undefined>(),
    selection: createSignal<Selection>(selectCell({ row: 0, column: 0 })),
    summary: createSignal<Summary | undefined>(),
    edit: createSignal<Edit | undefined>(),
    /** Counts up when things that lie over the grid have to move. */
    layout: createSignal(0),
    toasts: createSignal<readonly Toast[]>([]),
    menu: createSignal<MenuAt | undefined>(),
    dialog: createSignal<Dialog>(),
    isCalculating: createSignal(false),
    stopped: createSignal<string | undefined>(),
    identity: createSignal<Identity>(loadIdentity()),
  } as const;
}

function linesOf(hit: Hit): MenuAt["lines"] {
  switch (hit.kind) {
    case "rowHeader":
    case "rowBorder":
      return "rows";
    case "columnHeader":
    case "columnBorder":
      return "columns";
    default:
      return "cells";
  }
}

function now(what: "date" | "time"): string {
  const date = new Date();
  const two = (number: number): string => String(number).padStart(2, "0");
  return what === "date"
    ? `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    : `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function exhausted(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
}

/**
 * An open workbook as the page sees it: what is shown, what is selected, what is being typed.
 *
 * Session and grid are driven from here; components read the signals and call the methods.
 */

import {
  type Cell,
  clampCell,
  currentRange,
  type Dimension,
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
  sameCell,
  selectCell,
  selectColumns,
  type Selection,
  selectRange,
  selectRows,
} from "@quadrille/grid";
import type {
  CellDetails,
  Command,
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
import { Clipboard } from "./clipboard.ts";
import { readTheme } from "./theme.ts";
import { Typing } from "./typing.ts";

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

export type Dialog = "help" | "functions" | "sort" | undefined;

interface SheetMemory {
  readonly selection: Selection;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
}

/** After the last change to the selection, before its figures are asked for. */
const SUMMARY_DELAY_MS = 80;
const TOAST_MS = 6_000;
/** What an entered formula shows is there within this time; later changes are not the entry's. */
const ENTERED_MS = 1_000;
/** What others see of a selection is sent at most this often. */
const PRESENCE_MS = 80;
/** A column is fitted to what it shows, but not wider than this. */
const COLUMN_FIT_PX_MAX = 600;
const COLUMN_FIT_PX_MIN = 32;
/** More rows at once keep their height. */
const ROWS_FITTED_MAX = 200;
const LOADING: Status = { isReady: false, isConnected: false, unconfirmed: 0, mayEdit: true };

export class WorkbookModel {
  readonly room: string;
  readonly session: Session;
  readonly typing = new Typing(this);
  readonly clipboard = new Clipboard(this);
  private gridOnPage: Grid | undefined;

  private readonly memory = new Map<number, SheetMemory>();
  private readonly disposal = new AbortController();
  /** Waits for cells that show the last command's effect. */
  private afterWindow: (() => void) | undefined;
  private entered: { readonly cell: Cell; readonly untilMs: number } | undefined;
  private detailsAsked = 0;
  private detailsCell: { readonly sheet: number; readonly cell: Cell } | undefined;
  private summaryTimer = 0;
  private presenceTimer = 0;
  private toasts_ = 0;
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
            this.widenForEntry();
            this.afterWindow?.();
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

  // ---- the grid and the field over it --------------------------------------------------------------------

  get grid(): Grid | undefined {
    return this.gridOnPage;
  }

  attachGrid(element: HTMLElement): void {
    this.gridOnPage = new Grid(element, readTheme(), {
      windowWanted: (range) => {
        const sheet = this.sheet();
        if (sheet !== undefined) {
          this.session.view(sheet, range);
        }
      },
      painted: () => this.session.painted(),
      selectionChanged: (selection) => this.selectionChanged(selection),
      isPointing: () => this.typing.isPointing(),
      pointed: (range) => this.typing.pointAt(range),
      pressed: () => {
        this.typing.commit();
        this.focusCells();
      },
      editWanted: (cell) => this.typing.start(cell),
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
    this.typing.field("cell")?.focus({ preventScroll: true });
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
        this.typing.cancel();
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
    const edit = this.typing.edit();
    const range = edit && moveRange(rangeOf(edit.cell), moved);
    if (range) {
      this.typing.moveTo({ row: range.top, column: range.left });
    } else if (edit) {
      this.typing.cancel();
      this.toast("The cell you were typing into was deleted by somebody else.", true);
    }
    this.clipboard.forget();
  }

  private showOthers(): void {
    const sheet = this.sheet();
    const others = this.people().flatMap((person) =>
      person.sheet === sheet && person.selection
        ? [{ id: person.session, name: person.name, color: person.color, range: person.selection }]
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
    const cell = this.selection().active;
    void this.session.ask({ type: "cell", sheet, cell }).then((details) => {
      if (asked === this.detailsAsked) {
        this.detailsCell = { sheet, cell };
        this.signals.details[1](details);
      }
    });
  }

  /** What is known of a cell of this sheet; the details shown may still be those of the cell before. */
  detailsOf(cell: Cell): CellDetails | undefined {
    const known = this.detailsCell;
    return known && known.sheet === this.sheet() && sameCell(known.cell, cell) ? this.details() : undefined;
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

  tellSelection(): void {
    if (this.presenceTimer !== 0) {
      return;
    }
    this.presenceTimer = window.setTimeout(() => {
      this.presenceTimer = 0;
      const sheet = this.sheet();
      if (sheet !== undefined) {
        const selection = currentRange(this.selection());
        this.session.send({ type: "select", sheet, selection, isEditing: this.typing.edit() !== undefined });
      }
    }, PRESENCE_MS);
  }

  goTo(range: Range): void {
    this.typing.commit();
    this.grid?.select(selectRange(range), "active");
    this.grid?.reveal({ row: range.top, column: range.left });
    this.focusCells();
  }

  get range(): Range {
    return currentRange(this.selection());
  }

  /** A number just entered that a column of the default width cannot show makes it wider, as in Excel. */
  private widenForEntry(): void {
    const { cell, untilMs } = this.entered ?? {};
    const isFresh = untilMs !== undefined && performance.now() < untilMs;
    const size = cell && isFresh ? this.grid?.widthMissingPx(cell) : undefined;
    if (cell && size !== undefined) {
      this.entered = undefined;
      this.command({
        type: "resize",
        sheet: this.sheetId(),
        dimension: "columns",
        first: cell.column,
        count: 1,
        size: Math.min(size, COLUMN_FIT_PX_MAX),
      });
    }
  }

  /** The cell that was typed into last. */
  setEntered(cell: Cell): void {
    this.entered = { cell, untilMs: performance.now() + ENTERED_MS };
  }

  // ---- sheets --------------------------------------------------------------------------------------------

  sheetName(): string {
    return this.sheets().find((sheet) => sheet.id === this.sheet())?.name ?? "";
  }

  openSheet(sheet: number): void {
    this.typing.commit();
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
    this.entered = undefined;
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
    this.grid?.setCopied(this.clipboard.framed(sheet));
    this.showOthers();
    this.figuresChanged();
    this.tellSelection();
  }

  stepSheet(by: number): void {
    const sheets = this.sheets();
    const at = sheets.findIndex((sheet) => sheet.id === this.sheet());
    const next = sheets[at + by];
    if (next) {
      this.openSheet(next.id);
    }
  }

  addSheet(): void {
    this.typing.commit();
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

  eachRange(make: (range: string, sheet: number) => Command): void {
    const sheet = this.sheetId();
    this.selection().ranges.forEach((range) => this.command(make(rangeName(range), sheet)));
  }

  format(format: FormatChange): void {
    this.typing.commit();
    this.eachRange((range, sheet) => ({ type: "format", sheet, range, format }));
    this.focusCells();
  }

  toggle(attribute: "bold" | "italic" | "underline" | "strikethrough" | "wrap"): void {
    this.typing.commit();
    const active = rangeName(rangeOf(this.selection().active));
    this.eachRange((range, sheet) => ({ type: "toggle", sheet, range, attribute, active }));
    if (attribute === "wrap") {
      const { top, bottom } = this.range;
      this.afterWindow = () => {
        this.afterWindow = undefined;
        this.fitRows(top, Math.min(bottom, top + ROWS_FITTED_MAX - 1));
      };
    }
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
    this.grid?.select(
      dimension === "rows" && isWholeRows(this.range)
        ? selectRows(top, top)
        : dimension === "columns" && isWholeColumns(this.range)
          ? selectColumns(left, left)
          : selectCell({ row: top, column: left }),
      "none",
    );
    this.focusCells();
  }

  /** Makes columns as wide as what they show needs; rows go back to the default height. */
  private async fit(dimension: Dimension, first: number, count: number): Promise<void> {
    const sheet = this.sheetId();
    if (dimension === "rows") {
      this.fitRows(first, Math.min(first + count, first + ROWS_FITTED_MAX) - 1);
      return;
    }
    // A selection of every column fits those that can be seen to hold something.
    const last = Math.min(first + count - 1, first + 200);
    for (let index = first; index <= last; index += 1) {
      const texts = await this.session.ask({ type: "longestTexts", sheet, column: index });
      const size = texts.length === 0 ? null : this.fittedPx(texts);
      this.command({ type: "resize", sheet, dimension, first: index, count: 1, size });
    }
  }

  /** Wrapped texts need higher rows; rows of equal height go as one command. */
  private fitRows(first: number, last: number): void {
    const sheet = this.sheetId();
    let start = first;
    for (let row = first; row <= last; row += 1) {
      const size = this.grid?.heightNeededPx(row) ?? null;
      const next = row === last ? undefined : (this.grid?.heightNeededPx(row + 1) ?? null);
      if (next !== size) {
        this.command({ type: "resize", sheet, dimension: "rows", first: start, count: row - start + 1, size });
        start = row + 1;
      }
    }
  }

  private fittedPx(texts: readonly string[]): number {
    const neededPx = this.grid?.widthNeededPx(texts) ?? COLUMN_FIT_PX_MIN;
    return Math.min(COLUMN_FIT_PX_MAX, Math.max(COLUMN_FIT_PX_MIN, neededPx));
  }

  // ---- functions -----------------------------------------------------------------------------------------

  /** Starts a formula with this function: over the selection in the cell below it, otherwise in the active cell. */
  insertFunction(name: string): void {
    this.typing.commit();
    const { range } = this;
    if (isSingleCell(this.selection()) || isWholeColumns(range) || isWholeRows(range)) {
      this.typing.startWith(`=${name}(`);
      this.focusCells();
      queueMicrotask(() => this.typing.placeCaret(name.length + 2, "cell"));
      return;
    }
    const isRow = rowCount(range) === 1;
    const cell = isRow
      ? clampCell(range.top, range.right + 1)
      : clampCell(range.bottom + 1, range.left);
    const source = isRow ? range : { ...range, right: range.left };
    this.grid?.select(selectCell(cell));
    this.typing.startWith(`=${name}(${rangeName(source)})`);
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

  mayType(): boolean {
    return this.status().isReady && this.status().mayEdit;
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

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function exhausted(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
}

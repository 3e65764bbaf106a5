/**
 * An open workbook as the page sees it: what is shown, what is selected, what is being typed.
 *
 * Session and grid are driven from here; components read the signals and call the methods.
 */

import {
  type Box,
  type Cell,
  currentRange,
  Grid,
  shiftRange,
  shiftSelection,
  type Range,
  rangeName,
  rangeOf,
  selectCell,
  type Selection,
  selectRange,
} from "@quadrille/grid";
import { type Command, type FormatChange, isFollowing, type Notice, type SearchScope, type SheetTab } from "@quadrille/protocol";
import { Session } from "@quadrille/session";
import SessionWorker from "@quadrille/session/worker?worker";
import { batch } from "solid-js";
import { loadEngine } from "../engine/index.ts";
import { Following, type Identity, saveIdentity } from "../presence/index.ts";
import { socketUrl } from "../rooms/index.ts";
import { onSchemeChange, readTheme } from "../theme/index.ts";
import { rangeToSort } from "./selection-shape.ts";
import { gridListener } from "./grid-actions.ts";
import { forVisibleRows, FilterViews } from "../filter/index.ts";
import { WorkbookEditPermission } from "./edit-permission.ts";
import { Keys } from "../keyboard/index.ts";
import { Announcer } from "../accessibility/index.ts";
import { Clipboard } from "../clipboard/index.ts";
import { SelectionDetails } from "./selection-details.ts";
import { Items } from "./sheet-items.ts";
import { PreviewModel } from "../preview/index.ts";
import { InvalidCircles } from "../validation/index.ts";
import { CellEdit, EntryChecks } from "../editing/index.ts";
import { FindModel } from "../find/index.ts";
import { AutoFit, Lines, Outline } from "../rows-columns/index.ts";
import { localeSettings } from "../settings/index.ts";
import { FormatPainter } from "../formatting/index.ts";
import type { CellReference } from "../references/index.ts";
import { makeSignals } from "./signals.ts";
import type { DialogName, PanelName } from "../workbook/index.ts";
import { saveTrace, TraceRecorder } from "../connection/index.ts";
import { Title } from "../header/index.ts";
import { type ToastKind, ToastQueue } from "../toasts/index.ts";
import { canTakeFocus } from "../embed/index.ts";
import { engineErrorText, t } from "../language/index.ts";

interface SheetMemory {
  readonly selection: Selection;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
}

/** What others see of a selection is sent at most this often. */
const PRESENCE_MS = 80;

export class WorkbookModel {
  readonly room: string;
  readonly session: Session;
  readonly traceRecorder: TraceRecorder;
  readonly cellEdit = new CellEdit(this);
  readonly clipboard = new Clipboard(this);
  readonly keys = new Keys(this);
  readonly selectionDetails = new SelectionDetails(this);
  readonly items = new Items(this);
  readonly autoFit = new AutoFit(this);
  readonly findModel = new FindModel(this);
  readonly formatPainter = new FormatPainter(this);
  readonly lines = new Lines(this);
  readonly entryChecks = new EntryChecks(this);
  readonly invalidCircles = new InvalidCircles(this);
  readonly views = new FilterViews(this);
  readonly outline = new Outline(this);
  readonly following = new Following(this);
  readonly announcer = new Announcer();
  readonly toastQueue = new ToastQueue();
  readonly title: Title;
  readonly looking: PreviewModel;
  readonly editPermission: WorkbookEditPermission;
  /** The chat takes its frames here when it is there. */
  onChatFrame: ((frame: Uint8Array) => void) | undefined;
  private gridOnPage: Grid | undefined;

  private readonly memory = new Map<number, SheetMemory>();
  private readonly disposal = new AbortController();
  private presenceTimer = 0;
  private shownName: string | undefined;
  private pressedArrow: ((cell: Cell, what: "list" | "filter") => void) | undefined;
  private tellsReplaced = false;
  private readonly noticeListeners = new Set<(notice: Notice) => void>();

  private readonly signals = makeSignals();
  readonly sheets = this.signals.sheets[0];
  readonly sheet = this.signals.sheet[0];
  readonly status = this.signals.status[0];
  readonly connection = this.signals.connection[0];
  readonly people = this.signals.people[0];
  /** Everybody in the room; in a big one not all are listed. */
  readonly peopleCount = this.signals.peopleCount[0];
  readonly history = this.signals.history[0];
  readonly selection = this.signals.selection[0];
  readonly layout = this.signals.layout[0];
  readonly zoom = this.signals.zoom[0];
  /** Cells show formulas, on this page. */
  readonly showsFormulas = this.signals.showsFormulas[0];
  readonly menu = this.signals.menu[0];
  readonly dialog = this.signals.dialog[0];
  readonly panel = this.signals.panel[0];
  /** The chart or picture that keys and the panel are about. */
  readonly chosen = this.signals.chosen[0];
  /** Counts up when cells may have changed. */
  readonly cellChanges = this.signals.cellChanges[0];
  readonly cellsShown = this.signals.cellsShown[0];
  /** Counts up when light and dark change places. */
  readonly schemeChanges = this.signals.schemeChanges[0];
  /** A change may be on its way that `status` does not count yet. */
  readonly isSending = this.signals.isSending[0];
  /** Every change that the server does not have yet is written down in this browser. */
  readonly isPersisted = this.signals.isPersisted[0];
  readonly isCalculating = this.signals.isCalculating[0];
  readonly stopped = this.signals.stopped[0];
  readonly identity = this.signals.identity[0];

  constructor(room: string) {
    this.room = room;
    this.title = new Title(this, room);
    const { name, color } = this.identity();
    this.session = new Session(
      { worker: new SessionWorker(), engine: loadEngine(), socketUrl: socketUrl(room), name, color },
      {
        noticed: (notice) => batch(() => this.noticed(notice)),
        windowsArrived: (windows) => {
          if (windows[0]?.sheet === this.sheet() && this.grid && !this.looking.isOn()) {
            this.grid.setWindows(windows);
            this.signals.cellsShown[1]((count) => count + 1);
            this.autoFit.windowArrived();
          } else {
            this.session.painted();
          }
        },
        shapeArrived: (shape) => {
          if (shape.sheet === this.sheet() && !this.looking.isOn()) {
            this.grid?.setShape(shape);
          }
        },
        inputsChanged: () => this.selectionDetails.askDetails(),
        changed: () => {
          this.selectionDetails.changed();
          this.signals.cellChanges[1]((count) => count + 1);
          this.findModel.changed();
        },
        sending: (isSending) => {
          this.signals.isSending[1](isSending);
          if (!isSending) {
            this.items.taken();
            this.autoFit.entryProcessed();
            this.announcer.entryProcessed();
          }
        },
        calculating: this.signals.isCalculating[1],
        connectionChanged: this.signals.connection[1],
        persisted: this.signals.isPersisted[1],
        frameReceived: (frame) => (isFollowing(frame) ? this.following.heard(frame) : this.onChatFrame?.(frame)),
        traced: saveTrace,
        stopped: this.signals.stopped[1],
      },
    );
    this.traceRecorder = new TraceRecorder(this.session);
    this.looking = new PreviewModel(this);
    this.editPermission = new WorkbookEditPermission(this);
    const { signal } = this.disposal;
    window.addEventListener(
      "beforeunload",
      (event) => {
        if (this.wouldLose()) {
          event.preventDefault();
        }
      },
      { signal },
    );
    const repaint = (): void => {
      this.grid?.setTheme(readTheme());
      this.signals.schemeChanges[1]((count) => count + 1);
    };
    onSchemeChange(repaint, signal);
  }

  dispose(): void {
    this.disposal.abort();
    this.looking.end();
    window.clearTimeout(this.presenceTimer);
    this.selectionDetails.dispose();
    this.findModel.dispose();
    this.formatPainter.stop();
    this.following.dispose();
    this.announcer.dispose();
    this.grid?.dispose();
    this.session.dispose();
  }

  /** Whether closing the page would lose a change. */
  wouldLose(): boolean {
    return this.isSending() || (this.status().unconfirmed > 0 && !this.isPersisted());
  }

  // ---- the grid and the field over it --------------------------------------------------------------------

  get grid(): Grid | undefined {
    return this.gridOnPage;
  }

  attachGrid(element: HTMLElement): void {
    const listener = gridListener(this, {
      selectionChanged: (selection) => this.selectionChanged(selection),
      contextMenuRequested: (menu) => this.signals.menu[1](menu),
      layoutChanged: () => {
        this.signals.layout[1]((count) => count + 1);
        this.following.scrolled();
      },
      ariaUpdated: () => this.signals.ariaUpdates[1]((count) => count + 1),
    });
    this.gridOnPage = new Grid(element, readTheme(), listener);
    this.following.attach(element, this.disposal.signal);
    this.gridOnPage.setCanEdit(this.status().canEdit);
    if (this.sheet() !== undefined) {
      this.showSheet(this.sheetId());
    }
    this.looking.drawAgain();
  }

  /** Where the field over the active or edited cell lies, in pixels of the grid's element. */
  cellBox(cell: Cell): { box: Box; cells: Box } | undefined {
    this.layout();
    return this.grid && { box: this.grid.boxOfCell(cell), cells: this.grid.cellsBox };
  }

  /** Of the cell for screen readers; none while it is out of sight. */
  ariaNodeId(cell: Cell): string | undefined {
    this.signals.ariaUpdates[0]();
    return this.grid?.ariaNodeId(cell);
  }

  textOf(cell: Cell): string {
    return this.grid?.textOf(cell) ?? "";
  }

  focusCells(): void {
    if (!canTakeFocus()) {
      return;
    }
    this.cellEdit.field("cell")?.focus({ preventScroll: true });
  }

  /** Tab stays in the cells, so another key leads to the menus, and from there back. */
  leaveCells(): void {
    if (document.activeElement === this.cellEdit.field("cell")) {
      document.querySelector<HTMLElement>(".header-home, .embed-open")?.focus();
    } else {
      this.focusCells();
    }
  }

  /** For this person on this page only. */
  setZoom(zoom: number): void {
    this.grid?.setZoom(Math.round(zoom * 100) / 100);
    this.signals.zoom[1](this.grid?.zoom ?? 1);
    this.signals.layout[1]((count) => count + 1);
  }

  /** As the zoom, for this person on this page only. */
  showFormulas(shows: boolean): void {
    this.signals.showsFormulas[1](shows);
    this.session.send({ type: "showFormulas", shows });
    this.focusCells();
  }

  /** An arrow in a cell was pressed. */
  controlPressed(cell: Cell, what: "list" | "filter"): void {
    this.pressedArrow?.(cell, what);
  }

  /** Whoever shows lists in cells. */
  onCellPressed(show: (cell: Cell, what: "list" | "filter") => void): void {
    this.pressedArrow = show;
  }

  // ---- what the engine tells -----------------------------------------------------------------------------

  /** Whoever else wants to hear what the engine tells. */
  onNotice(listener: (notice: Notice) => void, signal: AbortSignal): void {
    this.noticeListeners.add(listener);
    signal.addEventListener("abort", () => this.noticeListeners.delete(listener));
  }

  private noticed(notice: Notice): void {
    this.noticeListeners.forEach((listener) => listener(notice));
    switch (notice.type) {
      case "sheets":
        this.sheetsChanged(notice.sheets);
        return;
      case "status":
        if (notice.status.isReady && !this.status().isReady) {
          this.views.restore();
        }
        this.following.connected(notice.status.isConnected);
        this.signals.status[1](notice.status);
        this.grid?.setCanEdit(notice.status.canEdit);
        return;
      case "people":
        this.signals.people[1](notice.people);
        this.signals.peopleCount[1](notice.count);
        this.showOthers();
        this.following.goAlong();
        return;
      case "history":
        this.signals.history[1]({ canUndo: notice.canUndo, canRedo: notice.canRedo });
        return;
      case "moved":
        this.linesMoved(notice);
        return;
      case "replaced":
        if (this.tellsReplaced) {
          this.toast(t("{count} cells changed.", { count: notice.cells }), false);
        }
        return;
      case "refused":
        this.toast(engineErrorText(notice), true);
        return;
      case "items":
        this.items.changed(notice.sheets);
        if (notice.workbook) {
          void this.title.changed();
        }
        return;
      case "cells":
      case "close":
      case "traced":
        // For the page round this one, or the worker.
        return;
      default:
        exhausted(notice);
    }
  }

  /** The server shows these sheets before the engine is there. */
  lookArrived(sheets: readonly SheetTab[], shown: number): void {
    this.signals.sheets[1](sheets);
    this.showSheet(shown);
  }

  private sheetsChanged(sheets: readonly SheetTab[]): void {
    const wasLooking = this.looking.isOn();
    this.looking.end();
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
      const shown = sheets.filter(({ isHidden }) => !isHidden);
      const next = shown[Math.min(position, shown.length - 1)] ?? sheets[0];
      if (next) {
        this.cellEdit.cancel();
        this.showSheet(next.id);
      }
    }
    this.grid?.setLabel(this.sheetName());
    // Whoever made a sheet was there before it was heard of here.
    this.following.goAlong();
    if (wasLooking) {
      this.grid?.refetchWindows();
    }
  }

  /** Others inserted or deleted lines: what is remembered by position moves along. */
  private linesMoved(moved: Notice & { type: "moved" }): void {
    if (moved.sheet !== this.sheet() || !this.grid) {
      return;
    }
    const selection = shiftSelection(this.grid.selection, moved);
    this.following.showWhile(() => this.grid?.select(selection, "none"));
    const edit = this.cellEdit.edit();
    const range = edit && shiftRange(rangeOf(edit.cell), moved);
    if (range) {
      this.cellEdit.moveTo({ row: range.top, column: range.left });
    } else if (edit) {
      this.cellEdit.cancel();
      this.toast(t("The cell you were typing into was deleted by somebody else."), true);
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

  // ---- selection -----------------------------------------------------------------------------------------

  private selectionChanged(selection: Selection): void {
    const before = this.selection();
    this.following.stop();
    // With its panel open a chart or picture stays chosen, so that cells can be picked for it.
    if (this.panel() !== "chart" && this.panel() !== "image") {
      this.choose(undefined);
    }
    this.signals.selection[1](selection);
    if (before.active.row !== selection.active.row || before.active.column !== selection.active.column) {
      this.selectionDetails.askDetails();
    }
    this.selectionDetails.askSummary();
    this.sendSelection();
  }

  sendSelection(): void {
    if (this.presenceTimer !== 0) {
      return;
    }
    this.presenceTimer = window.setTimeout(() => {
      this.presenceTimer = 0;
      const sheet = this.sheet();
      if (sheet !== undefined) {
        const selection = currentRange(this.selection());
        this.session.send({ type: "select", sheet, selection, isEditing: this.cellEdit.edit() !== undefined });
      }
    }, PRESENCE_MS);
  }

  goTo(range: Range): void {
    this.cellEdit.commit();
    this.grid?.select(selectRange(range), "active");
    this.grid?.reveal({ row: range.top, column: range.left });
    this.focusCells();
  }

  goToReference({ sheet, range }: CellReference): void {
    if (sheet !== undefined) {
      this.openSheet(sheet);
    }
    this.goTo(range);
  }

  /** Selects a cell and leaves the focus where it is. */
  reveal(cell: Cell): void {
    this.grid?.select(selectCell(cell), "active");
    this.grid?.reveal(cell);
  }

  get range(): Range {
    return currentRange(this.selection());
  }

  // ---- sheets --------------------------------------------------------------------------------------------

  sheetName(): string {
    return this.sheets().find((sheet) => sheet.id === this.sheet())?.name ?? "";
  }

  openSheet(sheet: number): void {
    if (this.cellEdit.isPointing()) {
      // The formula goes on and may name cells there.
      this.cellEdit.moveToBar();
      if (sheet !== this.sheet()) {
        this.showSheet(sheet);
      }
      return;
    }
    this.cellEdit.commit();
    if (sheet !== this.sheet()) {
      this.showSheet(sheet);
    }
    this.focusCells();
  }

  /** Back where a formula was begun that was pointed into other sheets. */
  returnTo(sheet: number): void {
    if (this.sheets().some(({ id }) => id === sheet)) {
      this.showSheet(sheet);
    }
  }

  showSheet(sheet: number): void {
    const previous = this.sheet();
    if (previous !== undefined && previous !== sheet && this.grid) {
      const { scrollTopPx, scrollLeftPx } = this.grid.view;
      this.memory.set(previous, { selection: this.grid.selection, scrollTopPx, scrollLeftPx });
    }
    this.autoFit.reset();
    this.signals.sheet[1](sheet);
    this.choose(undefined);
    this.items.sheetShown(sheet);
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
    const edit = this.cellEdit.edit();
    this.grid?.setEditing(edit?.sheet === sheet ? edit.cell : undefined);
    this.cellEdit.showReferences();
    this.showOthers();
    this.selectionDetails.changed();
    this.sendSelection();
  }

  addSheet(): void {
    this.cellEdit.commit();
    // Opened when it is there.
    this.shownName = "";
    this.command({ type: "addSheet", position: this.sheets().findIndex((sheet) => sheet.id === this.sheet()) + 1 });
  }

  duplicateSheet(sheet: number): void {
    this.cellEdit.commit();
    this.shownName = "";
    this.command({ type: "duplicateSheet", sheet });
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
    if (this.checkCanEdit()) {
      this.announcer.changedByUser();
      this.items.expect(command.type === "inSight" ? command.command.type : command.type);
      this.session.send({ type: "command", command });
    }
  }

  /** Says why not. */
  checkCanEdit(): boolean {
    return this.editPermission.checkCanEdit();
  }

  /** What is selected, but for rows that a filter hides. */
  eachRange(make: (range: string, sheet: number) => Command): void {
    const sheet = this.sheetId();
    const commands = this.selection().ranges.map((range) => make(rangeName(range), sheet));
    // Undone in one step, however many ranges are selected.
    this.command(forVisibleRows(sheet, { type: "many", commands }));
  }

  format(format: FormatChange): void {
    this.cellEdit.commit();
    this.eachRange((range, sheet) => ({ type: "format", sheet, range, format }));
    this.focusCells();
  }

  toggle(attribute: "bold" | "italic" | "underline" | "strikethrough" | "wrap"): void {
    this.cellEdit.commit();
    const active = rangeName(rangeOf(this.selection().active));
    this.eachRange((range, sheet) => ({ type: "toggle", sheet, range, attribute, active }));
    if (attribute === "wrap") {
      const { top, bottom } = this.range;
      this.autoFit.wrapChanged(top, bottom);
    }
    this.focusCells();
  }

  clear(what: "contents" | "formats" | "all"): void {
    this.entryChecks.guard(this.selection().ranges, () => this.eachRange((range, sheet) => ({ type: "clear", sheet, range, what })));
    this.focusCells();
  }

  replace(search: SearchScope, with_: string, tells: boolean): void {
    if (this.checkCanEdit()) {
      this.tellsReplaced = tells;
      this.session.send({ type: "replace", search, with: with_ });
    }
  }

  undo(): void {
    this.stepBack("undo");
  }

  redo(): void {
    this.stepBack("redo");
  }

  private stepBack(type: "undo" | "redo"): void {
    this.keys.inTurn(() => {
      this.items.expect(type);
      this.session.send({ type });
    });
  }

  // ---- functions -----------------------------------------------------------------------------------------

  /** The selected rows, or the filled block round the active cell; whole columns up to where they are filled. */
  rangeToSort(): Promise<Range> {
    return rangeToSort(this);
  }

  // ---- the page ------------------------------------------------------------------------------------------

  setIdentity(identity: Identity): void {
    saveIdentity(identity);
    this.signals.identity[1](identity);
    this.session.send({ type: "rename", ...identity });
  }

  /** Numbers, dates and formulas are read and shown as they are written there. */
  tellPlace(language: string, isR1c1: boolean): void {
    this.session.send(localeSettings(language, isR1c1, navigator.languages, -new Date().getTimezoneOffset()));
  }

  openDialog(dialog: DialogName): void {
    if (this.editPermission.canOpen(dialog)) {
      this.signals.dialog[1](dialog);
    }
  }

  /** A dialog or the search was asked for and is being loaded, as long as the cells still have the keyboard. */
  isAwaitingWindow(): boolean {
    return this.dialog() !== undefined || this.findModel.awaitsField();
  }

  closeWindows(): void {
    this.closeDialog();
    this.findModel.close();
  }

  closeDialog(): void {
    this.signals.dialog[1](undefined);
    this.focusCells();
  }

  openPanel(panel: PanelName): void {
    this.signals.panel[1](panel);
  }

  closePanel(): void {
    this.signals.panel[1](undefined);
    this.focusCells();
  }

  choose(item: number | undefined): void {
    this.signals.chosen[1](item);
  }

  closeMenu(): void {
    this.signals.menu[1](undefined);
  }

  /** Without an icon of its own it says that something was done, or was not. */
  toast(text: string, isError: boolean, look?: ToastKind): void {
    this.toastQueue.show(text, isError, look);
  }

  canType(): boolean {
    return this.status().isReady && this.status().canEdit;
  }

  sheetId(): number {
    const sheet = this.sheet();
    if (sheet === undefined) {
      throw new Error("no sheet is open yet");
    }
    return sheet;
  }
}

function exhausted(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
}

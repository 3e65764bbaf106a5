/**
 * The model of an open workbook in one tab: what is displayed, selected and being edited.
 *
 * It drives session and grid; components read its signals and call its methods.
 */

import { type Box, type Cell, currentRange, Grid, type Range, rangeName, rangeOf, sameRange } from "@quadrille/grid";
import { selectCell, type Selection, selectRange } from "@quadrille/grid";
import { type Command, type FormatChange, type Notice, type SearchScope, type SheetTab } from "@quadrille/protocol";
import { Session } from "@quadrille/session";
import SessionWorker from "@quadrille/session/worker?worker";
import { batch, untrack } from "solid-js";
import { loadEngine } from "../engine/index.ts";
import { cleanName, Following, type Identity, saveIdentity } from "../presence/index.ts";
import { socketUrl } from "../rooms/index.ts";
import { onSchemeChange, readTheme } from "../theme/index.ts";
import { dataRange } from "./data-range.ts";
import { gridListener } from "./grid-actions.ts";
import { forVisibleRows } from "../filter/index.ts";
import { WorkbookEditPermission } from "./edit-permission.ts";
import { KeyCommands } from "../keyboard/index.ts";
import { Announcer } from "../accessibility/index.ts";
import { Clipboard } from "../clipboard/index.ts";
import { SelectionDetails } from "./selection-details.ts";
import { SheetItems } from "./sheet-items.ts";
import { PreviewModel } from "../preview/index.ts";
import { focusOwnSheetChart, isChartSheet } from "../sheets/index.ts";
import { CellEdit, EntryChecks, type FontToggle } from "../editing/index.ts";
import { FindModel } from "../find/index.ts";
import { AutoFit } from "../rows-columns/index.ts";
import { type FormulaSettings, localeSettings } from "../settings/index.ts";
import { formatSelection, toggleSelection } from "../formatting/index.ts";
import type { CellReference } from "../references/index.ts";
import { SuggestionMode } from "../suggestions/index.ts";
import { moveWithCells } from "./moved-cells.ts";
import { createSignals } from "./signals.ts";
import { warnBeforeUnload } from "./unload-warning.ts";
import { type DialogName, type PanelName, ifLoaded, withLaterParts } from "../workbook/index.ts";
import { receivePageFrame, SessionAccess } from "../access/index.ts";
import { saveTrace, TraceRecorder } from "../connection/index.ts";
import { Title } from "../header/index.ts";
import { type ToastKind, ToastQueue } from "../toasts/index.ts";
import { canTakeFocus } from "../embed/index.ts";
import { t } from "../language/index.ts";

/** Selection and scroll position of a sheet that was left. */
interface SheetState {
  readonly selection: Selection;
  readonly scrollTopPx: number;
  readonly scrollLeftPx: number;
}

/** Minimum time between two selections sent as presence. */
const PRESENCE_MS = 80;

/** The model of one open workbook. */
export class WorkbookModel {
  readonly room: string;
  readonly session: Session;
  readonly traceRecorder: TraceRecorder;
  readonly cellEdit = new CellEdit(this);
  readonly clipboard = new Clipboard(this);
  readonly keys = new KeyCommands(this);
  readonly selectionDetails = new SelectionDetails(this);
  readonly items = new SheetItems(this);
  readonly autoFit = new AutoFit(this);
  readonly findModel = new FindModel(this);
  readonly entryChecks = new EntryChecks(this);
  readonly following = new Following(this);
  readonly suggestions = new SuggestionMode(this);
  readonly announcer = new Announcer();
  readonly toastQueue = new ToastQueue();
  readonly title: Title;
  readonly preview: PreviewModel;
  readonly editPermission: WorkbookEditPermission;
  readonly access: SessionAccess;
  /** Receives chat frames, once the chat is loaded. */
  onChatFrame: ((frame: Uint8Array) => void) | undefined;
  private attachedGrid: Grid | undefined;

  private readonly sheetStates = new Map<number, SheetState>();
  private readonly disposal = new AbortController();
  private presenceTimer = 0;
  private sheetToOpen: string | undefined;
  private openCellPopup: ((cell: Cell, what: "list" | "filter" | "rating", typed: string) => void) | undefined;
  private reportsReplaced = false;
  private readonly noticeListeners = new Set<(notice: Notice) => void>();

  private readonly signals = createSignals();
  readonly sheets = this.signals.sheets[0];
  readonly sheet = this.signals.sheet[0];
  readonly status = this.signals.status[0];
  readonly connection = this.signals.connection[0];
  readonly people = this.signals.people[0];
  /** Number of people in the room; `people` lists only some of them in a large room. */
  readonly peopleCount = this.signals.peopleCount[0];
  readonly history = this.signals.history[0];
  readonly selection = this.signals.selection[0];
  readonly layout = this.signals.layout[0];
  readonly zoom = this.signals.zoom[0];
  /** Whether cells display formulas, on this page. */
  readonly showsFormulas = this.signals.showsFormulas[0];
  readonly menu = this.signals.menu[0];
  readonly dialog = this.signals.dialog[0];
  readonly panel = this.signals.panel[0];
  /** Identifier of the selected chart or image. */
  readonly selectedItem = this.signals.selectedItem[0];
  /** Increases when cells may have changed. */
  readonly cellChanges = this.signals.cellChanges[0];
  readonly windowUpdates = this.signals.windowUpdates[0];
  /** Increases when the color scheme changes. */
  readonly schemeChanges = this.signals.schemeChanges[0];
  /** Whether a command has been sent that `status` does not count yet. */
  readonly isSending = this.signals.isSending[0];
  /** Whether all unconfirmed changes are stored in this browser. */
  readonly isPersisted = this.signals.isPersisted[0];
  readonly isCalculating = this.signals.isCalculating[0];
  readonly stopped = this.signals.stopped[0];
  readonly identity = this.signals.identity[0];
  /** Name of the account of the user, who cannot choose another one. */
  readonly accountName = this.signals.accountName[0];

  constructor(room: string) {
    this.room = room;
    this.title = new Title(this, room);
    this.access = new SessionAccess(this);
    this.session = new Session(
      { worker: new SessionWorker(), engine: loadEngine(), socketUrl: socketUrl(room), credential: this.access.firstCredential(), ...this.identity() },
      {
        noticed: (notice) => batch(() => this.handleNotice(notice)),
        windowsArrived: (windows) => {
          if (windows[0]?.sheet === this.sheet() && this.grid && !this.preview.isOn()) {
            this.grid.setWindows(windows);
            this.signals.windowUpdates[1]((count) => count + 1);
            this.autoFit.windowArrived();
          } else {
            this.session.painted();
          }
        },
        shapeArrived: (shape) => {
          if (shape.sheet === this.sheet() && !this.preview.isOn()) {
            this.grid?.setShape(shape);
          }
        },
        inputsChanged: () => this.selectionDetails.queryDetails(),
        changed: () => {
          this.selectionDetails.changed();
          this.signals.cellChanges[1]((count) => count + 1);
        },
        sending: (isSending) => {
          this.signals.isSending[1](isSending);
          if (!isSending) {
            this.items.commandsProcessed();
            this.autoFit.entryProcessed();
            this.announcer.entryProcessed();
          }
        },
        calculating: this.signals.isCalculating[1],
        connectionChanged: (connection) => this.access.connectionChanged(connection, this.signals.connection[1]),
        persisted: this.signals.isPersisted[1],
        frameReceived: (frame) => receivePageFrame(this, frame),
        traced: saveTrace,
        stopped: this.signals.stopped[1],
      },
    );
    this.traceRecorder = new TraceRecorder(this.session);
    this.preview = new PreviewModel(this);
    this.editPermission = new WorkbookEditPermission(this);
    const { signal } = this.disposal;
    warnBeforeUnload(() => this.wouldLoseChanges(), signal);
    onSchemeChange(() => {
      this.grid?.setTheme(readTheme());
      this.signals.schemeChanges[1]((count) => count + 1);
    }, signal);
  }

  dispose(): void {
    this.disposal.abort();
    this.preview.end();
    window.clearTimeout(this.presenceTimer);
    this.selectionDetails.dispose();
    this.following.dispose();
    this.announcer.dispose();
    this.grid?.dispose();
    this.session.dispose();
  }

  /** Whether closing the page would lose a change. */
  wouldLoseChanges(): boolean {
    return this.isSending() || (this.status().unconfirmed > 0 && !this.isPersisted());
  }

  // ---- grid and cell field ----

  /** The grid, once it is attached. */
  get grid(): Grid | undefined {
    return this.attachedGrid;
  }

  /** Creates the grid in an element. */
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
    this.attachedGrid = new Grid(element, readTheme(), listener);
    this.following.attach(element, this.disposal.signal);
    this.attachedGrid.setCanEdit(this.suggestions.canChange());
    if (this.sheet() !== undefined) {
      this.showSheet(this.sheetId());
    }
    this.preview.redraw();
  }

  /** The boxes of a cell and of all visible cells, in CSS pixels of the grid element. */
  cellBox(cell: Cell): { box: Box; cells: Box } | undefined {
    this.layout();
    return this.grid && { box: this.grid.boxOfCell(cell), cells: this.grid.cellsBox };
  }

  /** Identifier of the ARIA node of a cell; `undefined` while it is not visible. */
  ariaNodeId(cell: Cell): string | undefined {
    this.signals.ariaUpdates[0]();
    return this.grid?.ariaNodeId(cell);
  }

  /** The displayed text of a cell in view. */
  textOf(cell: Cell): string {
    return this.grid?.textOf(cell) ?? "";
  }

  /** Moves the focus to the cells, or to the chart that the sheet shows instead. */
  focusCells(): void {
    if (!canTakeFocus()) {
      return;
    }
    if (isChartSheet(this)) {
      focusOwnSheetChart();
    } else {
      this.cellEdit.field("cell")?.focus({ preventScroll: true });
    }
  }

  /** Moves the focus from the cells to the header or back, as Tab stays in the cells. */
  leaveCells(): void {
    if (document.activeElement === this.cellEdit.field("cell") || document.activeElement?.matches(".is-own-sheet")) {
      document.querySelector<HTMLElement>(".header-home, .embed-open")?.focus();
    } else {
      this.focusCells();
    }
  }

  /** Sets the zoom of this page. */
  setZoom(zoom: number): void {
    this.grid?.setZoom(Math.round(zoom * 100) / 100);
    this.signals.zoom[1](this.grid?.zoom ?? 1);
    this.signals.layout[1]((count) => count + 1);
  }

  /** Switches the display of formulas on this page. */
  showFormulas(shows: boolean): void {
    this.signals.showsFormulas[1](shows);
    this.session.send({ type: "showFormulas", shows });
    this.focusCells();
  }

  /** Opens the list, filter or stars of a cell. `typed` is the text that filters a list. */
  controlPressed(cell: Cell, what: "list" | "filter" | "rating", typed = ""): void {
    withLaterParts(this, () => this.openCellPopup?.(cell, what, typed));
  }

  /** Sets the handler that opens the popup of a cell. */
  onCellPressed(show: (cell: Cell, what: "list" | "filter" | "rating", typed: string) => void): void {
    this.openCellPopup = show;
  }

  // ---- notices of the engine ----

  /** Adds a listener for notices of the engine. */
  onNotice(listener: (notice: Notice) => void, signal: AbortSignal): void {
    this.noticeListeners.add(listener);
    signal.addEventListener("abort", () => this.noticeListeners.delete(listener));
  }

  private handleNotice(notice: Notice): void {
    this.noticeListeners.forEach((listener) => listener(notice));
    switch (notice.type) {
      case "sheets":
        this.sheetsChanged(notice.sheets);
        return;
      case "status":
        this.following.connected(notice.status.isConnected);
        this.access.statusChanged(this.status(), notice.status);
        this.signals.status[1](notice.status);
        this.grid?.setCanEdit(this.suggestions.canChange());
        return;
      case "people":
        this.signals.people[1](notice.people);
        this.access.identification.pictures.keep(new Set(notice.people.map(({ session }) => session)));
        this.signals.peopleCount[1](notice.count);
        this.showPresence();
        this.following.followPerson();
        return;
      case "history":
        this.signals.history[1]({ canUndo: notice.canUndo, canRedo: notice.canRedo });
        return;
      case "moved":
        moveWithCells(this, notice);
        return;
      case "replaced":
        if (this.reportsReplaced) {
          this.toast(t("{count} cells changed.", { count: notice.cells }), false);
        }
        return;
      case "refused":
        withLaterParts(this, ({ engineErrorText }) => this.toast(engineErrorText(notice), true));
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
        // Handled by the host bridge or the worker.
        return;
      default:
        unreachable(notice);
    }
  }

  /** Shows the sheets of the preview, before the engine is loaded. */
  showPreview(sheets: readonly SheetTab[], current: number): void {
    this.signals.sheets[1](sheets);
    this.showSheet(current);
  }

  private sheetsChanged(sheets: readonly SheetTab[]): void {
    const wasPreview = this.preview.isOn();
    this.preview.end();
    const before = this.sheets();
    this.signals.sheets[1](sheets);
    const current = this.sheet();
    const sheetToOpen = this.sheetToOpen;
    const added = sheetToOpen === undefined ? undefined : sheets.find((sheet) => !before.some((old) => old.id === sheet.id));
    if (added && before.length > 0) {
      this.sheetToOpen = undefined;
      this.openSheet(added.id);
    } else if (!sheets.some((sheet) => sheet.id === current)) {
      const position = Math.max(0, before.findIndex((sheet) => sheet.id === current));
      const visible = sheets.filter(({ isHidden }) => !isHidden);
      const next = visible[Math.min(position, visible.length - 1)] ?? sheets[0];
      if (next) {
        this.cellEdit.cancel();
        this.showSheet(next.id);
      }
    }
    this.grid?.setLabel(this.sheetName());
    // The followed person may be on a sheet that has just been added.
    this.following.followPerson();
    if (wasPreview) {
      this.grid?.refetchWindows();
    }
  }

  private showPresence(): void {
    const sheet = this.sheet();
    const others = this.people().flatMap((person) =>
      person.sheet === sheet && person.selection
        ? [{ id: person.session, name: person.name, color: person.color, range: person.selection }]
        : [],
    );
    this.grid?.setOthers(others);
  }

  // ---- selection ----

  private selectionChanged(selection: Selection): void {
    const before = this.selection();
    this.following.stop();
    // While its panel is open, a chart or image stays selected, so that cells can be picked.
    if (this.panel() !== "chart" && this.panel() !== "image") {
      this.selectItem(undefined);
    }
    this.signals.selection[1](selection);
    if (before.active.row !== selection.active.row || before.active.column !== selection.active.column) {
      this.selectionDetails.queryDetails();
    }
    this.selectionDetails.querySummary();
    if (selection.ranges.some((range) => !sameRange(range, rangeOf(selection.active)))) {
      withLaterParts(this, ({ speakSelection }) => speakSelection(this));
    }
    this.sendSelection();
  }

  /** Sends the selection as presence, with a delay. */
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

  /** Selects and reveals a range. */
  goTo(range: Range): void {
    this.cellEdit.commit();
    this.grid?.select(selectRange(range), "active");
    this.grid?.reveal({ row: range.top, column: range.left });
    this.focusCells();
    ifLoaded(({ speakPlace }) => speakPlace(this, false));
  }

  /** Opens the sheet of a reference and selects its range. */
  goToReference({ sheet, range }: CellReference): void {
    if (sheet !== undefined) {
      this.openSheet(sheet);
    }
    this.goTo(range);
  }

  /** Selects a cell without moving the focus. */
  reveal(cell: Cell): void {
    this.grid?.select(selectCell(cell), "active");
    this.grid?.reveal(cell);
  }

  get range(): Range {
    return currentRange(this.selection());
  }

  // ---- sheets ----

  sheetName(): string {
    return this.sheets().find((sheet) => sheet.id === this.sheet())?.name ?? "";
  }

  /** Opens a sheet after ending the edit. */
  openSheet(sheet: number): void {
    const isPointing = this.cellEdit.isPointing();
    if (isPointing) {
      // The edit of the formula continues and can refer to the other sheet.
      this.cellEdit.moveToBar();
    } else {
      this.cellEdit.commit();
    }
    if (sheet !== this.sheet()) {
      this.showSheet(sheet);
      ifLoaded(({ speakPlace }) => speakPlace(this, true));
    }
    if (!isPointing) {
      this.focusCells();
    }
  }

  /** Returns to the sheet of a formula that refers to other sheets. */
  returnTo(sheet: number): void {
    if (this.sheets().some(({ id }) => id === sheet)) {
      this.showSheet(sheet);
    }
  }

  /** Shows a sheet and restores its selection and scroll position. */
  showSheet(sheet: number): void {
    const previous = this.sheet();
    if (previous !== undefined && previous !== sheet && this.grid) {
      const { scrollTopPx, scrollLeftPx } = this.grid.view;
      this.sheetStates.set(previous, { selection: this.grid.selection, scrollTopPx, scrollLeftPx });
    }
    this.autoFit.reset();
    this.signals.sheet[1](sheet);
    this.selectItem(undefined);
    this.items.showSheet(sheet);
    const saved = this.sheetStates.get(sheet);
    const selection = saved?.selection ?? selectCell({ row: 0, column: 0 });
    this.signals.selection[1](selection);
    this.grid?.showSheet(this.sheetName(), selection, saved?.scrollTopPx ?? 0, saved?.scrollLeftPx ?? 0);
    this.grid?.setCopied(this.clipboard.copiedRange(sheet));
    const edit = this.cellEdit.edit();
    this.grid?.setEditing(edit?.sheet === sheet ? edit.cell : undefined);
    this.cellEdit.showReferences();
    this.showPresence();
    this.selectionDetails.changed();
    this.sendSelection();
  }

  addSheet(): void {
    this.runAndOpenSheet({ type: "addSheet", position: this.nextPosition() });
  }

  /** The position after the open sheet. */
  nextPosition(): number {
    return this.sheets().findIndex((sheet) => sheet.id === this.sheet()) + 1;
  }

  /** Runs a command that adds a sheet, and opens that sheet when it arrives. */
  runAndOpenSheet(command: Command): void {
    this.cellEdit.commit();
    this.sheetToOpen = "";
    this.command(command);
  }

  /** Opens the first imported sheet, now or when it arrives. */
  showImported(names: readonly string[]): void {
    const imported = this.sheets().find((sheet) => sheet.name === names[0]);
    if (imported) {
      this.openSheet(imported.id);
    } else {
      this.sheetToOpen = names[0];
    }
  }

  // ---- commands ----

  /** Sends a command if the workbook can be edited, or as a suggestion in the mode for them. */
  command(command: Command): void {
    if (isChartSheet(this)) {
      withLaterParts(this, ({ checkKeepsCells }) => checkKeepsCells(this, command) && this.suggestOrSend(command));
    } else {
      this.suggestOrSend(command);
    }
  }

  private suggestOrSend(command: Command): void {
    if (this.suggestions.isOn()) {
      this.suggestions.suggest(command);
    } else if (this.checkCanEdit()) {
      this.sendCommand(command);
    }
  }

  /** Sends a command that the role of the session allows. */
  sendCommand(command: Command): void {
    this.announcer.changedByUser();
    this.autoFit.beforeChange();
    this.items.expect(command.type === "inSight" ? command.command.type : command.type);
    this.session.send({ type: "command", command });
  }

  /** Whether the workbook can be edited; if not, shows the reason. */
  checkCanEdit(): boolean {
    return this.editPermission.checkCanEdit();
  }

  /** Sends `first` and one command per selected range; rows that a filter hides are left out. */
  eachRange(make: (range: string, sheet: number) => Command, first: readonly Command[] = []): void {
    const sheet = this.sheetId();
    const commands = [...first, ...this.selection().ranges.map((range) => make(rangeName(range), sheet))];
    // One command, so that it is undone in one step.
    this.command(forVisibleRows(sheet, { type: "many", commands }));
  }

  /** Changes the format of the selected letters of an edit, or of the selected cells. */
  format(format: FormatChange, first?: readonly Command[]): void {
    formatSelection(this, format, first);
  }

  /** Toggles an attribute of the selected letters of an edit, or of the selected cells. */
  toggle(attribute: FontToggle | "wrap"): void {
    toggleSelection(this, attribute);
  }

  clear(what: "contents" | "formats" | "all"): void {
    this.entryChecks.guard(this.selection().ranges, () => this.eachRange((range, sheet) => ({ type: "clear", sheet, range, what })));
    this.focusCells();
  }

  /** Replaces all matches of a search. */
  replace(search: SearchScope, replacement: string, reportsCount: boolean): void {
    if (this.checkCanEdit()) {
      this.reportsReplaced = reportsCount;
      this.session.send({ type: "replace", search, with: replacement });
    }
  }

  undo(): void {
    this.sendHistoryCommand("undo");
  }

  redo(): void {
    this.sendHistoryCommand("redo");
  }

  private sendHistoryCommand(type: "undo" | "redo"): void {
    this.keys.enqueue(() => {
      this.items.expect(type);
      this.autoFit.beforeChange();
      this.session.send({ type });
      withLaterParts(this, ({ speakHistory }) => speakHistory(this, type));
    });
  }

    /** The range that commands on data apply to, see `data-range.ts`. */
  dataRange(): Promise<Range> {
    return dataRange(this);
  }

  // ---- dialogs, panels and messages ----

  /** Changes the name and color of the user. */
  setIdentity(identity: Identity): void {
    saveIdentity(identity);
    this.signals.identity[1](identity);
    this.session.send({ type: "rename", ...identity });
  }

  /** Gives the user the name of the account; or that of a host application, which is not kept. */
  setAccountName(name: string, isKept = true): void {
    this.signals.accountName[1](name);
    const identity = { ...untrack(this.identity), name: cleanName(name) };
    if (identity.name !== "" && identity.name !== untrack(this.identity).name) {
      (isKept ? this.setIdentity.bind(this) : this.signals.identity[1])(identity);
    }
  }

  /** Sends the locale for numbers, dates and formulas to the engine. */
  sendLocale(formulas: FormulaSettings): void {
    this.session.send(localeSettings(formulas, navigator.languages, -new Date().getTimezoneOffset()));
  }

  openDialog(dialog: DialogName): void {
    if (this.editPermission.canOpen(dialog)) {
      this.signals.dialog[1](dialog);
    }
  }

  /** Whether a dialog or the search is being loaded while the cells still have the focus. */
  isLoadingDialog(): boolean {
    return this.dialog() !== undefined || this.findModel.awaitsField();
  }

  closeDialogAndFind(): void {
    this.closeDialog();
    this.findModel.close();
  }

  closeDialog(): void {
    this.signals.dialog[1](undefined);
    this.focusCells();
  }

  openPanel(panel: PanelName): void {
    if (this.editPermission.canOpenPanel(panel)) {
      this.signals.panel[1](panel);
    }
  }

  closePanel(): void {
    this.signals.panel[1](undefined);
    this.focusCells();
  }

  /** Selects a chart or image. */
  selectItem(item: number | undefined): void {
    this.signals.selectedItem[1](item);
  }

  closeMenu(): void {
    this.signals.menu[1](undefined);
  }

  /** Shows a short message. */
  toast(text: string, isError: boolean, kind?: ToastKind): void {
    this.toastQueue.show(text, isError, kind);
  }

  /** Whether the workbook can be edited, other than by suggestions. */
  canType(): boolean {
    return this.status().isReady && this.status().canEdit && !this.suggestions.isSwitchedOn();
  }

  /** The identifier of the open sheet. Throws before a sheet is open. */
  sheetId(): number {
    const sheet = this.sheet();
    if (sheet === undefined) {
      throw new Error("no sheet is open yet");
    }
    return sheet;
  }
}

function unreachable(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
}

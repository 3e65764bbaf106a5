/**
 * The grid by positions: a canvas under a native scroll container, with an ARIA grid for screen
 * readers. Rows are counted as they are displayed (`row-order.ts`); `Grid` translates them.
 *
 * It requests the cell windows that it needs, paints at most once per frame and reports pointer
 * events to its listener. It does not depend on the engine, the network or the UI framework.
 */

import { type CellMark, type SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, clampCell, COLUMNS_MAX, contains, type Range, ROWS_MAX, sameRange } from "./address.ts";
import { Axis } from "./axis.ts";
import { CellWindows } from "./cell-windows.ts";
import { WindowPrefetch } from "./window-prefetch.ts";
import { Fitting } from "./fitting.ts";
import type { HitTargets } from "./hit-test.ts";
import type { GridListener, Star } from "./grid-listener.ts";
import { AriaGrid } from "./aria-grid.ts";
import { Painter } from "./painter.ts";
import { Pointer } from "./pointer.ts";
import type { Guide, Locks, SuggestionMark, OtherSelection, ReferenceBox, RenderState } from "./render-state.ts";
import { Scroller } from "./scroller.ts";
import { COLUMN_WIDTH_PX, EMPTY_SHAPE, ROW_HEIGHT_PX, type SheetShape } from "./sheet-shape.ts";
import { currentRange, extendTo, selectCell, type Selection } from "./selection.ts";
import type { Theme } from "./theme.ts";
import { ENGLISH, type GridDescriptions } from "./descriptions.ts";
import { type Box, boxOf, cellAt, makeView, type View } from "./view.ts";

export const ZOOM_MIN = 0.5;
export const ZOOM_MAX = 2;

/** Longest delay of a paint that waits for the cells scrolled into view. */
const CELLS_WAIT_MS = 60;
/** The ARIA grid is updated this long after the last change, so not during a fling. */
const ARIA_DELAY_MS = 80;
/** How long a name tag stays visible after the user's selection changed. */
const NAME_SHOWN_MS = 3_000;
/** Rows and columns that can be scrolled to beyond the used range. */
const SPARE_ROWS = 60;
const SPARE_COLUMNS = 12;
const ROWS_SHOWN_MIN = 200;
const COLUMNS_SHOWN_MIN = 30;

/** The grid of one workbook view. Create one per host element and call `dispose` at the end. */
export class PositionGrid {
  readonly element: HTMLElement;
  private readonly listener: GridListener;
  private readonly canvas: HTMLCanvasElement;
  private readonly painter: Painter;
  /** Sizes that rows and columns need. */
  readonly fitting: Fitting;
  private readonly scroller: Scroller;
  private readonly ariaGrid: AriaGrid;
  private readonly pointer: Pointer;
  private readonly prefetch = new WindowPrefetch();
  private readonly resizeObserver: ResizeObserver;

  private theme: Theme;
  private shape = EMPTY_SHAPE;
  private currentZoom = 1;
  private rows = new Axis(ROWS_MAX, ROW_HEIGHT_PX, []);
  private columns = new Axis(COLUMNS_MAX, COLUMN_WIDTH_PX, []);
  private label = "";
  private cells = new CellWindows([]);
  private currentSelection: Selection = selectCell({ row: 0, column: 0 });
  private others: readonly OtherSelection[] = [];
  private references: readonly ReferenceBox[] = [];
  private locks: Locks = { ranges: [], except: undefined };
  private suggestions: readonly SuggestionMark[] = [];
  /** Timers that hide the visible name tags, by user. */
  private readonly visibleNameTags = new Map<string, number>();
  private copied: Range | undefined;
  private target: Range | undefined;
  private guide: Guide | undefined;
  private editing: Cell | undefined;
  private isTouch = false;
  private canEdit = true;
  private hasFocus = true;

  private currentView: View;
  private frame = 0;
  /** Time from which a frame is painted even if cells are missing. */
  // The first frame does not wait: an unpainted canvas is black.
  private paintWithoutCellsAt = 0;
  private isPaintReportDue = false;
  private ariaTimer = 0;
  private descriptions = ENGLISH;
  private rowAt: (position: number) => number = (position) => position;

  constructor(element: HTMLElement, theme: Theme, listener: GridListener) {
    this.element = element;
    this.listener = listener;
    this.theme = theme;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "grid-canvas";
    this.canvas.setAttribute("aria-hidden", "true");
    element.append(this.canvas);
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) {
      throw new Error("this browser cannot draw on a canvas");
    }
    this.painter = new Painter(context, theme);
    this.fitting = new Fitting(this.painter, () => this.cells, () => this.currentView);
    this.painter.drawing.loaded = () => this.schedulePaint();
    this.painter.drawing.imageOf = (address) => listener.imageOf(address, () => this.schedulePaint());
    this.scroller = new Scroller(element, () => this.viewChanged());
    this.ariaGrid = new AriaGrid(element);
    this.currentView = this.makeView();
    this.pointer = new Pointer(this, listener);
    this.resizeObserver = new ResizeObserver(() => this.sizeChanged());
    this.resizeObserver.observe(element);
    this.sizeChanged();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.ariaTimer);
    this.visibleNameTags.forEach((timer) => window.clearTimeout(timer));
    this.resizeObserver.disconnect();
    this.pointer.dispose();
    this.scroller.dispose();
    this.ariaGrid.dispose();
    this.canvas.remove();
  }

  get selection(): Selection {
    return this.currentSelection;
  }

  get view(): View {
    return this.currentView;
  }

  get zoom(): number {
    return this.currentZoom;
  }

  /** The parts of the selection that can be dragged. */
  get hitTargets(): HitTargets {
    const { selection, references, editing } = this;
    return {
      handleRange: this.cells.expandToMerges(currentRange(selection)),
      canFill: this.canFill,
      canMove: this.canFill && editing === undefined,
      references,
    };
  }

  private get canFill(): boolean {
    return this.canEdit && !this.listener.isPage && this.currentSelection.ranges.length === 1;
  }

  /** The area of the cells, without headers and scrollbars. */
  get cellsBox(): Box {
    const { widthPx: width, heightPx: height } = this.scroller.innerSize;
    const { isRightToLeft, widthPx, rowHeaderWidthPx } = this.currentView;
    const x = isRightToLeft ? widthPx - rowHeaderWidthPx - width : rowHeaderWidthPx;
    return { x, y: this.currentView.columnHeaderHeightPx, width, height };
  }

  /** Size of the used range including headers. */
  get usedSizePx(): { readonly width: number; readonly height: number } {
    const { usedRows, usedColumns } = this.shape;
    return {
      width: this.columns.offset(Math.max(1, usedColumns)) + this.currentView.rowHeaderWidthPx,
      height: this.rows.offset(Math.max(1, usedRows)) + this.currentView.columnHeaderHeightPx,
    };
  }

  /** Sets colours and fonts. */
  setTheme(theme: Theme): void {
    this.theme = theme;
    this.schedulePaint();
  }

  /** Switches to a sheet and drops the state of the previous one. `label` names the ARIA grid. */
  showSheet(label: string, selection: Selection, scrollTopPx: number, scrollLeftPx: number): void {
    this.label = label;
    this.cells = new CellWindows([]);
    this.prefetch.forget();
    this.references = [];
    this.currentSelection = selection;
    this.target = undefined;
    this.guide = undefined;
    this.scroller.scrollTo(scrollTopPx, scrollLeftPx);
    this.viewChanged();
  }

  /** Sets the texts for screen readers and column headers. */
  setDescriptions(descriptions: GridDescriptions): void {
    this.descriptions = descriptions;
    this.ariaGrid.setDescriptions(descriptions);
    this.scheduleAriaUpdate();
    this.schedulePaint();
  }

  /** Sets the name of the ARIA grid, which is the sheet's name. */
  setLabel(label: string): void {
    this.label = label;
    this.scheduleAriaUpdate();
  }

  /** Sets which row is at a position, for the headers and the ARIA grid. */
  setRowNumbers(rowAt: (position: number) => number): void {
    this.rowAt = rowAt;
    this.ariaGrid.setRowNumbers(rowAt);
    this.scheduleAriaUpdate();
    this.schedulePaint();
  }

  /** Sets sizes and extent of the sheet. */
  setShape(shape: SheetShape): void {
    this.shape = shape;
    this.scroller.setDirection(shape.isRightToLeft);
    this.makeAxes();
    this.prefetch.forget();
    this.updateContentSize();
    this.viewChanged();
  }

  /** Sets the clamped zoom factor. The top left cell keeps its position. */
  setZoom(zoom: number): void {
    const to = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom));
    if (to === this.currentZoom) {
      return;
    }
    const { scrollTopPx, scrollLeftPx } = this.currentView;
    const factor = to / this.currentZoom;
    this.currentZoom = to;
    this.makeAxes();
    this.prefetch.forget();
    this.updateContentSize();
    this.scroller.scrollTo(scrollTopPx * factor, scrollLeftPx * factor);
    this.viewChanged();
  }

  private makeAxes(): void {
    const { rowRuns, columnRuns, hiddenRows, hiddenColumns } = this.shape;
    this.rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, rowRuns, hiddenRows, this.currentZoom);
    this.columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, columnRuns, hiddenColumns, this.currentZoom);
  }

  /** Sets the windows that `windowsRequested` asked for, in the same order. */
  setWindows(windows: readonly SheetWindow[]): void {
    this.cells = new CellWindows(windows);
    this.isPaintReportDue = this.cells.covers(this.currentView);
    if (this.isPaintReportDue) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
    } else {
      // Scrolling has moved on. The paint waits for the next windows, which must not wait for this
      // paint.
      this.listener.painted();
    }
    this.schedulePaint();
    this.scheduleAriaUpdate();
  }

  /** Sets the selections of other users on this sheet. */
  setOthers(others: readonly OtherSelection[]): void {
    for (const other of others) {
      const before = this.others.find((known) => known.id === other.id);
      if (!before || !sameRange(before.range, other.range) || before.name !== other.name) {
        this.showName(other.id);
      }
    }
    this.others = others;
    this.schedulePaint();
    this.scheduleAriaUpdate();
  }

  /** Shows the name tags of users whose selection contains `cell`. */
  showNamesAt(cell: Cell): void {
    for (const other of this.others) {
      if (contains(other.range, cell)) {
        this.showName(other.id);
        this.schedulePaint();
      }
    }
  }

  /** Shows a name tag for a limited time, because it covers the cells above the selection. */
  private showName(id: string): void {
    window.clearTimeout(this.visibleNameTags.get(id));
    const hide = (): void => {
      this.visibleNameTags.delete(id);
      this.schedulePaint();
    };
    this.visibleNameTags.set(id, window.setTimeout(hide, NAME_SHOWN_MS));
  }

  /**
   * Sets the references of the edited formula. Called for each keystroke, so an unchanged empty
   * list repaints nothing.
   */
  setReferences(references: readonly ReferenceBox[]): void {
    if (this.references.length > 0 || references.length > 0) {
      this.references = references;
      this.schedulePaint();
    }
  }

  /** Sets the protected cells. */
  setLocks(locks: Locks): void {
    this.locks = locks;
    this.schedulePaint();
    this.scheduleAriaUpdate();
  }

  /** Sets the suggested contents of cells. */
  setSuggestions(suggestions: readonly SuggestionMark[]): void {
    if (this.suggestions.length > 0 || suggestions.length > 0) {
      this.suggestions = suggestions;
      this.ariaGrid.setSuggestions(suggestions);
      this.schedulePaint();
      this.scheduleAriaUpdate();
    }
  }

  /** Turns "circle invalid data" on or off. */
  setCirclesInvalid(isOn: boolean): void {
    this.painter.drawing.circlesInvalid = isOn;
    this.schedulePaint();
  }

  /** Sets the copied range. */
  setCopied(range: Range | undefined): void {
    if (this.copied !== range) {
      this.copied = range;
      this.schedulePaint();
    }
  }

  /** Sets the target range of a drag or of point mode. */
  setTarget(range: Range | undefined): void {
    if (this.target !== range) {
      this.target = range;
      this.schedulePaint();
    }
  }

  /** Sets the line that shows a new size or position. */
  setGuide(guide: Guide | undefined): void {
    this.guide = guide;
    this.schedulePaint();
  }

  /** Sets the edited cell, whose text the editor draws. */
  setEditing(cell: Cell | undefined): void {
    if (this.editing !== cell) {
      this.editing = cell;
      this.schedulePaint();
    }
  }

  /** Shows or hides controls that need edit permission. */
  setCanEdit(canEdit: boolean): void {
    if (this.canEdit !== canEdit) {
      this.canEdit = canEdit;
      this.painter.drawing.canEdit = canEdit;
      this.schedulePaint();
    }
  }

  /** Chooses handles for touch or for the mouse. */
  setTouch(isTouch: boolean): void {
    if (this.isTouch !== isTouch) {
      this.isTouch = isTouch;
      this.schedulePaint();
    }
  }

  /** Reads again whether there are headers. */
  headersChanged(): void {
    this.sizeChanged();
  }

  /** Dims the selection while the grid has no focus. */
  setFocused(hasFocus: boolean): void {
    if (this.hasFocus !== hasFocus) {
      this.hasFocus = hasFocus;
      this.schedulePaint();
    }
  }

  /** Sets the selection and scrolls to its head, to its active cell, or not at all. */
  select(wanted: Selection, reveal: "head" | "active" | "none" = "head"): void {
    const selection = this.expandToMerges(wanted);
    this.currentSelection = selection;
    if (reveal !== "none") {
      this.reveal(reveal === "head" ? selection.head : selection.active);
    }
    this.schedulePaint();
    this.scheduleAriaUpdate();
    this.listener.selectionChanged(selection);
    this.listener.layoutChanged();
  }

  /** Selects merged ranges as a whole; their top left cell becomes the active cell. */
  private expandToMerges(selection: Selection): Selection {
    const last = currentRange(selection);
    const range = this.cells.expandToMerges(last);
    const merged = this.cells.mergedRange(selection.active);
    const active = { row: merged.top, column: merged.left };
    // No merged range is involved.
    if (sameRange(range, last) && active.row === selection.active.row && active.column === selection.active.column) {
      return selection;
    }
    return { ...selection, active, ranges: [...selection.ranges.slice(0, -1), range] };
  }

  /** The cell that an arrow key moves to, skipping merged cells and hidden rows and columns. */
  stepFrom(cell: Cell, rows: number, columns: number): Cell {
    const whole = this.cells.mergedRange(cell);
    const from = {
      row: rows > 0 ? whole.bottom : rows < 0 ? whole.top : cell.row,
      column: columns > 0 ? whole.right : columns < 0 ? whole.left : cell.column,
    };
    const to = clampCell(from.row + rows, from.column + columns);
    const visibleCell = {
      row: rows === 0 ? to.row : this.rows.nextVisible(to.row, rows > 0 ? 1 : -1),
      column: columns === 0 ? to.column : this.columns.nextVisible(to.column, columns > 0 ? 1 : -1),
    };
    // All rows or columns beyond are hidden.
    return this.rows.isHidden(visibleCell.row) || this.columns.isHidden(visibleCell.column) ? cell : visibleCell;
  }

  /** The selection extended by one step, or by as many as it takes to leave a merged range. */
  extendBy(rows: number, columns: number): Selection {
    const before = currentRange(this.currentSelection);
    let { head } = this.currentSelection;
    for (;;) {
      const next = this.stepFrom(head, rows, columns);
      const extended = this.expandToMerges(extendTo(this.currentSelection, next));
      const isAtEnd = next.row === head.row && next.column === head.column;
      if (isAtEnd || !sameRange(currentRange(extended), before)) {
        return extended;
      }
      head = next;
    }
  }

  /** The merged range that contains `cell`, or the cell itself. */
  mergedRangeAt(cell: Cell): Range {
    return this.cells.mergedRange(cell);
  }

  /** Scrolls by the least distance that makes `cell` visible. */
  reveal(cell: Cell): void {
    this.updateContentSize(cell);
    const box = this.cellsBox;
    const { frozenRows, frozenColumns, frozenHeightPx, frozenWidthPx } = this.currentView;
    const top = this.rows.offset(cell.row);
    const left = this.columns.offset(cell.column);
    const bottom = top + this.rows.size(cell.row);
    const right = left + this.columns.size(cell.column);
    let scrollTop = this.scroller.topPx;
    let scrollLeft = this.scroller.leftPx;
    // A head in the last row or column belongs to whole rows or columns, which are visible already;
    // so are frozen cells.
    if (cell.row < ROWS_MAX - 1 && cell.row >= frozenRows) {
      scrollTop = Math.min(Math.max(scrollTop, bottom - box.height), top - frozenHeightPx);
    }
    if (cell.column < COLUMNS_MAX - 1 && cell.column >= frozenColumns) {
      scrollLeft = Math.min(Math.max(scrollLeft, right - box.width), left - frozenWidthPx);
    }
    this.scroller.scrollTo(scrollTop, scrollLeft);
  }

  /**
   * Scrolls by the least distance that makes an overlay visible. `box` is in pixels of the element;
   * its top left corner is in `cell`. If the view is smaller than the box, its start is shown.
   */
  revealBox(cell: Cell, box: Box): void {
    const { x, y, width, height } = this.cellsBox;
    const { frozenRows, frozenColumns, frozenHeightPx, frozenWidthPx, isRightToLeft } = this.currentView;
    // Distances by which the box exceeds the view at its start and at its end.
    const [top, bottom] = [box.y - y - frozenHeightPx, box.y + box.height - y - height];
    const [start, end] = isRightToLeft
      ? [x + width - frozenWidthPx - box.x - box.width, x - box.x]
      : [box.x - x - frozenWidthPx, box.x + box.width - x - width];
    const { topPx, leftPx } = this.scroller;
    this.updateContentSize({ row: this.rows.indexAt(topPx + height + Math.max(0, bottom)), column: this.columns.indexAt(leftPx + width + Math.max(0, end)) });
    const down = cell.row < frozenRows ? 0 : Math.min(Math.max(0, bottom), top);
    const on = cell.column < frozenColumns ? 0 : Math.min(Math.max(0, end), start);
    this.scroller.scrollBy(down, on);
  }

  /** Scrolls so that `cell` is at the top left of the scrolling pane, if enough cells follow. */
  scrollToCell(cell: Cell): void {
    this.updateContentSize({ row: cell.row + this.pageRows, column: cell.column + this.pageColumns });
    const { frozenHeightPx, frozenWidthPx } = this.currentView;
    this.scroller.scrollTo(this.rows.offset(cell.row) - frozenHeightPx, this.columns.offset(cell.column) - frozenWidthPx);
  }

  /** Scrolls by a distance in pixels. */
  scrollBy(topPx: number, leftPx: number): void {
    this.scroller.scrollBy(topPx, leftPx);
  }

  /** Number of rows of a page, for Page Up and Page Down. */
  get pageRows(): number {
    const first = this.currentView.visible.top;
    const last = this.rows.indexAt(this.scroller.topPx + this.cellsBox.height);
    return Math.max(1, last - first - 1);
  }

  /** Number of columns of a page. */
  get pageColumns(): number {
    const first = this.currentView.visible.left;
    const last = this.columns.indexAt(this.scroller.leftPx + this.cellsBox.width);
    return Math.max(1, last - first - 1);
  }

  /** Position of `range` in pixels of the element. */
  boxOf(range: Range): Box {
    return boxOf(this.currentView, range);
  }

  /** Position of the cell, or of the merged range that contains it. */
  boxOfCell(cell: Cell): Box {
    return this.boxOf(this.cells.mergedRange(cell));
  }

  /** The cell at a point of the grid's element. */
  cellAt(x: number, y: number): Cell {
    return cellAt(this.currentView, x, y);
  }

  /** Displayed text of a cell; empty if the cell is not loaded. */
  textOf(cell: Cell): string {
    return this.cells.text(cell);
  }

  /** The kind of a cell's value; `undefined` if the cell is not loaded. */
  kindOf(cell: Cell): ValueKind | undefined {
    const loaded = this.cells.at(cell);
    return loaded?.window.kind(loaded.index);
  }

  /** Whether a loaded cell holds an error value. */
  isError(cell: Cell): boolean {
    return this.kindOf(cell) === ValueKind.Error;
  }

  /** The cell's note, validation, sparkline and other marks. */
  markOf(cell: Cell): CellMark | undefined {
    const loaded = this.cells.at(cell);
    return loaded?.window.mark(loaded.index);
  }

  /** The chip or star of the cell at a point, in pixels of the element. */
  partAt(cell: Cell, x: number, y: number): "list" | Star | undefined {
    const at = this.cells.at(cell);
    return at && this.painter.partAt(at, this.boxOfCell(cell), this.currentView.isRightToLeft, x, y);
  }

  /** Id of the cell's ARIA node; `undefined` if the cell is not visible. */
  ariaNodeId(cell: Cell): string | undefined {
    return this.ariaGrid.nodeId(cell);
  }

  private makeView(): View {
    const { clientWidth, clientHeight } = this.element;
    const { frozenRows, frozenColumns, isRightToLeft } = this.shape;
    return makeView({
      rows: this.rows,
      columns: this.columns,
      widthPx: clientWidth,
      heightPx: clientHeight,
      scrollTopPx: this.scroller.topPx,
      scrollLeftPx: this.scroller.leftPx,
      frozenRows,
      frozenColumns,
      isRightToLeft,
      zoom: this.currentZoom,
      hasHeaders: this.listener.hasHeaders,
    });
  }

  private sizeChanged(): void {
    const dpr = window.devicePixelRatio;
    this.canvas.width = Math.round(this.element.clientWidth * dpr);
    this.canvas.height = Math.round(this.element.clientHeight * dpr);
    this.canvas.style.width = `${this.element.clientWidth}px`;
    this.canvas.style.height = `${this.element.clientHeight}px`;
    this.scroller.element.style.top = `${this.makeView().columnHeaderHeightPx}px`;
    this.scroller.sizeChanged();
    this.updateContentSize();
    this.viewChanged();
    // Setting its size clears a canvas: repaint before the browser shows it.
    this.paint();
  }

  /** Makes the scroll area reach beyond the used range, the visible range and `reach`. */
  private updateContentSize(reach?: Cell): void {
    const { visible } = this.currentView;
    const { usedRows, usedColumns } = this.shape;
    const lastRow = Math.max(usedRows, visible.bottom, reach?.row ?? 0, ROWS_SHOWN_MIN) + SPARE_ROWS;
    const lastColumn = Math.max(usedColumns, visible.right, reach?.column ?? 0, COLUMNS_SHOWN_MIN) + SPARE_COLUMNS;
    this.scroller.setContent(
      this.columns.offset(Math.min(lastColumn, COLUMNS_MAX)),
      this.rows.offset(Math.min(lastRow, ROWS_MAX)),
    );
  }

  private viewChanged(): void {
    this.currentView = this.makeView();
    this.scroller.setInset(this.currentView.rowHeaderWidthPx);
    this.updateContentSize();
    this.requestCells();
    this.schedulePaint();
    this.scheduleAriaUpdate();
    this.listener.layoutChanged();
  }

  /** Requests all windows again, because their source changed. Loaded ones stay visible. */
  refetchWindows(): void {
    this.prefetch.forget();
    this.requestCells();
  }

  /** Requests windows if the loaded ones do not cover the view, or soon will not. */
  private requestCells(): void {
    if (this.cells.covers(this.currentView)) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
    } else if (this.paintWithoutCellsAt === Number.POSITIVE_INFINITY) {
      this.paintWithoutCellsAt = performance.now() + CELLS_WAIT_MS;
    }
    const ranges = this.prefetch.next(this.currentView);
    if (ranges) {
      this.listener.windowsRequested(ranges);
    }
  }

  private schedulePaint(): void {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        if (performance.now() >= this.paintWithoutCellsAt || this.cells.covers(this.currentView)) {
          this.paint();
        } else {
          this.schedulePaint();
        }
      });
    }
  }

  private paint(): void {
    const { currentSelection: selection } = this;
    const state: RenderState = {
      view: this.currentView,
      windows: this.cells.windows,
      selection,
      activeRange: this.cells.mergedRange(selection.active),
      handleRange: this.cells.expandToMerges(currentRange(selection)),
      others: this.others,
      references: this.references,
      locks: this.locks,
      suggestions: this.suggestions,
      visibleNameTags: new Set(this.visibleNameTags.keys()),
      copied: this.copied,
      target: this.target,
      guide: this.guide,
      editing: this.editing,
      isTouch: this.isTouch,
      canFill: this.canFill,
      hasFocus: this.hasFocus,
      showsSelection: this.listener.showsSelection,
      hasGridlines: this.shape.hasGridlines && this.listener.hasHeaders,
      columnName: this.descriptions.column,
      rowAt: this.rowAt,
    };
    this.painter.paint(state, this.theme, window.devicePixelRatio);
    if (this.isPaintReportDue) {
      this.isPaintReportDue = false;
      this.listener.painted();
    }
  }

  private scheduleAriaUpdate(): void {
    window.clearTimeout(this.ariaTimer);
    this.ariaTimer = window.setTimeout(() => {
      if (this.prefetch.scrollEnded()) {
        this.requestCells();
      }
      if (this.cells.windows.length > 0) {
        const changed = this.ariaGrid.update(this.label, this.cells, this.currentView, this.currentSelection, this.others, this.locks);
        if (changed.length > 0) {
          this.listener.textsChanged(changed);
        }
        this.listener.ariaUpdated();
      }
    }, ARIA_DELAY_MS);
  }
}


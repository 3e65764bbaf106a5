/**
 * The grid: a canvas under a native scroller, with an ARIA mirror beside it.
 *
 * It asks for the windows of cells it wants to draw, paints at most once per frame, and tells its listener what
 * the pointer did. It knows nothing of the engine, the network or the page around it.
 */

import { type CellMark, PLAIN, type SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, clampCell, COLUMNS_MAX, contains, type Range, ROWS_MAX, sameRange } from "./address.ts";
import { Axis, type HiddenRun, type SizeRun } from "./axis.ts";
import { Cells } from "./cells.ts";
import { Demand } from "./demand.ts";
import type { Holds } from "./hit.ts";
import type { GridListener } from "./listener.ts";
import { Mirror } from "./mirror.ts";
import { Painter } from "./paint.ts";
import { Pointer } from "./pointer.ts";
import type { Guide, Locks, OtherSelection, ReferenceBox, Scene } from "./scene.ts";
import { Scroller } from "./scroller.ts";
import { currentRange, extendTo, selectCell, type Selection } from "./selection.ts";
import type { Theme } from "./theme.ts";
import { ENGLISH, type GridDescriptions } from "./words.ts";
import { type Box, boxOf, cellAt, COLUMN_HEADER_HEIGHT_PX, makeView, type View } from "./view.ts";

export const ROW_HEIGHT_PX = 22;
export const COLUMN_WIDTH_PX = 96;
export const ZOOM_MIN = 0.5;
export const ZOOM_MAX = 2;

/** A scroll waits this long for its cells before it is painted without them. */
const CELLS_WAIT_MS = 60;
/** The mirror follows at rest, not during a fling. */
const MIRROR_DELAY_MS = 80;
/** How long a name stays after its person moved. */
const NAME_SHOWN_MS = 3_000;
/** Rows and columns that can be scrolled to beyond what is used. */
const SPARE_ROWS = 60;
const SPARE_COLUMNS = 12;
const ROWS_SHOWN_MIN = 200;
const COLUMNS_SHOWN_MIN = 30;

/** Sizes and extent of a sheet. */
export interface SheetShape {
  readonly rowRuns: readonly SizeRun[];
  readonly columnRuns: readonly SizeRun[];
  readonly hiddenRows: readonly HiddenRun[];
  readonly hiddenColumns: readonly HiddenRun[];
  /** Rows and columns up to the last one in use. */
  readonly usedRows: number;
  readonly usedColumns: number;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly isRightToLeft: boolean;
  readonly hasGridlines: boolean;
}

const EMPTY_SHAPE: SheetShape = {
  rowRuns: [],
  columnRuns: [],
  hiddenRows: [],
  hiddenColumns: [],
  usedRows: 0,
  usedColumns: 0,
  frozenRows: 0,
  frozenColumns: 0,
  isRightToLeft: false,
  hasGridlines: true,
};

export class Grid {
  readonly element: HTMLElement;
  private readonly listener: GridListener;
  private readonly canvas: HTMLCanvasElement;
  private readonly painter: Painter;
  private readonly scroller: Scroller;
  private readonly mirror: Mirror;
  private readonly pointer: Pointer;
  private readonly demand = new Demand();
  private readonly resizeObserver: ResizeObserver;

  private theme: Theme;
  private shape = EMPTY_SHAPE;
  private currentZoom = 1;
  private rows = new Axis(ROWS_MAX, ROW_HEIGHT_PX, []);
  private columns = new Axis(COLUMNS_MAX, COLUMN_WIDTH_PX, []);
  private label = "";
  private cells = new Cells([]);
  private currentSelection: Selection = selectCell({ row: 0, column: 0 });
  private others: readonly OtherSelection[] = [];
  private references: readonly ReferenceBox[] = [];
  private locks: Locks = { ranges: [], but: undefined };
  /** Whose names show, with the timer that hides each. */
  private readonly named = new Map<string, number>();
  private copied: Range | undefined;
  private target: Range | undefined;
  private guide: Guide | undefined;
  private editing: Cell | undefined;
  private isTouch = false;
  private canEdit = true;
  private hasFocus = true;

  private currentView: View;
  private frame = 0;
  /** A frame before this time waits for its cells. */
  // The first frame waits for nothing: a canvas that was never painted is black.
  private paintWithoutCellsAt = 0;
  private isWindowUnseen = false;
  private mirrorTimer = 0;
  private words = ENGLISH;

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
    this.painter.pen.loaded = () => this.schedulePaint();
    this.scroller = new Scroller(element, () => this.viewChanged());
    this.mirror = new Mirror(element);
    this.currentView = this.makeView();
    this.pointer = new Pointer(this, listener);
    this.resizeObserver = new ResizeObserver(() => this.sizeChanged());
    this.resizeObserver.observe(element);
    this.sizeChanged();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.mirrorTimer);
    this.named.forEach((timer) => window.clearTimeout(timer));
    this.resizeObserver.disconnect();
    this.pointer.dispose();
    this.scroller.dispose();
    this.mirror.dispose();
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

  /** What the pointer can take hold of. */
  get holds(): Holds {
    const { selection, references, editing } = this;
    return {
      handleRange: this.cells.withMerged(currentRange(selection)),
      canFill: this.canFill,
      canMove: this.canFill && editing === undefined,
      references,
    };
  }

  private get canFill(): boolean {
    return this.canEdit && this.currentSelection.ranges.length === 1;
  }

  /** Size of the part that shows cells; scrollbars and headers are outside. */
  get cellsBox(): Box {
    const { widthPx: width, heightPx: height } = this.scroller.innerSize;
    const { isRightToLeft, widthPx, rowHeaderWidthPx } = this.currentView;
    const x = isRightToLeft ? widthPx - rowHeaderWidthPx - width : rowHeaderWidthPx;
    return { x, y: COLUMN_HEADER_HEIGHT_PX, width, height };
  }

  /** What the cells in use take, with headers. */
  get usedPx(): { readonly width: number; readonly height: number } {
    const { usedRows, usedColumns } = this.shape;
    return {
      width: this.columns.offset(Math.max(1, usedColumns)) + this.currentView.rowHeaderWidthPx,
      height: this.rows.offset(Math.max(1, usedRows)) + COLUMN_HEADER_HEIGHT_PX,
    };
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.schedulePaint();
  }

  /** Another sheet, or another name for this one; everything that belonged to the old one is dropped. */
  showSheet(label: string, selection: Selection, scrollTopPx: number, scrollLeftPx: number): void {
    this.label = label;
    this.cells = new Cells([]);
    this.demand.forget();
    this.references = [];
    this.currentSelection = selection;
    this.target = undefined;
    this.guide = undefined;
    this.scroller.scrollTo(scrollTopPx, scrollLeftPx);
    this.viewChanged();
  }

  setWords(words: GridDescriptions): void {
    this.words = words;
    this.mirror.setWords(words);
    this.scheduleMirror();
    this.schedulePaint();
  }

  setLabel(label: string): void {
    this.label = label;
    this.scheduleMirror();
  }

  setShape(shape: SheetShape): void {
    this.shape = shape;
    this.scroller.setDirection(shape.isRightToLeft);
    this.makeAxes();
    this.demand.forget();
    this.fitContent();
    this.viewChanged();
  }

  /** 1 shows sizes as they are. What is at the top left stays there. */
  setZoom(zoom: number): void {
    const to = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom));
    if (to === this.currentZoom) {
      return;
    }
    const { scrollTopPx, scrollLeftPx } = this.currentView;
    const factor = to / this.currentZoom;
    this.currentZoom = to;
    this.makeAxes();
    this.demand.forget();
    this.fitContent();
    this.scroller.scrollTo(scrollTopPx * factor, scrollLeftPx * factor);
    this.viewChanged();
  }

  private makeAxes(): void {
    const { rowRuns, columnRuns, hiddenRows, hiddenColumns } = this.shape;
    this.rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, rowRuns, hiddenRows, this.currentZoom);
    this.columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, columnRuns, hiddenColumns, this.currentZoom);
  }

  /** In the order in which they were asked for. */
  setWindows(windows: readonly SheetWindow[]): void {
    this.cells = new Cells(windows);
    this.isWindowUnseen = this.cells.covers(this.currentView);
    if (this.isWindowUnseen) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
    } else {
      // Scrolled past before they came. The paint waits for the next ones, so those must not wait for the paint.
      this.listener.painted();
    }
    this.schedulePaint();
    this.scheduleMirror();
  }

  setOthers(others: readonly OtherSelection[]): void {
    for (const other of others) {
      const before = this.others.find((known) => known.id === other.id);
      if (!before || !sameRange(before.range, other.range) || before.name !== other.name) {
        this.showName(other.id);
      }
    }
    this.others = others;
    this.schedulePaint();
    this.scheduleMirror();
  }

  /** The pointer is over this cell: who has it selected? */
  nameOthersAt(cell: Cell): void {
    for (const other of this.others) {
      if (contains(other.range, cell)) {
        this.showName(other.id);
        this.schedulePaint();
      }
    }
  }

  /** For a while after its person moved: a name hides the cells above the selection. */
  private showName(id: string): void {
    window.clearTimeout(this.named.get(id));
    const hide = (): void => {
      this.named.delete(id);
      this.schedulePaint();
    };
    this.named.set(id, window.setTimeout(hide, NAME_SHOWN_MS));
  }

  /** With every letter of an entry, of which most are no formulas. */
  setReferences(references: readonly ReferenceBox[]): void {
    if (this.references.length > 0 || references.length > 0) {
      this.references = references;
      this.schedulePaint();
    }
  }

  setLocks(locks: Locks): void {
    this.locks = locks;
    this.schedulePaint();
    this.scheduleMirror();
  }

  setCirclesInvalid(isOn: boolean): void {
    this.painter.pen.circlesInvalid = isOn;
    this.schedulePaint();
  }

  setCopied(range: Range | undefined): void {
    if (this.copied !== range) {
      this.copied = range;
      this.schedulePaint();
    }
  }

  setTarget(range: Range | undefined): void {
    if (this.target !== range) {
      this.target = range;
      this.schedulePaint();
    }
  }

  setGuide(guide: Guide | undefined): void {
    this.guide = guide;
    this.schedulePaint();
  }

  setEditing(cell: Cell | undefined): void {
    if (this.editing !== cell) {
      this.editing = cell;
      this.schedulePaint();
    }
  }

  setCanEdit(mayEdit: boolean): void {
    if (this.canEdit !== mayEdit) {
      this.canEdit = mayEdit;
      this.painter.pen.mayEdit = mayEdit;
      this.schedulePaint();
    }
  }

  setTouch(isTouch: boolean): void {
    if (this.isTouch !== isTouch) {
      this.isTouch = isTouch;
      this.schedulePaint();
    }
  }

  setFocused(hasFocus: boolean): void {
    if (this.hasFocus !== hasFocus) {
      this.hasFocus = hasFocus;
      this.schedulePaint();
    }
  }

  /** Selects, and by default scrolls so that the moving end of the selection shows. */
  select(wanted: Selection, reveal: "head" | "active" | "none" = "head"): void {
    const selection = this.withMerged(wanted);
    this.currentSelection = selection;
    if (reveal !== "none") {
      this.reveal(reveal === "head" ? selection.head : selection.active);
    }
    this.schedulePaint();
    this.scheduleMirror();
    this.listener.selectionChanged(selection);
    this.listener.layoutChanged();
  }

  /** Merged cells are selected as one: the active cell is their first, ranges hold all of them. */
  private withMerged(selection: Selection): Selection {
    const last = currentRange(selection);
    const range = this.cells.withMerged(last);
    const whole = this.cells.whole(selection.active);
    const active = { row: whole.top, column: whole.left };
    // Where one cell was meant, its merged cells are one as well.
    if (sameRange(range, last) && active.row === selection.active.row && active.column === selection.active.column) {
      return selection;
    }
    return { ...selection, active, ranges: [...selection.ranges.slice(0, -1), range] };
  }

  hasHiddenRows({ top, bottom }: Range): boolean {
    return this.shape.hiddenRows.some(({ first, count }) => first <= bottom && first + count > top);
  }

  /** The cell that the arrow keys lead to: past merged cells and hidden lines. */
  stepFrom(cell: Cell, rows: number, columns: number): Cell {
    const whole = this.cells.whole(cell);
    const from = {
      row: rows > 0 ? whole.bottom : rows < 0 ? whole.top : cell.row,
      column: columns > 0 ? whole.right : columns < 0 ? whole.left : cell.column,
    };
    const to = clampCell(from.row + rows, from.column + columns);
    const shown = {
      row: rows === 0 ? to.row : this.rows.shownFrom(to.row, rows > 0 ? 1 : -1),
      column: columns === 0 ? to.column : this.columns.shownFrom(to.column, columns > 0 ? 1 : -1),
    };
    // Nothing is shown beyond: stay.
    return this.rows.isHidden(shown.row) || this.columns.isHidden(shown.column) ? cell : shown;
  }

  /** The selection with its moving end one step further; where merged cells hold it, as far as it takes. */
  extendBy(rows: number, columns: number): Selection {
    const before = currentRange(this.currentSelection);
    let { head } = this.currentSelection;
    for (;;) {
      const next = this.stepFrom(head, rows, columns);
      const extended = this.withMerged(extendTo(this.currentSelection, next));
      const isAtEnd = next.row === head.row && next.column === head.column;
      if (isAtEnd || !sameRange(currentRange(extended), before)) {
        return extended;
      }
      head = next;
    }
  }

  /** The cell with those that it is merged with. */
  wholeOf(cell: Cell): Range {
    return this.cells.whole(cell);
  }

  /** Scrolls as little as needed for `cell` to show. */
  reveal(cell: Cell): void {
    this.fitContent(cell);
    const box = this.cellsBox;
    const { frozenRows, frozenColumns, frozenHeightPx, frozenWidthPx } = this.currentView;
    const top = this.rows.offset(cell.row);
    const left = this.columns.offset(cell.column);
    const bottom = top + this.rows.size(cell.row);
    const right = left + this.columns.size(cell.column);
    let scrollTop = this.scroller.topPx;
    let scrollLeft = this.scroller.leftPx;
    // A head at the sheet's end belongs to whole rows or columns, which show already; frozen cells always show.
    if (cell.row < ROWS_MAX - 1 && cell.row >= frozenRows) {
      scrollTop = Math.min(Math.max(scrollTop, bottom - box.height), top - frozenHeightPx);
    }
    if (cell.column < COLUMNS_MAX - 1 && cell.column >= frozenColumns) {
      scrollLeft = Math.min(Math.max(scrollLeft, right - box.width), left - frozenWidthPx);
    }
    this.scroller.scrollTo(scrollTop, scrollLeft);
  }

  /**
   * Scrolls no further than brings a thing over the cells into sight, which lies in pixels of the element and begins in `cell`.
   * Where there is no room for all of it, its beginning counts.
   */
  revealBox(cell: Cell, box: Box): void {
    const { x, y, width, height } = this.cellsBox;
    const { frozenRows, frozenColumns, frozenHeightPx, frozenWidthPx, isRightToLeft } = this.currentView;
    // How far its two edges are from where they would just be in sight, in the direction in which rows and columns run.
    const [top, bottom] = [box.y - y - frozenHeightPx, box.y + box.height - y - height];
    const [start, end] = isRightToLeft
      ? [x + width - frozenWidthPx - box.x - box.width, x - box.x]
      : [box.x - x - frozenWidthPx, box.x + box.width - x - width];
    const { topPx, leftPx } = this.scroller;
    this.fitContent({ row: this.rows.indexAt(topPx + height + Math.max(0, bottom)), column: this.columns.indexAt(leftPx + width + Math.max(0, end)) });
    const down = cell.row < frozenRows ? 0 : Math.min(Math.max(0, bottom), top);
    const on = cell.column < frozenColumns ? 0 : Math.min(Math.max(0, end), start);
    this.scroller.scrollBy(down, on);
  }

  /** Until `cell` is the first in sight of those that scroll, as far as the sheet goes on after it. */
  scrollToCell(cell: Cell): void {
    this.fitContent({ row: cell.row + this.pageRows, column: cell.column + this.pageColumns });
    const { frozenHeightPx, frozenWidthPx } = this.currentView;
    this.scroller.scrollTo(this.rows.offset(cell.row) - frozenHeightPx, this.columns.offset(cell.column) - frozenWidthPx);
  }

  scrollBy(topPx: number, leftPx: number): void {
    this.scroller.scrollBy(topPx, leftPx);
  }

  /** Rows that fit on screen, for Page Up and Page Down. */
  get pageRows(): number {
    const first = this.currentView.visible.top;
    const last = this.rows.indexAt(this.scroller.topPx + this.cellsBox.height);
    return Math.max(1, last - first - 1);
  }

  get pageColumns(): number {
    const first = this.currentView.visible.left;
    const last = this.columns.indexAt(this.scroller.leftPx + this.cellsBox.width);
    return Math.max(1, last - first - 1);
  }

  boxOf(range: Range): Box {
    return boxOf(this.currentView, range);
  }

  boxOfCell(cell: Cell): Box {
    return this.boxOf(this.cells.whole(cell));
  }

  /** The cell at a point of the grid's element. */
  cellAt(x: number, y: number): Cell {
    return cellAt(this.currentView, x, y);
  }

  /** Text of a cell if it is among those held for drawing. */
  textOf(cell: Cell): string {
    return this.cells.text(cell);
  }

  isError(cell: Cell): boolean {
    const found = this.cells.at(cell);
    return found?.window.kind(found.index) === ValueKind.Error;
  }

  /** What the cell shows besides its text. */
  markOf(cell: Cell): CellMark | undefined {
    const found = this.cells.at(cell);
    return found?.window.mark(found.index);
  }

  /** The width that a number needs which a column of the default width is too narrow for. */
  widthMissingPx(cell: Cell): number | undefined {
    const found = this.cells.at(cell);
    if (!found || found.window.kind(found.index) !== ValueKind.Number) {
      return undefined;
    }
    const { window: held, index } = found;
    const look = this.painter.pen.resolve(held.style(index));
    const neededPx = this.painter.widthNeededPx([held.text(index)], look) / this.currentZoom;
    const sizePx = this.columns.size(cell.column) / this.currentZoom;
    return Math.abs(sizePx - COLUMN_WIDTH_PX) < 1 && neededPx > sizePx ? Math.ceil(neededPx) : undefined;
  }

  /** The height that the texts of a row need, as far as they are held for drawing; nothing for the default. */
  heightNeededPx(row: number): number | undefined {
    let neededPx: number | undefined;
    for (const held of this.cells.windows) {
      for (let column = held.firstColumn; column < held.firstColumn + held.columnCount; column += 1) {
        const index = held.index(row, column);
        if (index >= 0 && held.hasText(index) && !held.merge(index)) {
          const look = this.painter.pen.resolve(held.style(index));
          const px = Math.ceil(
            this.painter.heightNeededPx(held, index, this.columns.size(column), look) / this.currentZoom,
          );
          neededPx = px > ROW_HEIGHT_PX ? Math.max(px, neededPx ?? 0) : neededPx;
        }
      }
    }
    return neededPx;
  }

  /** Of the cell's node for screen readers; none while there is none. */
  mirrorId(cell: Cell): string | undefined {
    return this.mirror.nodeId(cell);
  }

  /** At zoom 1, in the type of untouched cells. */
  widthNeededPx(texts: readonly string[]): number {
    return this.painter.widthNeededPx(texts, this.painter.pen.resolve(PLAIN)) / this.currentZoom;
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
    });
  }

  private sizeChanged(): void {
    const dpr = window.devicePixelRatio;
    this.canvas.width = Math.round(this.element.clientWidth * dpr);
    this.canvas.height = Math.round(this.element.clientHeight * dpr);
    this.canvas.style.width = `${this.element.clientWidth}px`;
    this.canvas.style.height = `${this.element.clientHeight}px`;
    this.scroller.element.style.top = `${COLUMN_HEADER_HEIGHT_PX}px`;
    this.scroller.sizeChanged();
    this.fitContent();
    this.viewChanged();
    // A canvas is blank after its size was set; do not show that.
    this.paint();
  }

  /** The scroller reaches a little beyond what is used, shown or selected. */
  private fitContent(reach?: Cell): void {
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
    this.fitContent();
    this.wantCells();
    this.schedulePaint();
    this.scheduleMirror();
    this.listener.layoutChanged();
  }

  /** Somebody else gives the cells from now on; those in hand show until then. */
  askAgain(): void {
    this.demand.forget();
    this.wantCells();
  }

  /** Asks for cells when those in hand do not cover the screen, or soon will not. */
  private wantCells(): void {
    if (this.cells.covers(this.currentView)) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
    } else if (this.paintWithoutCellsAt === Number.POSITIVE_INFINITY) {
      this.paintWithoutCellsAt = performance.now() + CELLS_WAIT_MS;
    }
    const ranges = this.demand.next(this.currentView);
    if (ranges) {
      this.listener.windowsWanted(ranges);
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
    const scene: Scene = {
      view: this.currentView,
      windows: this.cells.windows,
      selection,
      activeRange: this.cells.whole(selection.active),
      handleRange: this.cells.withMerged(currentRange(selection)),
      others: this.others,
      references: this.references,
      locks: this.locks,
      named: new Set(this.named.keys()),
      copied: this.copied,
      target: this.target,
      guide: this.guide,
      editing: this.editing,
      isTouch: this.isTouch,
      canFill: this.canFill,
      hasFocus: this.hasFocus,
      hasGridlines: this.shape.hasGridlines,
      columnName: this.words.column,
    };
    this.painter.paint(scene, this.theme, window.devicePixelRatio);
    if (this.isWindowUnseen) {
      this.isWindowUnseen = false;
      this.listener.painted();
    }
  }

  private scheduleMirror(): void {
    window.clearTimeout(this.mirrorTimer);
    this.mirrorTimer = window.setTimeout(() => {
      if (this.demand.rests()) {
        this.wantCells();
      }
      if (this.cells.windows.length > 0) {
        const { ranges } = this.currentSelection;
        const changed = this.mirror.update(this.label, this.cells, this.currentView, ranges, this.others, this.locks);
        if (changed.length > 0) {
          this.listener.textsChanged(changed);
        }
        this.listener.mirrored();
      }
    }, MIRROR_DELAY_MS);
  }
}


/**
 * The grid: a canvas under a native scroller, with an ARIA mirror beside it.
 *
 * It asks for the window of cells it wants to draw, paints at most once per frame, and tells its listener what
 * the pointer did. It knows nothing of the engine, the network or the page around it.
 */

import { type SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, COLUMNS_MAX, contains, type Range, rangeOf, ROWS_MAX, sameRange } from "./address.ts";
import { Axis, type SizeRun } from "./axis.ts";
import type { Hit } from "./hit.ts";
import { Mirror } from "./mirror.ts";
import { Painter } from "./paint.ts";
import { Pointer } from "./pointer.ts";
import type { Guide, OtherSelection, Scene } from "./scene.ts";
import { Scroller } from "./scroller.ts";
import { selectCell, type Selection } from "./selection.ts";
import type { Theme } from "./theme.ts";
import { type Box, boxOf, COLUMN_HEADER_HEIGHT_PX, makeView, type View } from "./view.ts";

export const ROW_HEIGHT_PX = 22;
export const COLUMN_WIDTH_PX = 96;

/** A scroll waits this long for its cells before it is painted without them. */
const CELLS_WAIT_MS = 60;
const FRAME_MS = 1000 / 60;
/** While scrolling, cells are asked for this many frames ahead, and again when fewer are left. */
const FRAMES_AHEAD = 10;
const FRAMES_AHEAD_MIN = 5;
/** More rows than this at once take the engine longer than the frames they are for. */
const ROWS_AHEAD_MAX = 1_000;
/** Faster than this is a jump. */
const ROWS_PER_FRAME_MAX = 250;
/** The mirror follows at rest, not during a fling. */
const MIRROR_DELAY_MS = 80;
/** How long a name stays after its person moved. */
const NAME_SHOWN_MS = 3_000;
/** Rows and columns that can be scrolled to beyond what is used. */
const SPARE_ROWS = 60;
const SPARE_COLUMNS = 12;
const ROWS_SHOWN_MIN = 200;
const COLUMNS_SHOWN_MIN = 30;

export type Dimension = "rows" | "columns";

export interface GridListener {
  /** Give `window` for this range through `setWindow`. */
  windowWanted(range: Range): void;
  selectionChanged(selection: Selection): void;
  /** The newest window is on screen. */
  painted(): void;
  /** Whether a press on a cell names it in a formula being typed instead of selecting it. */
  isPointing(): boolean;
  pointed(range: Range): void;
  /** The pointer is about to change the selection. */
  pressed(): void;
  editWanted(cell: Cell): void;
  resized(dimension: Dimension, first: number, count: number, sizePx: number): void;
  fitWanted(dimension: Dimension, first: number, count: number): void;
  filled(source: Range, target: Range): void;
  menuWanted(clientX: number, clientY: number, hit: Hit): void;
  /** Something that lies over cells has to move: scrolled, resized or reshaped. */
  layoutChanged(): void;
}

/** Sizes and extent of a sheet. */
export interface SheetShape {
  readonly rowRuns: readonly SizeRun[];
  readonly columnRuns: readonly SizeRun[];
  /** Rows and columns up to the last one in use. */
  readonly usedRows: number;
  readonly usedColumns: number;
}

export class Grid {
  readonly element: HTMLElement;
  private readonly listener: GridListener;
  private readonly canvas: HTMLCanvasElement;
  private readonly painter: Painter;
  private readonly scroller: Scroller;
  private readonly mirror: Mirror;
  private readonly pointer: Pointer;
  private readonly resizeObserver: ResizeObserver;

  private theme: Theme;
  private rows = new Axis(ROWS_MAX, ROW_HEIGHT_PX, []);
  private columns = new Axis(COLUMNS_MAX, COLUMN_WIDTH_PX, []);
  private usedRows = 0;
  private usedColumns = 0;
  private label = "";
  private window: SheetWindow | undefined;
  private currentSelection: Selection = selectCell({ row: 0, column: 0 });
  private others: readonly OtherSelection[] = [];
  /** Whose names show, with the timer that hides each. */
  private readonly named = new Map<string, number>();
  private copied: Range | undefined;
  private target: Range | undefined;
  private guide: Guide | undefined;
  private editing: Cell | undefined;
  private isTouch = false;
  private hasFocus = true;

  private currentView: View;
  private wanted: Range | undefined;
  private frame = 0;
  /** A frame before this time waits for its cells. */
  private paintWithoutCellsAt = Number.POSITIVE_INFINITY;
  private lastTop = { row: 0, atMs: 0 };
  private isWindowUnseen = false;
  private mirrorTimer = 0;

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
    this.painter = new Painter(context);
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

  /** Size of the part that shows cells; scrollbars and headers are outside. */
  get cellsBox(): Box {
    return {
      x: this.currentView.rowHeaderWidthPx,
      y: COLUMN_HEADER_HEIGHT_PX,
      width: this.scroller.element.clientWidth,
      height: this.scroller.element.clientHeight,
    };
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.schedulePaint();
  }

  /** Another sheet, or another name for this one; everything that belonged to the old one is dropped. */
  showSheet(label: string, selection: Selection, scrollTopPx: number, scrollLeftPx: number): void {
    this.label = label;
    this.window = undefined;
    this.wanted = undefined;
    this.currentSelection = selection;
    this.target = undefined;
    this.guide = undefined;
    this.scroller.scrollTo(scrollTopPx, scrollLeftPx);
    this.viewChanged();
  }

  setLabel(label: string): void {
    this.label = label;
    this.scheduleMirror();
  }

  setShape(shape: SheetShape): void {
    this.rows = new Axis(ROWS_MAX, ROW_HEIGHT_PX, shape.rowRuns);
    this.columns = new Axis(COLUMNS_MAX, COLUMN_WIDTH_PX, shape.columnRuns);
    this.usedRows = shape.usedRows;
    this.usedColumns = shape.usedColumns;
    this.fitContent();
    this.viewChanged();
  }

  setWindow(sheetWindow: SheetWindow): void {
    this.window = sheetWindow;
    this.isWindowUnseen = true;
    if (covers(rangeOfWindow(sheetWindow), this.currentView.visible, 0, 0)) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
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

  setCopied(range: Range | undefined): void {
    this.copied = range;
    this.schedulePaint();
  }

  setTarget(range: Range | undefined): void {
    this.target = range;
    this.schedulePaint();
  }

  setGuide(guide: Guide | undefined): void {
    this.guide = guide;
    this.schedulePaint();
  }

  setEditing(cell: Cell | undefined): void {
    this.editing = cell;
    this.schedulePaint();
  }

  setTouch(isTouch: boolean): void {
    if (this.isTouch !== isTouch) {
      this.isTouch = isTouch;
      this.schedulePaint();
    }
  }

  setFocused(hasFocus: boolean): void {
    this.hasFocus = hasFocus;
    this.schedulePaint();
  }

  /** Selects, and by default scrolls so that the moving end of the selection shows. */
  select(selection: Selection, reveal: "head" | "active" | "none" = "head"): void {
    this.currentSelection = selection;
    if (reveal !== "none") {
      this.reveal(reveal === "head" ? selection.head : selection.active);
    }
    this.schedulePaint();
    this.scheduleMirror();
    this.listener.selectionChanged(selection);
    this.listener.layoutChanged();
  }

  /** Scrolls as little as needed for `cell` to show. */
  reveal(cell: Cell): void {
    this.fitContent(cell);
    const box = this.cellsBox;
    const top = this.rows.offset(cell.row);
    const left = this.columns.offset(cell.column);
    const bottom = top + this.rows.size(cell.row);
    const right = left + this.columns.size(cell.column);
    let scrollTop = this.scroller.topPx;
    let scrollLeft = this.scroller.leftPx;
    // A head at the sheet's end belongs to whole rows or columns, which show already.
    if (cell.row < ROWS_MAX - 1) {
      scrollTop = Math.min(Math.max(scrollTop, bottom - box.height), top);
    }
    if (cell.column < COLUMNS_MAX - 1) {
      scrollLeft = Math.min(Math.max(scrollLeft, right - box.width), left);
    }
    this.scroller.scrollTo(scrollTop, scrollLeft);
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
    return this.boxOf(rangeOf(cell));
  }

  /** Text of a cell if it is among those held for drawing. */
  textOf(cell: Cell): string {
    const index = this.window?.index(cell.row, cell.column) ?? -1;
    return index < 0 ? "" : (this.window?.text(index) ?? "");
  }

  /** The width that a number needs which a column of the default width is too narrow for. */
  widthMissingPx(cell: Cell): number | undefined {
    const index = this.window?.index(cell.row, cell.column) ?? -1;
    if (!this.window || index < 0 || this.window.kind(index) !== ValueKind.Number) {
      return undefined;
    }
    const neededPx = this.painter.widthNeededPx([this.window.text(index)], this.theme, this.window.style(index).bold);
    const sizePx = this.columns.size(cell.column);
    return sizePx === COLUMN_WIDTH_PX && neededPx > sizePx ? neededPx : undefined;
  }

  /** The height that wrapped texts of a row need, as far as they are held for drawing; nothing for one line. */
  heightNeededPx(row: number): number | undefined {
    const held = this.window;
    let neededPx: number | undefined;
    for (let column = held?.firstColumn ?? 0; held && column < held.firstColumn + held.columnCount; column += 1) {
      const index = held.index(row, column);
      if (index >= 0 && held.hasText(index) && held.style(index).wrap) {
        const px = this.painter.heightNeededPx(held, index, this.columns.size(column), this.theme);
        neededPx = px > ROW_HEIGHT_PX ? Math.max(px, neededPx ?? 0) : neededPx;
      }
    }
    return neededPx;
  }

  mirrorId(cell: Cell): string {
    return this.mirror.idOf(cell);
  }

  widthNeededPx(texts: readonly string[]): number {
    return this.painter.widthNeededPx(texts, this.theme);
  }

  private makeView(): View {
    const { clientWidth, clientHeight } = this.element;
    return makeView(
      this.rows,
      this.columns,
      clientWidth,
      clientHeight,
      this.scroller.topPx,
      this.scroller.leftPx,
    );
  }

  private sizeChanged(): void {
    const dpr = window.devicePixelRatio;
    this.canvas.width = Math.round(this.element.clientWidth * dpr);
    this.canvas.height = Math.round(this.element.clientHeight * dpr);
    this.canvas.style.width = `${this.element.clientWidth}px`;
    this.canvas.style.height = `${this.element.clientHeight}px`;
    this.scroller.element.style.top = `${COLUMN_HEADER_HEIGHT_PX}px`;
    this.fitContent();
    this.viewChanged();
    // A canvas is blank after its size was set; do not show that.
    this.paint();
  }

  /** The scroller reaches a little beyond what is used, shown or selected. */
  private fitContent(reach?: Cell): void {
    const { visible } = this.currentView;
    const lastRow = Math.max(this.usedRows, visible.bottom, reach?.row ?? 0, ROWS_SHOWN_MIN) + SPARE_ROWS;
    const lastColumn =
      Math.max(this.usedColumns, visible.right, reach?.column ?? 0, COLUMNS_SHOWN_MIN) + SPARE_COLUMNS;
    this.scroller.setContent(
      this.columns.offset(Math.min(lastColumn, COLUMNS_MAX)),
      this.rows.offset(Math.min(lastRow, ROWS_MAX)),
    );
  }

  private viewChanged(): void {
    this.currentView = this.makeView();
    const headerWidth = `${this.currentView.rowHeaderWidthPx}px`;
    if (this.scroller.element.style.left !== headerWidth) {
      this.scroller.element.style.left = headerWidth;
    }
    this.fitContent();
    this.wantCells();
    this.schedulePaint();
    this.scheduleMirror();
    this.listener.layoutChanged();
  }

  /** Asks for cells when those in hand do not cover the screen, or soon will not. */
  private wantCells(): void {
    const { visible } = this.currentView;
    const rows = visible.bottom - visible.top + 1;
    const columns = visible.right - visible.left + 1;
    const speed = this.rowsPerFrame();
    const held = this.window;
    if (held && covers(rangeOfWindow(held), visible, 0, 0)) {
      this.paintWithoutCellsAt = Number.POSITIVE_INFINITY;
    } else if (this.paintWithoutCellsAt === Number.POSITIVE_INFINITY) {
      this.paintWithoutCellsAt = performance.now() + CELLS_WAIT_MS;
    }
    const ahead = Math.floor(Math.max(rows / 4, Math.abs(speed) * FRAMES_AHEAD_MIN));
    const soon = {
      ...visible,
      top: Math.max(0, visible.top - (speed < 0 ? ahead : Math.floor(rows / 4))),
      bottom: visible.bottom + (speed > 0 ? ahead : Math.floor(rows / 4)),
    };
    if (this.wanted && covers(this.wanted, soon, 0, 1)) {
      return;
    }
    const far = Math.min(Math.floor(Math.abs(speed) * FRAMES_AHEAD), ROWS_AHEAD_MAX);
    const range = {
      top: Math.max(0, visible.top - (speed < 0 ? Math.max(rows, far) : rows)),
      bottom: Math.min(ROWS_MAX - 1, visible.bottom + (speed > 0 ? Math.max(rows, far) : rows)),
      left: Math.max(0, visible.left - Math.ceil(columns / 2)),
      right: Math.min(COLUMNS_MAX - 1, visible.right + Math.ceil(columns / 2)),
    };
    this.wanted = range;
    this.listener.windowWanted(range);
  }

  /** How fast the sheet is being scrolled; a jump is no speed. */
  private rowsPerFrame(): number {
    const now = performance.now();
    const { top } = this.currentView.visible;
    const { row, atMs } = this.lastTop;
    this.lastTop = { row: top, atMs: now };
    const speed = ((top - row) / Math.max(now - atMs, FRAME_MS)) * FRAME_MS;
    return Math.abs(speed) > ROWS_PER_FRAME_MAX ? 0 : speed;
  }

  private schedulePaint(): void {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        const held = this.window;
        const isCovered = held !== undefined && covers(rangeOfWindow(held), this.currentView.visible, 0, 0);
        if (isCovered || performance.now() >= this.paintWithoutCellsAt) {
          this.paint();
        } else {
          this.schedulePaint();
        }
      });
    }
  }

  private paint(): void {
    const scene: Scene = {
      view: this.currentView,
      window: this.window,
      selection: this.currentSelection,
      others: this.others,
      named: new Set(this.named.keys()),
      copied: this.copied,
      target: this.target,
      guide: this.guide,
      editing: this.editing,
      isTouch: this.isTouch,
      hasFocus: this.hasFocus,
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
      if (this.window) {
        const { visible } = this.currentView;
        this.mirror.update(this.label, this.window, visible, this.currentSelection.ranges, this.others);
      }
    }, MIRROR_DELAY_MS);
  }
}

function rangeOfWindow(held: SheetWindow): Range {
  return {
    top: held.firstRow,
    left: held.firstColumn,
    bottom: held.firstRow + held.rowCount - 1,
    right: held.firstColumn + held.columnCount - 1,
  };
}

/** `outer` holds `inner` and a margin round it, as far as the sheet goes. */
function covers(outer: Range, inner: Range, marginRows: number, marginColumns: number): boolean {
  return (
    outer.top <= Math.max(0, inner.top - marginRows) &&
    outer.left <= Math.max(0, inner.left - marginColumns) &&
    outer.bottom >= Math.min(ROWS_MAX - 1, inner.bottom + marginRows) &&
    outer.right >= Math.min(COLUMNS_MAX - 1, inner.right + marginColumns)
  );
}

/**
 * The grid as the client uses it: it counts rows as the sheet does.
 *
 * `PositionGrid` draws and handles the pointer by positions on the screen. They are the rows of the
 * sheet unless the user has sorted their own view (`setOrder`); then both are translated here.
 */

import type { CellMark, SheetWindow, ValueKind } from "@quadrille/protocol";
import { type Cell, clampCell, contains, isWholeColumns, type Range, ROWS_MAX } from "./address.ts";
import type { RowHeight } from "./fitting.ts";
import type { GridDescriptions } from "./descriptions.ts";
import type { GridListener } from "./grid-listener.ts";
import { listenerByRows } from "./listener-by-rows.ts";
import { PositionGrid } from "./position-grid.ts";
import type { Locks, OtherSelection, ReferenceBox, SuggestionMark } from "./render-state.ts";
import type { RowOrder } from "./row-order.ts";
import { currentRange, extendTo, nextCell, selectCell, type Selection, selectRows } from "./selection.ts";
import { EMPTY_SHAPE, type SheetShape } from "./sheet-shape.ts";
import type { Theme } from "./theme.ts";
import type { Box, View } from "./view.ts";

export { ZOOM_MAX, ZOOM_MIN } from "./position-grid.ts";

/** Sizes that rows and columns need for their contents, at zoom 1. */
export interface NeededSizes {
  /** Width that the cell's number needs if the default column width is too narrow. */
  widthForNumberPx(cell: Cell): number | undefined;
  /** Height that the loaded texts of a row need; `undefined` if the default suffices. */
  heightNeededPx(row: number): number | undefined;
  /** The rows in view that are not hidden. */
  rowHeights(): readonly RowHeight[];
  /** Width that `texts` need in the default style. */
  widthNeededPx(texts: readonly string[]): number;
}

/** A block of selected cells on the screen. */
export interface SortedSelection {
  /** From the top of the screen. */
  readonly rows: readonly number[];
  readonly left: number;
  readonly right: number;
}

/** As many rows as a command can write one by one. */
const SORTED_ROWS_MAX = 10_000;

/** The grid of one workbook view. Create one per host element and call `dispose` at the end. */
export class Grid {
  private readonly positions: PositionGrid;
  private readonly listener: GridListener;
  private currentOrder: RowOrder | undefined;
  private shape: SheetShape = EMPTY_SHAPE;
  private currentSelection: Selection = selectCell({ row: 0, column: 0 });
  /** Selections by rows with the same ones by positions, which rows do not tell exactly. */
  private readonly selections = new WeakMap<Selection, Selection>();
  private others: readonly OtherSelection[] = [];
  private references: readonly ReferenceBox[] = [];
  private locks: Locks = { ranges: [], except: undefined };
  private suggestions: readonly SuggestionMark[] = [];
  private copied: Range | undefined;
  private editing: Cell | undefined;

  constructor(element: HTMLElement, theme: Theme, listener: GridListener) {
    this.listener = listener;
    const byRows = listenerByRows(listener, {
      order: () => this.currentOrder,
      isHidden: (position) => this.positions.view.rows.isHidden(position),
      selected: (selection) => {
        this.currentSelection = this.selectionByRows(selection);
        return this.currentSelection;
      },
    });
    this.positions = new PositionGrid(element, theme, byRows);
  }

  dispose(): void {
    this.positions.dispose();
  }

  // ---- the order of rows ----

  /** The order in which rows are displayed; `undefined` for that of the sheet. */
  get order(): RowOrder | undefined {
    return this.currentOrder;
  }

  /** Displays rows in another order. What is selected stays selected. */
  setOrder(order: RowOrder | undefined): void {
    if (order === this.currentOrder) {
      return;
    }
    this.currentOrder = order;
    this.positions.setRowNumbers((position) => order?.rowAt(position) ?? position);
    this.setShape(this.shape);
    this.setOthers(this.others);
    this.setReferences(this.references);
    this.setLocks(this.locks);
    this.setSuggestions(this.suggestions);
    this.setCopied(this.copied);
    this.setEditing(this.editing);
    this.positions.setWindows([]);
    this.positions.refetchWindows();
    const { currentSelection } = this;
    this.selections.delete(currentSelection);
    this.positions.select(this.selectionByPositions(currentSelection), "none");
  }

  private toPosition(cell: Cell): Cell {
    return this.currentOrder ? { ...cell, row: this.currentOrder.positionOf(cell.row) } : cell;
  }

  private toRow(cell: Cell): Cell {
    return this.currentOrder ? { ...cell, row: this.currentOrder.rowAt(cell.row) } : cell;
  }

  private toPositions(range: Range): readonly Range[] {
    return this.currentOrder?.positionsOf(range) ?? [range];
  }

  /** The range by positions, unless its rows are apart on the screen. */
  private toOneRange(range: Range | undefined): Range | undefined {
    const parts = range ? this.toPositions(range) : [];
    return parts.length === 1 ? parts[0] : undefined;
  }

  private selectionByRows(selection: Selection): Selection {
    const order = this.currentOrder;
    if (!order?.touches(spanOf(selection.ranges))) {
      return selection;
    }
    const { active, anchor, head, ranges } = selection;
    const byRows = {
      ...selection,
      active: this.toRow(active),
      anchor: this.toRow(anchor),
      head: this.toRow(head),
      ranges: ranges.flatMap((range) => order.rangesOf(range)),
    };
    const ordered = { ...byRows, ranges: withLast(byRows.ranges, byRows.active) };
    this.selections.set(ordered, selection);
    return ordered;
  }

  private selectionByPositions(selection: Selection): Selection {
    const order = this.currentOrder;
    if (!order?.touches(spanOf(selection.ranges))) {
      return selection;
    }
    const known = this.selections.get(selection);
    if (known) {
      return known;
    }
    const active = this.toPosition(selection.active);
    const ranges = withLast(selection.ranges.flatMap((range) => order.positionsOf(range)), active);
    const last = ranges.at(-1);
    if (selection.ranges.length === ranges.length || !last) {
      return { ...selection, active, anchor: this.toPosition(selection.anchor), head: this.toPosition(selection.head), ranges };
    }
    return { active, anchor: { row: last.top, column: last.left }, head: { row: last.bottom, column: last.right }, ranges };
  }

  // ---- selection and movement ----

  get selection(): Selection {
    return this.currentSelection;
  }

  /** Sets the selection and scrolls to its head, to its active cell, or not at all. */
  select(wanted: Selection, reveal: "head" | "active" | "none" = "head"): void {
    this.positions.select(this.selectionByPositions(wanted), reveal);
  }

  /** The cell that an arrow key moves to, skipping merged cells and hidden rows and columns. */
  stepFrom(cell: Cell, rows: number, columns: number): Cell {
    return this.toRow(this.positions.stepFrom(this.toPosition(cell), rows, columns));
  }

  /** The cell at a distance on the screen, which counts hidden rows and columns. */
  cellFrom(cell: Cell, rows: number, columns: number): Cell {
    const { row, column } = this.toPosition(cell);
    return this.toRow(clampCell(row + rows, column + columns));
  }

  /** The selection extended by one step, or by as many as it takes to leave a merged range. */
  extendBy(rows: number, columns: number): Selection {
    return this.selectionByRows(this.positions.extendBy(rows, columns));
  }

  /** The selection extended to a cell. */
  extendTo(head: Cell): Selection {
    return this.selectionByRows(extendTo(this.positions.selection, this.toPosition(head)));
  }

  /** The whole rows of the last selected range. */
  wholeRows(): Selection {
    const { top, bottom } = currentRange(this.positions.selection);
    return this.selectionByRows(selectRows(top, bottom));
  }

  /** The selection after Enter (`down`) or Tab, backwards with Shift (`back`). */
  nextCell(down: boolean, back: boolean): Selection {
    return this.selectionByRows(nextCell(this.positions.selection, down, back));
  }

  /**
   * For a cell among rows that the user has sorted: the first or last of them that is visible.
   * `undefined` for other cells, and if this is the cell itself.
   */
  edgeOfOrder(cell: Cell, direction: "up" | "down" | "left" | "right"): Cell | undefined {
    const order = this.currentOrder;
    if (!order || !order.touches({ top: cell.row, bottom: cell.row, left: 0, right: 0 }) || direction === "left" || direction === "right") {
      return undefined;
    }
    const { rows } = this.positions.view;
    const row = direction === "up" ? rows.nextVisible(order.first, 1) : rows.nextVisible(order.end - 1, -1);
    return row === order.positionOf(cell.row) ? undefined : { row: order.rowAt(row), column: cell.column };
  }

  /**
   * For rows that the user has sorted: the visible ones from `row` on as they are displayed, and the
   * first one below them all. `undefined` for other rows.
   */
  sortedRowsFrom(row: number): readonly number[] | undefined {
    const order = this.currentOrder;
    if (!order?.touches({ top: row, bottom: row, left: 0, right: 0 })) {
      return undefined;
    }
    const rows = this.visibleRows(order, order.positionOf(row), order.end - 1);
    return [...rows.slice(0, SORTED_ROWS_MAX), order.end];
  }

  /**
   * The visible rows of the selected cells as they are displayed, if these are in one block on the
   * screen but do not follow each other in the sheet.
   */
  get sortedSelection(): SortedSelection | undefined {
    const [block, ...others] = this.positions.selection.ranges;
    const order = this.currentOrder;
    if (!block || others.length > 0 || !order?.touches(block) || isWholeColumns(block)) {
      return undefined;
    }
    const rows = this.visibleRows(order, block.top, block.bottom);
    const areApart = rows.some((row, at) => at > 0 && row !== (rows[at - 1] ?? 0) + 1);
    return areApart ? { rows, left: block.left, right: block.right } : undefined;
  }

  private visibleRows(order: RowOrder, first: number, last: number): readonly number[] {
    const { rows } = this.positions.view;
    return order.visibleRows(first, last, (position) => rows.isHidden(position));
  }

  // ---- what is displayed ----

  get element(): HTMLElement {
    return this.positions.element;
  }

  get view(): View {
    return this.positions.view;
  }

  /** The top left cell of the scrolling pane. */
  get topLeft(): Cell {
    const { top, left } = this.positions.view.visible;
    return this.toRow({ row: top, column: left });
  }

  get zoom(): number {
    return this.positions.zoom;
  }

  /** The area of the cells, without headers and scrollbars. */
  get cellsBox(): Box {
    return this.positions.cellsBox;
  }

  /** Size of the used range including headers. */
  get usedSizePx(): { readonly width: number; readonly height: number } {
    return this.positions.usedSizePx;
  }

  /** Number of rows of a page, for Page Up and Page Down. */
  get pageRows(): number {
    return this.positions.pageRows;
  }

  /** Number of columns of a page. */
  get pageColumns(): number {
    return this.positions.pageColumns;
  }

  get fitting(): NeededSizes {
    const { fitting } = this.positions;
    const order = this.currentOrder;
    return order
      ? {
          widthForNumberPx: (cell) => fitting.widthForNumberPx(this.toPosition(cell)),
          heightNeededPx: (row) => fitting.heightNeededPx(order.positionOf(row)),
          rowHeights: () => fitting.rowHeights().map((height) => ({ ...height, row: order.rowAt(height.row) })),
          widthNeededPx: (texts) => fitting.widthNeededPx(texts),
        }
      : fitting;
  }

  /** Sets colours and fonts. */
  setTheme(theme: Theme): void {
    this.positions.setTheme(theme);
  }

  /** Switches to a sheet and drops the state of the previous one. `label` names the ARIA grid. */
  showSheet(label: string, selection: Selection, scrollTopPx: number, scrollLeftPx: number): void {
    this.currentOrder = undefined;
    this.positions.setRowNumbers((position) => position);
    this.references = [];
    this.currentSelection = selection;
    this.positions.showSheet(label, selection, scrollTopPx, scrollLeftPx);
  }

  /** Sets the texts for screen readers and column headers. */
  setDescriptions(descriptions: GridDescriptions): void {
    this.positions.setDescriptions(descriptions);
  }

  /** Sets the name of the ARIA grid, which is the sheet's name. */
  setLabel(label: string): void {
    this.positions.setLabel(label);
  }

  /** Sets sizes and extent of the sheet. */
  setShape(shape: SheetShape): void {
    const order = this.currentOrder;
    this.shape = shape;
    this.positions.setShape(
      order
        ? {
            rowRuns: order.sizesByPosition(shape.rowRuns),
            columnRuns: shape.columnRuns,
            hiddenRows: order.hiddenByPosition(shape.hiddenRows),
            hiddenColumns: shape.hiddenColumns,
            usedRows: shape.usedRows,
            usedColumns: shape.usedColumns,
            frozenRows: shape.frozenRows,
            frozenColumns: shape.frozenColumns,
            isRightToLeft: shape.isRightToLeft,
            hasGridlines: shape.hasGridlines,
          }
        : shape,
    );
  }

  /** Sets the clamped zoom factor. The top left cell keeps its position. */
  setZoom(zoom: number): void {
    this.positions.setZoom(zoom);
  }

  /** Sets the windows that `windowsRequested` asked for, in the same order. */
  setWindows(windows: readonly SheetWindow[]): void {
    const order = this.currentOrder;
    if (!order) {
      this.positions.setWindows(windows);
      return;
    }
    const byPosition = windows.flatMap((window) => window.withRows((row) => order.positionOf(row)) ?? []);
    if (byPosition.length === windows.length) {
      this.positions.setWindows(byPosition);
    } else {
      // Requested for another order.
      this.listener.painted();
      this.positions.refetchWindows();
    }
  }

  /** Requests all windows again, because their source changed. Loaded ones stay visible. */
  refetchWindows(): void {
    this.positions.refetchWindows();
  }

  /** Sets the selections of other users on this sheet. */
  setOthers(others: readonly OtherSelection[]): void {
    this.others = others;
    this.positions.setOthers(others.flatMap((other) => this.toPositions(other.range).map((range) => ({ ...other, range }))));
  }

  /** Sets the references of the edited formula. */
  setReferences(references: readonly ReferenceBox[]): void {
    this.references = references;
    this.positions.setReferences(references.flatMap((box) => this.toPositions(box.range).map((range) => ({ ...box, range }))));
  }

  /** Sets the protected cells. */
  setLocks(locks: Locks): void {
    this.locks = locks;
    const byPosition = (ranges: readonly Range[]): readonly Range[] => ranges.flatMap((range) => this.toPositions(range));
    this.positions.setLocks({ ranges: byPosition(locks.ranges), except: locks.except && byPosition(locks.except) });
  }

  /** Sets the suggested contents of cells. */
  setSuggestions(suggestions: readonly SuggestionMark[]): void {
    this.suggestions = suggestions;
    this.positions.setSuggestions(suggestions.map((mark) => ({ ...mark, cell: this.toPosition(mark.cell) })));
  }

  /** Turns "circle invalid data" on or off. */
  setCirclesInvalid(isOn: boolean): void {
    this.positions.setCirclesInvalid(isOn);
  }

  /** Sets the copied range. */
  setCopied(range: Range | undefined): void {
    this.copied = range;
    this.positions.setCopied(this.toOneRange(range));
  }

  /** Sets the target range of point mode. */
  setTarget(range: Range | undefined): void {
    this.positions.setTarget(this.toOneRange(range));
  }

  /** Sets the edited cell, whose text the editor draws. */
  setEditing(cell: Cell | undefined): void {
    this.editing = cell;
    this.positions.setEditing(cell && this.toPosition(cell));
  }

  /** Shows or hides controls that need edit permission. */
  setCanEdit(canEdit: boolean): void {
    this.positions.setCanEdit(canEdit);
  }

  /** Reads again whether there are headers. */
  headersChanged(): void {
    this.positions.headersChanged();
  }

  /** Dims the selection while the grid has no focus. */
  setFocused(hasFocus: boolean): void {
    this.positions.setFocused(hasFocus);
  }

  /** Whether a row of the range is hidden. */
  hasHiddenRows({ top, bottom }: Range): boolean {
    return this.shape.hiddenRows.some(({ first, count }) => first <= bottom && first + count > top);
  }

  // ---- scrolling ----

  /** Scrolls by the least distance that makes `cell` visible. */
  reveal(cell: Cell): void {
    this.positions.reveal(this.toPosition(cell));
  }

  /**
   * Scrolls by the least distance that makes an overlay visible. `box` is in pixels of the element;
   * its top left corner is in `cell`. If the view is smaller than the box, its start is shown.
   */
  revealBox(cell: Cell, box: Box): void {
    this.positions.revealBox(this.toPosition(cell), box);
  }

  /** Scrolls so that `cell` is at the top left of the scrolling pane, if enough cells follow. */
  scrollToCell(cell: Cell): void {
    this.positions.scrollToCell(this.toPosition(cell));
  }

  /** Scrolls by a distance in pixels. */
  scrollBy(topPx: number, leftPx: number): void {
    this.positions.scrollBy(topPx, leftPx);
  }

  // ---- cells ----

  /** Position of `range` in pixels of the element; of its topmost part if its rows are apart. */
  boxOf(range: Range): Box {
    return this.positions.boxOf(this.toPositions(range)[0] ?? range);
  }

  /** Position of the cell, or of the merged range that contains it. */
  boxOfCell(cell: Cell): Box {
    return this.positions.boxOfCell(this.toPosition(cell));
  }

  /** The cell at a point of the grid's element. */
  cellAt(x: number, y: number): Cell {
    return this.toRow(this.positions.cellAt(x, y));
  }

  /** Displayed text of a cell; empty if the cell is not loaded. */
  textOf(cell: Cell): string {
    return this.positions.textOf(this.toPosition(cell));
  }

  /** The kind of a cell's value; `undefined` if the cell is not loaded. */
  kindOf(cell: Cell): ValueKind | undefined {
    return this.positions.kindOf(this.toPosition(cell));
  }

  /** Whether a loaded cell holds an error value. */
  isError(cell: Cell): boolean {
    return this.positions.isError(this.toPosition(cell));
  }

  /** The cell's note, validation, sparkline and other marks. */
  markOf(cell: Cell): CellMark | undefined {
    return this.positions.markOf(this.toPosition(cell));
  }

  /** Id of the cell's ARIA node; `undefined` if the cell is not visible. */
  ariaNodeId(cell: Cell): string | undefined {
    return this.positions.ariaNodeId(this.toPosition(cell));
  }
}

/** The rows from the first to the last of all ranges. */
function spanOf(ranges: readonly Range[]): Range {
  const add = (span: Range, { top, bottom }: Range): Range => ({ ...span, top: Math.min(span.top, top), bottom: Math.max(span.bottom, bottom) });
  return ranges.reduce(add, { top: ROWS_MAX, bottom: 0, left: 0, right: 0 });
}

/** The ranges with the one that contains `cell` last, as in a `Selection`. */
function withLast(ranges: readonly Range[], cell: Cell): readonly Range[] {
  const at = ranges.findLastIndex((range) => contains(range, cell));
  const last = ranges[at];
  return last ? [...ranges.slice(0, at), ...ranges.slice(at + 1), last] : ranges;
}

/**
 * Pointer input: translates presses, drags and double clicks of mouse, pen and touch into grid
 * actions.
 */

import { type Cell, COLUMNS_MAX, type Range, ROWS_MAX, sameCell, sameRange, span } from "./address.ts";
import { fillTarget, moved } from "./drag-target.ts";
import type { PositionGrid } from "./position-grid.ts";
import { hitTest, type Hit } from "./hit-test.ts";
import type { Dimension, GridListener, CellControl } from "./grid-listener.ts";
import type { Guide, ReferenceBox } from "./render-state.ts";
import {
  addSelection,
  currentRange,
  extendTo,
  selectAll,
  selectCell,
  selectColumns,
  selectRange,
  selectRows,
  type Selection,
} from "./selection.ts";
import { TouchGestures } from "./touch-gestures.ts";
import { cellAt, columnOffsetAt, rowOffsetAt, startX } from "./view.ts";

/** The drag in progress. */
type Drag =
  /** A press on a chip or star of a cell activates it, unless it was a drag. */
  | { readonly kind: "select"; readonly pressed?: { readonly cell: Cell; readonly control: CellControl } }
  | { readonly kind: "rows"; readonly first: number; readonly before: Selection | undefined }
  | { readonly kind: "columns"; readonly first: number; readonly before: Selection | undefined }
  /** Moves the selected rows or columns, dragged by the header `grip`. */
  | { readonly kind: "headers"; readonly dimension: Dimension; readonly first: number; readonly count: number; readonly grip: number }
  | { readonly kind: "fill"; readonly source: Range }
  | { readonly kind: "handle"; readonly fixed: Cell; readonly press: PointerEvent }
  | { readonly kind: "point"; readonly first: Cell }
  /** Moves or copies the selection; `grip` is the pressed cell. */
  | { readonly kind: "move"; readonly source: Range; readonly grip: Cell; copies: boolean }
  | { readonly kind: "reference"; readonly reference: ReferenceBox; readonly grip: Cell; range: Range }
  | { readonly kind: "referenceCorner"; readonly reference: ReferenceBox; readonly fixed: Cell; range: Range }
  | {
      readonly kind: "resize";
      readonly dimension: Dimension;
      readonly index: number;
      readonly startPx: number;
      readonly sizePx: number;
    };

/**
 * Distance from a control's centre, or from the cell's end, within which a press activates the
 * control.
 */
const CONTROL_RADIUS_PX = 18;
/** The same for a finger. */
const TOUCH_CONTROL_RADIUS_PX = 28;
/** A pointer that moves less than this does not drag. */
const DRAG_PX_MIN = 4;
/** Zoom per wheel pixel: one notch changes the zoom by about 10 %. */
const WHEEL_ZOOM = 0.001;
/** A second tap on the same cell within this time starts editing. */
const DOUBLE_TAP_MS = 400;
/** Pixels scrolled per frame for each pixel between pointer and edge. */
const AUTOSCROLL_SPEED = 0.4;
const AUTOSCROLL_PX_MAX = 60;
/** Minimum size of a row or column. */
export const SIZE_PX_MIN = 4;
/** Sizes are stored in 16 bits; larger rows and columns than a screen are of no use. */
export const SIZE_PX_MAX = 2_000;

/** Handles all pointer events of a grid until `dispose`. */
export class Pointer {
  private readonly grid: PositionGrid;
  private readonly listener: GridListener;
  private readonly controller = new AbortController();
  private drag: Drag | undefined;
  private x = 0;
  private y = 0;
  private pressedAt = { x: 0, y: 0 };
  /** Type of the last pointer that pressed. */
  private pressedBy = "";
  private frame = 0;
  private lastTap: { cell: Cell; atMs: number } | undefined;
  private readonly touches: TouchGestures;

  constructor(grid: PositionGrid, listener: GridListener) {
    this.grid = grid;
    this.listener = listener;
    const { element } = grid;
    const options = { signal: this.controller.signal };
    element.addEventListener("pointerdown", (event) => this.down(event), options);
    element.addEventListener("pointermove", (event) => this.move(event), options);
    element.addEventListener("pointerup", () => this.end(true), options);
    element.addEventListener("pointercancel", () => this.end(false), options);
    element.addEventListener("click", (event) => this.click(event), options);
    element.addEventListener("dblclick", (event) => this.doubleClick(event), options);
    element.addEventListener("contextmenu", (event) => this.contextMenu(event), options);
    element.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    // Keeps the focus in the editor's text field.
    element.addEventListener(
      "mousedown",
      (event) => {
        if (this.isOnCells(event)) {
          event.preventDefault();
        }
      },
      options,
    );
    this.touches = new TouchGestures(element, {
      isDragTarget: (clientX, clientY) => isHandle(this.hitAt(clientX, clientY, true)),
      zoom: () => grid.zoom,
      zoomed: (zoom) => listener.zoomRequested(zoom),
      longPressed: (clientX, clientY) => this.openMenu(clientX, clientY, true),
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.touches.dispose();
    this.controller.abort();
  }

  /** Whether the event is on cells or headers, not on a scrollbar or an overlay. */
  private isOnCells(event: MouseEvent): boolean {
    const target = event.target;
    if (!(target instanceof Element) || target.closest(".grid-overlay")) {
      return false;
    }
    const { x, y } = this.point(event.clientX, event.clientY);
    const box = this.grid.cellsBox;
    const isBesideScrollbar = this.grid.view.isRightToLeft ? x >= box.x : x < box.x + box.width;
    return isBesideScrollbar && y < box.y + box.height;
  }

  private point(clientX: number, clientY: number): { x: number; y: number } {
    const bounds = this.grid.element.getBoundingClientRect();
    return { x: clientX - bounds.left, y: clientY - bounds.top };
  }

  /** In Safari before 18.2, clicks are mouse events without a pointer type. */
  private isTouch(event: MouseEvent): boolean {
    return (event instanceof PointerEvent ? event.pointerType : this.pressedBy) === "touch";
  }

  private hitAt(clientX: number, clientY: number, isTouch: boolean): Hit {
    const { x, y } = this.point(clientX, clientY);
    return hitTest(this.grid.view, this.grid.hitTargets, x, y, isTouch);
  }

  private down(event: PointerEvent): void {
    this.pressedBy = event.pointerType;
    if (!this.isOnCells(event)) {
      return;
    }
    const isTouch = event.pointerType === "touch";
    this.grid.setTouch(isTouch);
    const { x, y } = this.point(event.clientX, event.clientY);
    this.x = x;
    this.y = y;
    const target = hitTest(this.grid.view, this.grid.hitTargets, x, y, isTouch);
    if (event.button === 2) {
      this.rightPress(target);
      return;
    }
    // Touch on cells scrolls natively; a tap arrives as a click event.
    if (event.button !== 0 || (isTouch && target.kind === "cell")) {
      return;
    }
    this.pressedAt = { x, y };
    this.drag = this.startDrag(target, event);
    if (this.drag) {
      this.grid.element.setPointerCapture(event.pointerId);
    }
  }

  private startDrag(pressed: Hit, event: PointerEvent): Drag | undefined {
    const { grid, listener } = this;
    // Shift extends the selection also on its frame.
    const target: Hit = pressed.kind === "selectionEdge" && event.shiftKey ? { ...pressed, kind: "cell" } : pressed;
    const { selection, view } = grid;
    const adds = event.ctrlKey || event.metaKey;
    if (target.kind === "cell" && listener.isPointing()) {
      const first = event.shiftKey ? selection.active : target.cell;
      this.pointTo(span(first, target.cell));
      return { kind: "point", first };
    }
    switch (target.kind) {
      case "cell": {
        listener.pressed();
        const control = event.shiftKey || adds ? undefined : this.partAt(target.cell, event);
        if (control !== undefined) {
          grid.select(selectCell(target.cell));
          return { kind: "select", pressed: { cell: target.cell, control } };
        }
        if (!event.shiftKey && this.pressControl(target.cell, event)) {
          return undefined;
        }
        if (event.shiftKey) {
          grid.select(extendTo(grid.selection, target.cell));
        } else if (adds) {
          grid.select(addSelection(grid.selection, selectCell(target.cell)));
        } else {
          grid.select(selectCell(target.cell));
        }
        return { kind: "select" };
      }
      case "corner":
        listener.pressed();
        grid.select(selectAll(), "none");
        return undefined;
      case "rowHeader": {
        listener.pressed();
        const headerDrag = adds || event.shiftKey ? undefined : this.draggableHeaders("rows", target.row);
        if (headerDrag) {
          return headerDrag;
        }
        const before = adds ? grid.selection : undefined;
        const first = event.shiftKey ? selection.anchor.row : target.row;
        this.selectHeaders({ kind: "rows", first, before }, target.row);
        return { kind: "rows", first, before };
      }
      case "columnHeader": {
        listener.pressed();
        const headerDrag = adds || event.shiftKey ? undefined : this.draggableHeaders("columns", target.column);
        if (headerDrag) {
          return headerDrag;
        }
        const before = adds ? grid.selection : undefined;
        const first = event.shiftKey ? selection.anchor.column : target.column;
        this.selectHeaders({ kind: "columns", first, before }, target.column);
        return { kind: "columns", first, before };
      }
      case "rowBorder":
        return {
          kind: "resize",
          dimension: "rows",
          index: target.row,
          startPx: this.y,
          sizePx: view.rows.size(target.row),
        };
      case "columnBorder":
        return {
          kind: "resize",
          dimension: "columns",
          index: target.column,
          startPx: this.x,
          sizePx: view.columns.size(target.column),
        };
      case "fillHandle":
        listener.pressed();
        return { kind: "fill", source: currentRange(selection) };
      case "selectionEdge":
        listener.pressed();
        return { kind: "move", source: currentRange(selection), grip: target.cell, copies: adds };
      case "referenceEdge":
        return { kind: "reference", reference: target.reference, grip: target.cell, range: target.reference.range };
      case "referenceCorner": {
        const { reference, fixed } = target;
        return { kind: "referenceCorner", reference, fixed, range: reference.range };
      }
      case "startHandle":
      case "endHandle": {
        listener.pressed();
        const range = currentRange(selection);
        const fixed =
          target.kind === "endHandle"
            ? { row: range.top, column: range.left }
            : { row: range.bottom, column: range.right };
        return { kind: "handle", fixed, press: event };
      }
    }
  }

  /** Activates the control at the press, if there is one, and returns whether there was. */
  private pressControl(cell: Cell, event: MouseEvent): boolean {
    const { grid, listener } = this;
    const control = this.controlAt(cell, event);
    if (!control) {
      return false;
    }
    grid.select(selectCell(cell));
    listener.controlPressed(cell, control);
    return true;
  }

  /** The chip or star of the cell under the event. */
  private partAt(cell: Cell, event: MouseEvent): CellControl | undefined {
    const { x, y } = this.point(event.clientX, event.clientY);
    const { top, left } = this.grid.mergedRangeAt(cell);
    return this.grid.partAt({ row: top, column: left }, x, y);
  }

  private controlAt(cell: Cell, event: MouseEvent): CellControl | undefined {
    const { grid } = this;
    const whole = grid.mergedRangeAt(cell);
    const mark = grid.markOf({ row: whole.top, column: whole.left });
    if (!mark) {
      return undefined;
    }
    // Ctrl opens links; other controls are pressed without it.
    if (event.ctrlKey || event.metaKey) {
      return mark.link === undefined ? undefined : "link";
    }
    const box = grid.boxOf(whole);
    const { x, y } = this.point(event.clientX, event.clientY);
    const reach = (this.isTouch(event) ? TOUCH_CONTROL_RADIUS_PX : CONTROL_RADIUS_PX) * grid.zoom;
    const fromEnd = grid.view.isRightToLeft ? x - box.x : box.x + box.width - x;
    const part = this.partAt(cell, event);
    if (part !== undefined) {
      // Stars are smaller than a finger.
      return part === "list" || !this.isTouch(event) ? part : "rating";
    }
    if ((mark.hasList || mark.isFiltering !== undefined) && fromEnd < reach) {
      return mark.hasList ? "list" : "filter";
    }
    if (mark.control === "button") {
      return "button";
    }
    const isNearMiddle = Math.abs(x - box.x - box.width / 2) < reach && Math.abs(y - box.y - box.height / 2) < reach;
    if (mark.isChecked !== undefined && isNearMiddle) {
      return "checkbox";
    }
    return undefined;
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.point(event.clientX, event.clientY);
    this.x = x;
    this.y = y;
    if (this.drag) {
      this.continueDrag();
      this.autoscroll();
    } else if (event.pointerType !== "touch") {
      this.grid.showNamesAt(cellAt(this.grid.view, x, y));
      this.showCursor(hitTest(this.grid.view, this.grid.hitTargets, x, y, false));
    }
  }

  private continueDrag(): void {
    const { drag, grid } = this;
    if (!drag) {
      return;
    }
    const { view } = grid;
    const cell = cellAt(view, this.x, this.y);
    switch (drag.kind) {
      case "select":
        if (!sameCell(cell, grid.selection.head)) {
          grid.select(extendTo(grid.selection, cell), "none");
        }
        break;
      case "rows":
        this.selectHeaders(drag, cell.row);
        break;
      case "columns":
        this.selectHeaders(drag, cell.column);
        break;
      case "handle": {
        const active = grid.selection.active;
        const range = span(drag.fixed, cell);
        grid.select({ active, anchor: drag.fixed, head: cell, ranges: [range] }, "none");
        break;
      }
      case "point":
        this.pointTo(span(drag.first, cell));
        break;
      case "headers":
        grid.setGuide(this.isDragged() ? this.gapGuide(drag.dimension) : undefined);
        break;
      case "fill":
        grid.setTarget(fillTarget(drag.source, cell));
        break;
      case "move":
        grid.setTarget(moved(drag.source, drag.grip, cell));
        break;
      case "reference":
        this.dragReference(drag, moved(drag.reference.range, drag.grip, cell), false);
        break;
      case "referenceCorner":
        this.dragReference(drag, span(drag.fixed, cell), false);
        break;
      case "resize":
        grid.setGuide({ dimension: drag.dimension, atPx: drag.dimension === "rows" ? this.y : this.x });
        break;
    }
  }

  private end(isDone: boolean): void {
    const { drag, grid } = this;
    this.drag = undefined;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!drag) {
      return;
    }
    if (drag.kind === "select" && drag.pressed && isDone && !this.isDragged()) {
      this.listener.controlPressed(drag.pressed.cell, drag.pressed.control);
    } else if (drag.kind === "fill") {
      const target = fillTarget(drag.source, cellAt(grid.view, this.x, this.y));
      grid.setTarget(undefined);
      // The handle overlaps the cell below: a press without a drag fills nothing.
      if (isDone && target && this.isDragged()) {
        this.listener.filled(drag.source, target);
      }
    } else if (drag.kind === "move") {
      const target = moved(drag.source, drag.grip, cellAt(grid.view, this.x, this.y));
      grid.setTarget(undefined);
      if (isDone && !sameRange(target, drag.source)) {
        this.listener.moved(drag.source, target, drag.copies);
      } else if (isDone) {
        // A press without a drag selects the cell.
        grid.select(selectCell(drag.grip));
      }
    } else if (drag.kind === "reference" || drag.kind === "referenceCorner") {
      this.listener.referenceDragged(drag.reference, isDone ? drag.range : drag.reference.range, true);
    } else if (drag.kind === "resize") {
      grid.setGuide(undefined);
      const { isRightToLeft, zoom } = grid.view;
      const at = drag.dimension === "rows" ? this.y : this.x;
      const growthPx = drag.dimension === "columns" && isRightToLeft ? drag.startPx - at : at - drag.startPx;
      if (isDone && growthPx !== 0) {
        this.resize(drag.dimension, drag.index, (drag.sizePx + growthPx) / zoom);
      }
    } else if (drag.kind === "headers") {
      grid.setGuide(undefined);
      const { dimension, first, count, grip } = drag;
      const { to } = this.gap(dimension);
      if (isDone && !this.isDragged()) {
        grid.select(dimension === "rows" ? selectRows(grip, grip) : selectColumns(grip, grip), "none");
      } else if (isDone && (to < first || to > first + count)) {
        this.listener.dimensionMoved(dimension, first, count, to);
      }
    } else if (drag.kind === "handle" && isDone && !this.isDragged() && this.pressControl(cellAt(grid.view, this.x, this.y), drag.press)) {
      // The touch handles of a small cell cover it: a tap on them activates the cell's control.
    } else if (drag.kind === "handle") {
      // As with the mouse, the first cell of the range becomes the active cell.
      const range = currentRange(grid.selection);
      grid.select(selectRange(range), "none");
    }
  }

  private isDragged(): boolean {
    return Math.hypot(this.x - this.pressedAt.x, this.y - this.pressedAt.y) > DRAG_PX_MIN;
  }

  private dragReference(drag: Drag & { kind: "reference" | "referenceCorner" }, range: Range, isDone: boolean): void {
    if (!sameRange(range, drag.range)) {
      drag.range = range;
      this.listener.referenceDragged(drag.reference, range, isDone);
    }
  }

  /** Resizes the row or column, and all others that are selected with it. */
  private resize(dimension: Dimension, index: number, sizePx: number): void {
    const size = Math.round(Math.max(SIZE_PX_MIN, Math.min(sizePx, SIZE_PX_MAX)));
    const [first, count] = this.selectedWith(dimension, index);
    this.listener.resized(dimension, first, count, size);
  }

  /** The selected rows or columns that include `index`, or only `index` if it is not selected. */
  private selectedWith(dimension: Dimension, index: number): [first: number, count: number] {
    const range = this.grid.selection.ranges.find((candidate) =>
      dimension === "rows"
        ? candidate.left === 0 &&
          candidate.right === COLUMNS_MAX - 1 &&
          index >= candidate.top &&
          index <= candidate.bottom
        : candidate.top === 0 &&
          candidate.bottom === ROWS_MAX - 1 &&
          index >= candidate.left &&
          index <= candidate.right,
    );
    if (!range) {
      return [index, 1];
    }
    return dimension === "rows"
      ? [range.top, range.bottom - range.top + 1]
      : [range.left, range.right - range.left + 1];
  }

  private selectHeaders(drag: Drag & { kind: "rows" | "columns" }, last: number): void {
    const selected = drag.kind === "rows" ? selectRows(drag.first, last) : selectColumns(drag.first, last);
    this.grid.select(drag.before ? addSelection(drag.before, selected) : selected, "none");
  }

  /**
   * The drag that moves the selected rows or columns, if `grip` is one of them and they are the
   * only selection.
   */
  private draggableHeaders(dimension: Dimension, grip: number): (Drag & { kind: "headers" }) | undefined {
    const { ranges } = this.grid.selection;
    const [range] = ranges;
    if (!range || ranges.length > 1) {
      return undefined;
    }
    const isAcross = range.left === 0 && range.right === COLUMNS_MAX - 1;
    const isDown = range.top === 0 && range.bottom === ROWS_MAX - 1;
    const isSelected = dimension === "rows" ? isAcross && !isDown : isDown && !isAcross;
    const [first, last] = dimension === "rows" ? [range.top, range.bottom] : [range.left, range.right];
    return isSelected && first <= grip && grip <= last
      ? { kind: "headers", dimension, first, count: last - first + 1, grip }
      : undefined;
  }

  /**
   * The nearest border between rows or columns: the index after it, and its distance from the
   * pointer.
   */
  private gap(dimension: Dimension): { readonly to: number; readonly distancePx: number } {
    const { view } = this.grid;
    const [axis, offset] =
      dimension === "rows" ? [view.rows, rowOffsetAt(view, this.y)] : [view.columns, columnOffsetAt(view, this.x)];
    const index = Math.min(axis.indexAt(offset), axis.count - 1);
    const to = offset - axis.offset(index) > axis.size(index) / 2 ? index + 1 : index;
    return { to, distancePx: axis.offset(to) - offset };
  }

  private gapGuide(dimension: Dimension): Guide {
    const { distancePx } = this.gap(dimension);
    if (dimension === "rows") {
      return { dimension, atPx: this.y + distancePx };
    }
    return { dimension, atPx: this.grid.view.isRightToLeft ? this.x - distancePx : this.x + distancePx };
  }

  private pointTo(range: Range): void {
    this.grid.setTarget(range);
    this.listener.pointed(range);
  }

  private click(event: MouseEvent): void {
    // Touch only: mouse presses were handled on pointerdown.
    if (!this.isTouch(event) || !this.isOnCells(event)) {
      return;
    }
    const target = this.hitAt(event.clientX, event.clientY, true);
    if (target.kind !== "cell") {
      return;
    }
    if (this.listener.isPointing()) {
      this.pointTo(span(target.cell, target.cell));
      return;
    }
    const isSecond =
      this.lastTap && sameCell(this.lastTap.cell, target.cell) && event.timeStamp - this.lastTap.atMs < DOUBLE_TAP_MS;
    // A third tap is the first one of another double tap.
    this.lastTap = isSecond ? undefined : { cell: target.cell, atMs: event.timeStamp };
    this.listener.pressed();
    if (this.pressControl(target.cell, event)) {
      return;
    }
    this.grid.select(selectCell(target.cell), "none");
    if (isSecond) {
      this.listener.editRequested(target.cell);
    }
  }

  private doubleClick(event: MouseEvent): void {
    if (!this.isOnCells(event)) {
      return;
    }
    const target = this.hitAt(event.clientX, event.clientY, false);
    const isCell = target.kind === "cell" || target.kind === "selectionEdge";
    if (isCell && this.partAt(target.cell, event) !== undefined) {
      return; // The presses have activated it.
    }
    if (isCell && !this.listener.isPointing()) {
      this.listener.editRequested(target.cell);
    } else if (target.kind === "fillHandle") {
      this.listener.fillDownWanted(currentRange(this.grid.selection));
    } else if (target.kind === "columnBorder") {
      this.fitOrShow("columns", target.column);
    } else if (target.kind === "rowBorder") {
      this.fitOrShow("rows", target.row);
    }
  }

  /**
   * A double click on a border unhides the rows or columns after it, or else fits the size to the
   * content.
   */
  private fitOrShow(dimension: Dimension, index: number): void {
    const axis = dimension === "rows" ? this.grid.view.rows : this.grid.view.columns;
    const next = axis.isHidden(index) ? index : index + 1;
    if (next < axis.count && axis.isHidden(next)) {
      const first = axis.nextVisible(next, -1) + (axis.isHidden(axis.nextVisible(next, -1)) ? 0 : 1);
      const last = axis.nextVisible(next, 1) - (axis.isHidden(axis.nextVisible(next, 1)) ? 0 : 1);
      this.listener.unhideRequested(dimension, Math.min(first, next), Math.max(1, last - Math.min(first, next) + 1));
      return;
    }
    this.listener.autoFitRequested(dimension, ...this.selectedWith(dimension, index));
  }

  /** A right click outside the selection first selects the cell or header that it hit. */
  private rightPress(target: Hit): void {
    const { grid } = this;
    const { ranges } = grid.selection;
    const isSelected = (row: number, column: number): boolean =>
      ranges.some(
        (range) => row >= range.top && row <= range.bottom && column >= range.left && column <= range.right,
      );
    this.listener.pressed();
    if (target.kind === "cell" && !isSelected(target.cell.row, target.cell.column)) {
      grid.select(selectCell(target.cell));
    } else if (target.kind === "rowHeader" && !(isSelected(target.row, 0) && isSelected(target.row, COLUMNS_MAX - 1))) {
      grid.select(selectRows(target.row, target.row), "none");
    } else if (target.kind === "columnHeader" && !(isSelected(0, target.column) && isSelected(ROWS_MAX - 1, target.column))) {
      grid.select(selectColumns(target.column, target.column), "none");
    }
  }

  private contextMenu(event: MouseEvent): void {
    if (!this.isOnCells(event)) {
      return;
    }
    event.preventDefault();
    const isTouch = this.isTouch(event);
    // Not all browsers report a long press by this event.
    if (!isTouch || this.touches.startLongPress()) {
      this.openMenu(event.clientX, event.clientY, isTouch);
    }
  }

  private openMenu(clientX: number, clientY: number, isTouch: boolean): void {
    const target = this.hitAt(clientX, clientY, false);
    if (isTouch) {
      this.rightPress(target);
    }
    this.listener.contextMenuRequested(clientX, clientY, target);
  }

  /** Zooms with Ctrl, and scrolls over headers, where the scroll container gets no wheel events. */
  private wheel(event: WheelEvent): void {
    const { grid } = this;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.listener.zoomRequested(grid.zoom * Math.exp(-event.deltaY * WHEEL_ZOOM));
      return;
    }
    const { x, y } = this.point(event.clientX, event.clientY);
    if (startX(grid.view, x) < grid.view.rowHeaderWidthPx || y < grid.view.columnHeaderHeightPx) {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      grid.scrollBy(event.deltaY * unit, (grid.view.isRightToLeft ? -event.deltaX : event.deltaX) * unit);
    }
  }

  /** Scrolls while a drag is outside the cells, faster with the distance. */
  private autoscroll(): void {
    if (this.frame !== 0 || !this.drag || this.drag.kind === "resize") {
      return;
    }
    const box = this.grid.cellsBox;
    const beyond = (at: number, low: number, high: number): number => {
      const distance = at < low ? at - low : at > high ? at - high : 0;
      return Math.max(-AUTOSCROLL_PX_MAX, Math.min(AUTOSCROLL_PX_MAX, distance * AUTOSCROLL_SPEED));
    };
    const scrollX = this.drag.kind === "rows" ? 0 : beyond(this.x, box.x, box.x + box.width - 1);
    const scrollY = this.drag.kind === "columns" ? 0 : beyond(this.y, box.y, box.y + box.height - 1);
    if (scrollX === 0 && scrollY === 0) {
      return;
    }
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.grid.scrollBy(scrollY, this.grid.view.isRightToLeft ? -scrollX : scrollX);
      this.continueDrag();
      this.autoscroll();
    });
  }

  private showCursor(target: Hit): void {
    this.grid.element.dataset["cursor"] = target.kind;
  }
}

function isHandle(target: Hit): boolean {
  return target.kind === "startHandle" || target.kind === "endHandle";
}

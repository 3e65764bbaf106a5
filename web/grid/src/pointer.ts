/** Mouse, pen and finger on the grid: what a press, a drag and a double press mean. */

import { type Cell, clampCell, COLUMNS_MAX, type Range, ROWS_MAX, sameCell, sameRange, span } from "./address.ts";
import type { Grid } from "./grid.ts";
import { hit, type Hit } from "./hit.ts";
import type { Dimension, GridListener, Pressable } from "./listener.ts";
import type { Guide, ReferenceBox } from "./scene.ts";
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
import { Touches } from "./touches.ts";
import { cellAt, COLUMN_HEADER_HEIGHT_PX, columnOffsetAt, rowOffsetAt, startX } from "./view.ts";

type Drag =
  | { readonly kind: "select" }
  | { readonly kind: "rows"; readonly first: number; readonly before: Selection | undefined }
  | { readonly kind: "columns"; readonly first: number; readonly before: Selection | undefined }
  /** Selected ones, taken by a header. */
  | { readonly kind: "lines"; readonly dimension: Dimension; readonly first: number; readonly count: number; readonly grip: number }
  | { readonly kind: "fill"; readonly source: Range }
  | { readonly kind: "handle"; readonly fixed: Cell; readonly press: PointerEvent }
  | { readonly kind: "point"; readonly first: Cell }
  /** From `grip` within the source. */
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

/** How near to a mark's middle, or to the cell's end where marks are, a press is on it. */
const MARK_REACH_PX = 18;
/** The same for a finger. */
const TOUCH_MARK_REACH_PX = 28;
/** A press that moves less is none the less a press. */
const DRAG_PX_MIN = 4;
/** A notch of a wheel is a step of about a tenth. */
const WHEEL_ZOOM = 0.001;
/** A second tap within this time edits. */
const DOUBLE_TAP_MS = 400;
/** Pixels scrolled per frame for each pixel that the pointer is beyond the edge. */
const AUTOSCROLL_SPEED = 0.4;
const AUTOSCROLL_PX_MAX = 60;
const ROW_SIZE_PX_MIN = 4;
/** Sizes are stored in 16 bits; nobody wants a row wider than a screen. */
const SIZE_PX_MAX = 2_000;

export class Pointer {
  private readonly grid: Grid;
  private readonly listener: GridListener;
  private readonly controller = new AbortController();
  private drag: Drag | undefined;
  private x = 0;
  private y = 0;
  private pressedAt = { x: 0, y: 0 };
  private frame = 0;
  private lastTap: { cell: Cell; atMs: number } | undefined;
  private readonly touches: Touches;

  constructor(grid: Grid, listener: GridListener) {
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
    // Focus stays in the editor's text field.
    element.addEventListener(
      "mousedown",
      (event) => {
        if (this.isMine(event)) {
          event.preventDefault();
        }
      },
      options,
    );
    this.touches = new Touches(element, {
      isHeld: (clientX, clientY) => isHandle(this.hitAt(clientX, clientY, true)),
      zoom: () => grid.zoom,
      zoomed: (zoom) => listener.zoomWanted(zoom),
      held: (clientX, clientY) => this.openMenu(clientX, clientY, true),
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.touches.dispose();
    this.controller.abort();
  }

  /** Not a scrollbar and not something that lies over the grid. */
  private isMine(event: MouseEvent): boolean {
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

  private hitAt(clientX: number, clientY: number, isTouch: boolean): Hit {
    const { x, y } = this.point(clientX, clientY);
    return hit(this.grid.view, this.grid.holds, x, y, isTouch);
  }

  private down(event: PointerEvent): void {
    if (!this.isMine(event)) {
      return;
    }
    const isTouch = event.pointerType === "touch";
    this.grid.setTouch(isTouch);
    const { x, y } = this.point(event.clientX, event.clientY);
    this.x = x;
    this.y = y;
    const found = hit(this.grid.view, this.grid.holds, x, y, isTouch);
    if (event.button === 2) {
      this.rightPress(found);
      return;
    }
    // A finger on the cells scrolls them; a tap arrives as a click.
    if (event.button !== 0 || (isTouch && found.kind === "cell")) {
      return;
    }
    this.pressedAt = { x, y };
    this.drag = this.startDrag(found, event);
    if (this.drag) {
      this.grid.element.setPointerCapture(event.pointerId);
    }
  }

  private startDrag(pressed: Hit, event: PointerEvent): Drag | undefined {
    const { grid, listener } = this;
    // Whoever extends the selection does not take hold of its frame.
    const found: Hit = pressed.kind === "selectionEdge" && event.shiftKey ? { ...pressed, kind: "cell" } : pressed;
    const { selection, view } = grid;
    const adds = event.ctrlKey || event.metaKey;
    if (found.kind === "cell" && listener.isPointing()) {
      const first = event.shiftKey ? selection.active : found.cell;
      this.pointTo(span(first, found.cell));
      return { kind: "point", first };
    }
    switch (found.kind) {
      case "cell":
        listener.pressed();
        if (!event.shiftKey && this.pressMark(found.cell, event)) {
          return undefined;
        }
        if (event.shiftKey) {
          grid.select(extendTo(grid.selection, found.cell));
        } else if (adds) {
          grid.select(addSelection(grid.selection, selectCell(found.cell)));
        } else {
          grid.select(selectCell(found.cell));
        }
        return { kind: "select" };
      case "corner":
        listener.pressed();
        grid.select(selectAll(), "none");
        return undefined;
      case "rowHeader": {
        listener.pressed();
        const held = adds || event.shiftKey ? undefined : this.heldLines("rows", found.row);
        if (held) {
          return held;
        }
        const before = adds ? grid.selection : undefined;
        const first = event.shiftKey ? selection.anchor.row : found.row;
        this.selectLines({ kind: "rows", first, before }, found.row);
        return { kind: "rows", first, before };
      }
      case "columnHeader": {
        listener.pressed();
        const held = adds || event.shiftKey ? undefined : this.heldLines("columns", found.column);
        if (held) {
          return held;
        }
        const before = adds ? grid.selection : undefined;
        const first = event.shiftKey ? selection.anchor.column : found.column;
        this.selectLines({ kind: "columns", first, before }, found.column);
        return { kind: "columns", first, before };
      }
      case "rowBorder":
        return {
          kind: "resize",
          dimension: "rows",
          index: found.row,
          startPx: this.y,
          sizePx: view.rows.size(found.row),
        };
      case "columnBorder":
        return {
          kind: "resize",
          dimension: "columns",
          index: found.column,
          startPx: this.x,
          sizePx: view.columns.size(found.column),
        };
      case "fillHandle":
        listener.pressed();
        return { kind: "fill", source: currentRange(selection) };
      case "selectionEdge":
        listener.pressed();
        return { kind: "move", source: currentRange(selection), grip: found.cell, copies: adds };
      case "referenceEdge":
        return { kind: "reference", reference: found.reference, grip: found.cell, range: found.reference.range };
      case "referenceCorner": {
        const { reference, fixed } = found;
        return { kind: "referenceCorner", reference, fixed, range: reference.range };
      }
      case "startHandle":
      case "endHandle": {
        listener.pressed();
        const range = currentRange(selection);
        const fixed =
          found.kind === "endHandle"
            ? { row: range.top, column: range.left }
            : { row: range.bottom, column: range.right };
        return { kind: "handle", fixed, press: event };
      }
    }
  }

  /** A box to check, an arrow, a link: whether the press was on one. */
  private pressMark(cell: Cell, event: MouseEvent): boolean {
    const { grid, listener } = this;
    const what = this.markAt(cell, event);
    if (!what) {
      return false;
    }
    grid.select(selectCell(cell));
    listener.cellPressed(cell, what);
    return true;
  }

  private markAt(cell: Cell, event: MouseEvent): Pressable | undefined {
    const { grid } = this;
    const whole = grid.wholeOf(cell);
    const mark = grid.markOf({ row: whole.top, column: whole.left });
    if (!mark) {
      return undefined;
    }
    // Links are followed with Ctrl, which otherwise selects more cells; everything else is pressed without.
    if (event.ctrlKey || event.metaKey) {
      return mark.link === undefined ? undefined : "link";
    }
    const box = grid.boxOf(whole);
    const { x, y } = this.point(event.clientX, event.clientY);
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    const reach = (isTouch ? TOUCH_MARK_REACH_PX : MARK_REACH_PX) * grid.zoom;
    const fromEnd = grid.view.isRightToLeft ? x - box.x : box.x + box.width - x;
    if ((mark.hasList || mark.isFiltering !== undefined) && fromEnd < reach) {
      return mark.hasList ? "list" : "filter";
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
      this.grid.nameOthersAt(cellAt(this.grid.view, x, y));
      this.showCursor(hit(this.grid.view, this.grid.holds, x, y, false));
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
        this.selectLines(drag, cell.row);
        break;
      case "columns":
        this.selectLines(drag, cell.column);
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
      case "lines":
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
    if (drag.kind === "fill") {
      const target = fillTarget(drag.source, cellAt(grid.view, this.x, this.y));
      grid.setTarget(undefined);
      // The handle reaches over the cell's corner: a press on it alone is on the next cell.
      if (isDone && target && this.isDragged()) {
        this.listener.filled(drag.source, target);
      }
    } else if (drag.kind === "move") {
      const target = moved(drag.source, drag.grip, cellAt(grid.view, this.x, this.y));
      grid.setTarget(undefined);
      if (isDone && !sameRange(target, drag.source)) {
        this.listener.moved(drag.source, target, drag.copies);
      } else if (isDone) {
        // Not dragged: the press was on a cell.
        grid.select(selectCell(drag.grip));
      }
    } else if (drag.kind === "reference" || drag.kind === "referenceCorner") {
      this.listener.referenceDragged(drag.reference, isDone ? drag.range : drag.reference.range, true);
    } else if (drag.kind === "resize") {
      grid.setGuide(undefined);
      const { isRightToLeft, zoom } = grid.view;
      const at = drag.dimension === "rows" ? this.y : this.x;
      const grown = drag.dimension === "columns" && isRightToLeft ? drag.startPx - at : at - drag.startPx;
      if (isDone && grown !== 0) {
        this.resize(drag.dimension, drag.index, (drag.sizePx + grown) / zoom);
      }
    } else if (drag.kind === "lines") {
      grid.setGuide(undefined);
      const { dimension, first, count, grip } = drag;
      const { to } = this.gap(dimension);
      if (isDone && !this.isDragged()) {
        grid.select(dimension === "rows" ? selectRows(grip, grip) : selectColumns(grip, grip), "none");
      } else if (isDone && (to < first || to > first + count)) {
        this.listener.linesDragged(dimension, first, count, to);
      }
    } else if (drag.kind === "handle" && isDone && !this.isDragged() && this.pressMark(cellAt(grid.view, this.x, this.y), drag.press)) {
      // Around a small cell the handles lie over all of it: a tap is for what the cell has to press.
    } else if (drag.kind === "handle") {
      // Ranges made by finger type into their first cell, as those made by mouse.
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

  /** A border of one of several selected rows or columns resizes them all. */
  private resize(dimension: Dimension, index: number, sizePx: number): void {
    const size = Math.round(Math.max(ROW_SIZE_PX_MIN, Math.min(sizePx, SIZE_PX_MAX)));
    const [first, count] = this.linesWith(dimension, index);
    this.listener.resized(dimension, first, count, size);
  }

  private linesWith(dimension: Dimension, index: number): [first: number, count: number] {
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

  private selectLines(drag: Drag & { kind: "rows" | "columns" }, last: number): void {
    const lines = drag.kind === "rows" ? selectRows(drag.first, last) : selectColumns(drag.first, last);
    this.grid.select(drag.before ? addSelection(drag.before, lines) : lines, "none");
  }

  /** A header of what alone is selected is taken hold of, unless everything is. */
  private heldLines(dimension: Dimension, grip: number): (Drag & { kind: "lines" }) | undefined {
    const { ranges } = this.grid.selection;
    const [range] = ranges;
    if (!range || ranges.length > 1) {
      return undefined;
    }
    const isAcross = range.left === 0 && range.right === COLUMNS_MAX - 1;
    const isDown = range.top === 0 && range.bottom === ROWS_MAX - 1;
    const isHeld = dimension === "rows" ? isAcross && !isDown : isDown && !isAcross;
    const [first, last] = dimension === "rows" ? [range.top, range.bottom] : [range.left, range.right];
    return isHeld && first <= grip && grip <= last
      ? { kind: "lines", dimension, first, count: last - first + 1, grip }
      : undefined;
  }

  /** The border between lines that is nearest to the pointer: the line behind it, and how far it is. */
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
    // Only fingers: mouse presses were handled when they went down.
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch" || !this.isMine(event)) {
      return;
    }
    const found = this.hitAt(event.clientX, event.clientY, true);
    if (found.kind !== "cell") {
      return;
    }
    if (this.listener.isPointing()) {
      this.pointTo(span(found.cell, found.cell));
      return;
    }
    const isSecond =
      this.lastTap && sameCell(this.lastTap.cell, found.cell) && event.timeStamp - this.lastTap.atMs < DOUBLE_TAP_MS;
    this.lastTap = { cell: found.cell, atMs: event.timeStamp };
    this.listener.pressed();
    if (this.pressMark(found.cell, event)) {
      return;
    }
    this.grid.select(selectCell(found.cell), "none");
    if (isSecond) {
      this.listener.editWanted(found.cell);
    }
  }

  private doubleClick(event: MouseEvent): void {
    if (!this.isMine(event)) {
      return;
    }
    const found = this.hitAt(event.clientX, event.clientY, false);
    if ((found.kind === "cell" || found.kind === "selectionEdge") && !this.listener.isPointing()) {
      this.listener.editWanted(found.cell);
    } else if (found.kind === "fillHandle") {
      this.listener.fillDownWanted(currentRange(this.grid.selection));
    } else if (found.kind === "columnBorder") {
      this.fitOrShow("columns", found.column);
    } else if (found.kind === "rowBorder") {
      this.fitOrShow("rows", found.row);
    }
  }

  /** Behind a border, lines may be hidden: a double press brings them back before it fits sizes. */
  private fitOrShow(dimension: Dimension, index: number): void {
    const axis = dimension === "rows" ? this.grid.view.rows : this.grid.view.columns;
    const next = axis.isHidden(index) ? index : index + 1;
    if (next < axis.count && axis.isHidden(next)) {
      const first = axis.shownFrom(next, -1) + (axis.isHidden(axis.shownFrom(next, -1)) ? 0 : 1);
      const last = axis.shownFrom(next, 1) - (axis.isHidden(axis.shownFrom(next, 1)) ? 0 : 1);
      this.listener.showWanted(dimension, Math.min(first, next), Math.max(1, last - Math.min(first, next) + 1));
      return;
    }
    this.listener.fitWanted(dimension, ...this.linesWith(dimension, index));
  }

  /** A press outside the selection selects what it hit before the menu opens. */
  private rightPress(found: Hit): void {
    const { grid } = this;
    const { ranges } = grid.selection;
    const holds = (row: number, column: number): boolean =>
      ranges.some(
        (range) => row >= range.top && row <= range.bottom && column >= range.left && column <= range.right,
      );
    this.listener.pressed();
    if (found.kind === "cell" && !holds(found.cell.row, found.cell.column)) {
      grid.select(selectCell(found.cell));
    } else if (found.kind === "rowHeader" && !(holds(found.row, 0) && holds(found.row, COLUMNS_MAX - 1))) {
      grid.select(selectRows(found.row, found.row), "none");
    } else if (found.kind === "columnHeader" && !(holds(0, found.column) && holds(ROWS_MAX - 1, found.column))) {
      grid.select(selectColumns(found.column, found.column), "none");
    }
  }

  private contextMenu(event: MouseEvent): void {
    if (!this.isMine(event)) {
      return;
    }
    event.preventDefault();
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    // Some browsers tell of a finger that is held down by this event, some not at all.
    if (!isTouch || this.touches.takeHold()) {
      this.openMenu(event.clientX, event.clientY, isTouch);
    }
  }

  private openMenu(clientX: number, clientY: number, isTouch: boolean): void {
    const found = this.hitAt(clientX, clientY, false);
    if (isTouch) {
      this.rightPress(found);
    }
    this.listener.menuWanted(clientX, clientY, found);
  }

  /** Over the headers the scroller does not hear the wheel; with Ctrl it zooms. */
  private wheel(event: WheelEvent): void {
    const { grid } = this;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.listener.zoomWanted(grid.zoom * Math.exp(-event.deltaY * WHEEL_ZOOM));
      return;
    }
    const { x, y } = this.point(event.clientX, event.clientY);
    if (startX(grid.view, x) < grid.view.rowHeaderWidthPx || y < COLUMN_HEADER_HEIGHT_PX) {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      grid.scrollBy(event.deltaY * unit, (grid.view.isRightToLeft ? -event.deltaX : event.deltaX) * unit);
    }
  }

  /** Scrolls while a drag is beyond the edge, faster the further it is. */
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

  private showCursor(found: Hit): void {
    this.grid.element.dataset["cursor"] = found.kind;
  }
}

function isHandle(found: Hit): boolean {
  return found.kind === "startHandle" || found.kind === "endHandle";
}

/** The source stretched to `cell` along the direction in which it is further away. */
export function fillTarget(source: Range, cell: Cell): Range | undefined {
  const down = Math.max(0, cell.row - source.bottom);
  const up = Math.max(0, source.top - cell.row);
  const right = Math.max(0, cell.column - source.right);
  const left = Math.max(0, source.left - cell.column);
  const furthest = Math.max(down, up, right, left);
  if (furthest === 0) {
    return undefined;
  }
  if (furthest === down) {
    return { ...source, bottom: cell.row };
  }
  if (furthest === up) {
    return { ...source, top: cell.row };
  }
  return furthest === right ? { ...source, right: cell.column } : { ...source, left: cell.column };
}

/** The source, moved as far as the pointer from where it took hold; within the sheet. */
export function moved(source: Range, grip: Cell, to: Cell): Range {
  const height = source.bottom - source.top;
  const width = source.right - source.left;
  const corner = clampCell(source.top + to.row - grip.row, source.left + to.column - grip.column);
  const top = Math.min(corner.row, ROWS_MAX - 1 - height);
  const left = Math.min(corner.column, COLUMNS_MAX - 1 - width);
  return { top, left, bottom: top + height, right: left + width };
}

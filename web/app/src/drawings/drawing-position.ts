/**
 * Positions of drawings. An item stores its anchor cell and an offset from its corner, in CSS
 * pixels at zoom 1.
 */

import { type Cell, cellName, parseRange } from "@quadrille/grid";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** A rectangle in CSS pixels of the grid element. */
export interface DrawingPosition {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The cell that an item is anchored to. */
export function anchorOf(item: ItemDetails): Cell | undefined {
  const range = parseRange(item.anchors[0] ?? "");
  return range && { row: range.top, column: range.left };
}

function numberField(item: ItemDetails, field: string): number | undefined {
  const value = item.fields[field];
  return typeof value === "number" ? value : undefined;
}

/**
 * The position of an item; in a right-to-left sheet it starts at the right edge of the anchor cell.
 * `undefined` when the item has no anchor.
 */
export function positionOf(model: WorkbookModel, item: ItemDetails, defaultSize: Size): DrawingPosition | undefined {
  const cell = anchorOf(item);
  const box = cell && model.cellBox(cell)?.box;
  if (!box) {
    return undefined;
  }
  const zoom = model.zoom();
  const width = (numberField(item, "width") ?? defaultSize.width) * zoom;
  const height = (numberField(item, "height") ?? defaultSize.height) * zoom;
  const offsetX = (numberField(item, "offsetX") ?? 0) * zoom;
  const x = isRightToLeft(model) ? box.x + box.width - offsetX - width : box.x + offsetX;
  return { x, y: box.y + (numberField(item, "offsetY") ?? 0) * zoom, width, height };
}

/** Whether the current sheet is right-to-left. */
export function isRightToLeft(model: WorkbookModel): boolean {
  return model.grid?.view.isRightToLeft === true;
}

/**
 * The anchor and fields for an item at a position; `undefined` when there is no cell. With `row` the
 * anchor stays in this row if the item is below its top.
 */
export function anchorFor(
  model: WorkbookModel,
  { x, y, width, height }: DrawingPosition,
  row?: number,
): { readonly anchors: string[]; readonly fields: Record<string, ItemValue> } | undefined {
  const startX = isRightToLeft(model) ? x + width - 1 : x;
  const below = model.grid?.cellAt(startX, y);
  const kept = below && row !== undefined ? { row, column: below.column } : undefined;
  const isKept = kept !== undefined && (model.grid?.boxOfCell(kept)?.y ?? Number.POSITIVE_INFINITY) <= y;
  const anchor = isKept ? kept : below;
  const box = anchor && model.grid?.boxOfCell(anchor);
  if (!anchor || !box) {
    return undefined;
  }
  const px = (screenPx: number): number => Math.max(0, Math.round(screenPx / model.zoom()));
  const offsetX = isRightToLeft(model) ? box.x + box.width - x - width : x - box.x;
  return {
    anchors: [cellName(anchor)],
    fields: { offsetX: px(offsetX), offsetY: px(y - box.y), width: px(width), height: px(height) },
  };
}

/** Whether two positions differ by less than a pixel. */
export function isSamePosition(a: DrawingPosition, b: DrawingPosition): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 1;
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height);
}

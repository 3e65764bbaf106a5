/** Where things lie that are drawn over the cells: from a corner of their first cell on, in pixels of the sheet at zoom 1. */

import { type Cell, cellName, parseRange } from "@quadrille/grid";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** In pixels of the grid's element. */
export interface DrawingPosition {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export function anchorOf(item: ItemDetails): Cell | undefined {
  const range = parseRange(item.anchors[0] ?? "");
  return range && { row: range.top, column: range.left };
}

function numberOf(item: ItemDetails, field: string): number | undefined {
  const value = item.fields[field];
  return typeof value === "number" ? value : undefined;
}

/** In a sheet from right to left it begins at the cell's right edge. */
export function positionOf(model: WorkbookModel, item: ItemDetails, usual: Size): DrawingPosition | undefined {
  const cell = anchorOf(item);
  const box = cell && model.cellBox(cell)?.box;
  if (!box) {
    return undefined;
  }
  const zoom = model.zoom();
  const width = (numberOf(item, "width") ?? usual.width) * zoom;
  const height = (numberOf(item, "height") ?? usual.height) * zoom;
  const offsetX = (numberOf(item, "offsetX") ?? 0) * zoom;
  const x = isMirrored(model) ? box.x + box.width - offsetX - width : box.x + offsetX;
  return { x, y: box.y + (numberOf(item, "offsetY") ?? 0) * zoom, width, height };
}

export function isMirrored(model: WorkbookModel): boolean {
  return model.grid?.view.isRightToLeft === true;
}

/** The anchor and the fields of an item that is to lie there; none when there is no cell. */
export function anchored(
  model: WorkbookModel,
  { x, y, width, height }: DrawingPosition,
): { readonly anchors: string[]; readonly fields: Record<string, ItemValue> } | undefined {
  const startX = isMirrored(model) ? x + width - 1 : x;
  const anchor = model.grid?.cellAt(startX, y);
  const box = anchor && model.grid?.boxOfCell(anchor);
  if (!anchor || !box) {
    return undefined;
  }
  const px = (onScreen: number): number => Math.max(0, Math.round(onScreen / model.zoom()));
  const offsetX = isMirrored(model) ? box.x + box.width - x - width : x - box.x;
  return {
    anchors: [cellName(anchor)],
    fields: { offsetX: px(offsetX), offsetY: px(y - box.y), width: px(width), height: px(height) },
  };
}

export function isSamePlace(a: DrawingPosition, b: DrawingPosition): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 1;
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height);
}

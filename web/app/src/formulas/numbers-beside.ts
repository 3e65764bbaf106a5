/** The numbers that a function inserted into a cell most likely is for, as AutoSum of Excel finds them. */

import { type Cell, columnCount, type Range, rowCount } from "@quadrille/grid";
import { ValueKind } from "@quadrille/protocol";
import type { Direction } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** A block of numbers next to a cell. */
export interface Block {
  readonly range: Range;
  /** From where on and in which direction the block may go on beyond the loaded cells. */
  readonly beyond: { readonly from: Cell; readonly direction: Direction } | undefined;
}

/**
 * The numbers directly above the cell, otherwise those directly to its left, otherwise the next ones above with the blank cells
 * between.
 */
export function numbersBeside(model: WorkbookModel, cell: Cell): Block | undefined {
  const above = { row: cell.row - 1, column: cell.column };
  const left = { row: cell.row, column: cell.column - 1 };
  return block(model, above, "up") ?? block(model, left, "left") ?? blockBeyondBlanks(model, above);
}

/** The block with the numbers beyond the loaded cells. */
export async function wholeBlock(model: WorkbookModel, { range, beyond }: Block): Promise<Range> {
  if (!beyond) {
    return range;
  }
  const sheet = model.sheetId();
  const { row, column } = await model.session.query({ type: "edge", sheet, ...beyond });
  const whole = { ...range, top: Math.min(range.top, row), left: Math.min(range.left, column) };
  // The edge is that of another block if this one ends with the loaded cells, and may be a text.
  const { numbers } = await model.session.query({ type: "summarize", sheet, ranges: [whole] });
  const isBlock = numbers === rowCount(whole) * columnCount(whole);
  const first = beyond.direction === "up" ? { ...whole, top: whole.top + 1 } : { ...whole, left: whole.left + 1 };
  return isBlock ? whole : numbers === rowCount(first) * columnCount(first) ? first : range;
}

/** Whether all cells are loaded and blank. */
export function isBlankRange(model: WorkbookModel, { top, left, bottom, right }: Range): boolean {
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      if (model.grid?.kindOf({ row, column }) !== ValueKind.Blank) {
        return false;
      }
    }
  }
  return true;
}

/** The numbers from `first` on in a direction. */
function block(model: WorkbookModel, first: Cell, direction: "up" | "left"): Block | undefined {
  const kind = (cell: Cell): ValueKind | undefined => model.grid?.kindOf(cell);
  if (kind(first) !== ValueKind.Number) {
    return undefined;
  }
  let last = first;
  let next = before(last, direction);
  while (kind(next) === ValueKind.Number) {
    last = next;
    next = before(last, direction);
  }
  const isAtEdge = next.row < 0 || next.column < 0;
  const range = { top: last.row, left: last.column, bottom: first.row, right: first.column };
  return { range, beyond: kind(next) === undefined && !isAtEdge ? { from: last, direction } : undefined };
}

function blockBeyondBlanks(model: WorkbookModel, above: Cell): Block | undefined {
  let first = above;
  while (model.grid?.kindOf(first) === ValueKind.Blank) {
    first = before(first, "up");
  }
  const found = block(model, first, "up");
  return found && { ...found, range: { ...found.range, bottom: above.row } };
}

function before({ row, column }: Cell, direction: "up" | "left"): Cell {
  return direction === "up" ? { row: row - 1, column } : { row, column: column - 1 };
}

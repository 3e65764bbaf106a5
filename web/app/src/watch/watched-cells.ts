/**
 * The cells that a person watches, wherever they are in the workbook. They are a state of this page,
 * remembered for the tab; others do not see them.
 */

import { type Cell, rangeOf, shiftRange } from "@quadrille/grid";
import type { Notice } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";

/** Watched cells, at most: each is read after a change. */
export const WATCHED_MAX = 100;

/** A watched cell. */
export interface WatchedCell {
  readonly sheet: number;
  readonly cell: Cell;
}

/** The list of watched cells of a workbook. */
export class WatchedCells {
  private readonly key: string;
  private readonly signal = createSignal<readonly WatchedCell[]>([]);
  readonly list = this.signal[0];

  constructor(model: WorkbookModel) {
    this.key = `quadrille.watched.${model.room}`;
    this.restore();
    // Never aborted: the list lives as long as the model.
    model.onNotice((notice) => notice.type === "moved" && this.moveWithCells(notice), new AbortController().signal);
  }

  /** Adds cells that are not watched yet. Returns whether all found room. */
  add(cells: readonly WatchedCell[]): boolean {
    const added = cells.filter((one) => !this.list().some((other) => isSame(one, other)));
    const all = [...this.list(), ...added];
    this.set(all.slice(0, WATCHED_MAX));
    return all.length <= WATCHED_MAX;
  }

  remove(cell: WatchedCell): void {
    this.set(this.list().filter((other) => !isSame(cell, other)));
  }

  /** Moves watched cells with the rows and columns that are inserted, deleted or moved. */
  private moveWithCells(moved: Notice & { type: "moved" }): void {
    const next = this.list().flatMap((watched) => {
      if (watched.sheet !== moved.sheet) {
        return [watched];
      }
      const range = shiftRange(rangeOf(watched.cell), moved);
      return range ? [{ ...watched, cell: { row: range.top, column: range.left } }] : [];
    });
    this.set(next);
  }

  private set(cells: readonly WatchedCell[]): void {
    this.signal[1](cells);
    try {
      sessionStorage.setItem(this.key, JSON.stringify(cells.map(({ sheet, cell }) => [sheet, cell.row, cell.column])));
    } catch {
      // Storage is disabled: the list is not remembered.
    }
  }

  private restore(): void {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
      const cells = (Array.isArray(stored) ? stored : []).flatMap((one: unknown): WatchedCell[] => {
        const [sheet, row, column] = Array.isArray(one) ? (one as readonly unknown[]) : [];
        return typeof sheet === "number" && typeof row === "number" && typeof column === "number" ? [{ sheet, cell: { row, column } }] : [];
      });
      this.signal[1](cells.slice(0, WATCHED_MAX));
    } catch {
      // Storage is disabled: nothing is watched.
    }
  }
}

const lists = new WeakMap<WorkbookModel, WatchedCells>();

/** The watched cells of a workbook. */
export function watchedCells(model: WorkbookModel): WatchedCells {
  const list = lists.get(model) ?? new WatchedCells(model);
  lists.set(model, list);
  return list;
}

function isSame(one: WatchedCell, other: WatchedCell): boolean {
  return one.sheet === other.sheet && one.cell.row === other.cell.row && one.cell.column === other.cell.column;
}

/** Compares two revisions over REST and lays their rows and columns out beside each other. */

import { roomApi } from "../rooms/index.ts";
import { COLUMNS_MAX, type PastCell, read, ROWS_MAX } from "./history.ts";

/** Consecutive rows or columns: the number of the first one in each revision, from 1. */
export interface AlignedRun {
  /** `null` for new ones. */
  readonly before: number | null;
  /** `null` for deleted ones. */
  readonly after: number | null;
  readonly count: number;
}

/** A cell with its address. */
export interface AddressedCell extends PastCell {
  readonly cell: string;
}

/** A cell that differs. */
export interface CellDifference {
  readonly kind: "content" | "format" | "added" | "removed";
  readonly before: AddressedCell | null;
  readonly after: AddressedCell | null;
}

/** The differences of a sheet; one that is new or deleted has only its name. */
export interface SheetDifferences {
  readonly before: string | null;
  readonly after: string | null;
  readonly rows?: readonly AlignedRun[];
  readonly columns?: readonly AlignedRun[];
  readonly cells?: readonly CellDifference[];
  readonly cellCount?: number;
  readonly isComplete: boolean;
}

/** Number of different cells of a sheet that are listed. */
const CELLS_MAX = 5_000;

/** The differences of the sheets between two revisions. Rejects with `HistoryUnavailable`. */
export async function compareRevisions(room: string, from: number, to: number | undefined): Promise<readonly SheetDifferences[]> {
  const query = new URLSearchParams({ limit: String(CELLS_MAX) });
  if (to !== undefined) {
    query.set("to", String(to));
  }
  const url = `${roomApi(room)}/history/${from}/differences?${query.toString()}`;
  return (await read<{ sheets: readonly SheetDifferences[] }>(room, url)).sheets;
}

/** A row or column of the comparison: its index from 0 in each revision. */
export interface AlignedLine {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** The lines of aligned runs, at most `max`. */
export function alignedLines(runs: readonly AlignedRun[], max: number): AlignedLine[] {
  const lines: AlignedLine[] = [];
  for (const { before, after, count } of runs) {
    for (let offset = 0; offset < count && lines.length < max; offset += 1) {
      const index = (first: number | null): number | undefined => (first === null ? undefined : first - 1 + offset);
      lines.push({ before: index(before), after: index(after) });
    }
  }
  return lines;
}

/** The rows and columns of a sheet that are shown beside each other. */
export function shownLines(sheet: SheetDifferences): { rows: AlignedLine[]; columns: AlignedLine[] } {
  return { rows: alignedLines(sheet.rows ?? [], ROWS_MAX), columns: alignedLines(sheet.columns ?? [], COLUMNS_MAX) };
}

/** The differences by the address of the cell in one of the revisions. */
export function byAddress(sheet: SheetDifferences, side: "before" | "after"): ReadonlyMap<string, CellDifference> {
  const found = new Map<string, CellDifference>();
  for (const difference of sheet.cells ?? []) {
    const cell = difference[side];
    if (cell) {
      found.set(cell.cell, difference);
    }
  }
  return found;
}

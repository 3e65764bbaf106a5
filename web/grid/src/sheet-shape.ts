/** The shape of a sheet: sizes, hidden and frozen rows and columns, extent. */

import type { HiddenRun, SizeRun } from "./axis.ts";

/** Default height of a row at zoom 1. */
export const ROW_HEIGHT_PX = 22;
/** Default width of a column at zoom 1. */
export const COLUMN_WIDTH_PX = 96;

/** Sizes, hidden and frozen rows and columns, and extent of a sheet. */
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

/** Shape of an empty sheet with default sizes. */
export const EMPTY_SHAPE: SheetShape = {
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

/**
 * Extent, sizes and hidden lines of a sheet, as the engine writes them.
 *
 * u32, little-endian: magic, sheet, used rows, used columns, frozen rows, frozen columns, bits (1 right to left,
 * 2 without gridlines), and how many runs follow: row heights, column widths, hidden rows, hidden columns. Then for
 * each size its first, count and CSS pixels; for each hidden run its first and count. Laid out by
 * `crates/viewport/src/sheet_dimensions.rs`.
 */

const MAGIC = 0x32_53_51_00;
const HEADER_WORDS = 11;
const RIGHT_TO_LEFT = 1;
const NO_GRIDLINES = 2;

export interface SizeRun {
  readonly first: number;
  readonly count: number;
  readonly sizePx: number;
}

export interface HiddenRun {
  readonly first: number;
  readonly count: number;
}

export class SheetShape {
  readonly sheet: number;
  /** Rows up to and with the last one in use. */
  readonly usedRows: number;
  readonly usedColumns: number;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly isRightToLeft: boolean;
  readonly hasGridlines: boolean;
  readonly rowRuns: readonly SizeRun[];
  readonly columnRuns: readonly SizeRun[];
  readonly hiddenRows: readonly HiddenRun[];
  readonly hiddenColumns: readonly HiddenRun[];

  constructor(buffer: ArrayBuffer) {
    const words = new Uint32Array(buffer);
    const at = (index: number): number => words[index] ?? 0;
    if (at(0) !== MAGIC) {
      throw new Error("the engine and the page are of different versions");
    }
    this.sheet = at(1);
    this.usedRows = at(2);
    this.usedColumns = at(3);
    this.frozenRows = at(4);
    this.frozenColumns = at(5);
    this.isRightToLeft = (at(6) & RIGHT_TO_LEFT) !== 0;
    this.hasGridlines = (at(6) & NO_GRIDLINES) === 0;
    let next = HEADER_WORDS;
    const sizes = (count: number): SizeRun[] =>
      Array.from({ length: count }, () => ({ first: at(next++), count: at(next++), sizePx: at(next++) }));
    const hidden = (count: number): HiddenRun[] =>
      Array.from({ length: count }, () => ({ first: at(next++), count: at(next++) }));
    this.rowRuns = sizes(at(7));
    this.columnRuns = sizes(at(8));
    this.hiddenRows = hidden(at(9));
    this.hiddenColumns = hidden(at(10));
  }
}

/**
 * Extent and sizes of a sheet, as the engine writes them.
 *
 * u32, little-endian: magic, sheet, used rows, used columns, runs of rows, runs of columns; then for each run
 * first, count and size in CSS pixels. Laid out by `crates/wasm/src/shape.rs`.
 */

const MAGIC = 0x31_53_51_00;
const HEADER_WORDS = 6;

export interface SizeRun {
  readonly first: number;
  readonly count: number;
  readonly sizePx: number;
}

export class SheetShape {
  readonly sheet: number;
  /** Rows up to and with the last one in use. */
  readonly usedRows: number;
  readonly usedColumns: number;
  readonly rowRuns: readonly SizeRun[];
  readonly columnRuns: readonly SizeRun[];

  constructor(buffer: ArrayBuffer) {
    const words = new Uint32Array(buffer);
    const at = (index: number): number => words[index] ?? 0;
    if (at(0) !== MAGIC) {
      throw new Error("the engine and the page are of different versions");
    }
    this.sheet = at(1);
    this.usedRows = at(2);
    this.usedColumns = at(3);
    const rowRuns = at(4);
    const columnRuns = at(5);
    this.rowRuns = runs(words, HEADER_WORDS, rowRuns);
    this.columnRuns = runs(words, HEADER_WORDS + 3 * rowRuns, columnRuns);
  }
}

function runs(words: Uint32Array, start: number, count: number): SizeRun[] {
  return Array.from({ length: count }, (_, index) => ({
    first: words[start + 3 * index] ?? 0,
    count: words[start + 3 * index + 1] ?? 0,
    sizePx: words[start + 3 * index + 2] ?? 0,
  }));
}

/**
 * The rectangle of cells that the grid draws, as the engine writes it.
 *
 * One buffer, little-endian, laid out by `crates/wasm/src/window.rs`:
 *
 * | part   | type             | holds                                                          |
 * |--------|------------------|----------------------------------------------------------------|
 * | header | u32 × 8          | magic, sheet, first row, rows, first column, columns, styles, bytes of text |
 * | styles | u32 × 3 each     | text colour, fill colour (`NO_COLOR` = default), attribute bits |
 * | ends   | u32 each cell    | where the cell's text ends, in UTF-16 units, row by row         |
 * | looks  | u16 each cell    | index into styles                                              |
 * | kinds  | u8 each cell     | kind of value, `HAS_FORMULA`                                   |
 * | text   | UTF-8            | all texts one after another                                    |
 */

const MAGIC = 0x31_57_51_00;
const HEADER_BYTES = 32;

/** Stands for "as the theme has it". */
export const NO_COLOR = 0xffff_ffff;

export const enum ValueKind {
  Blank = 0,
  Number = 1,
  Text = 2,
  Boolean = 3,
  Error = 4,
}

const KIND_MASK = 0x07;
const HAS_FORMULA = 0x08;

export const enum Align {
  None = 0,
  /** Left or top. */
  Start = 1,
  Center = 2,
  /** Right or bottom. */
  End = 3,
}

export interface CellStyle {
  /** `0xRRGGBB` or `NO_COLOR`. */
  readonly textColor: number;
  readonly fillColor: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strikethrough: boolean;
  readonly wrap: boolean;
  readonly horizontal: Align;
  readonly vertical: Align;
}

/** A window of one sheet. Cells are numbered row by row from `firstRow`, `firstColumn`. */
export class SheetWindow {
  readonly sheet: number;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly firstColumn: number;
  readonly columnCount: number;
  private readonly styles: readonly CellStyle[];
  private readonly ends: Uint32Array;
  private readonly looks: Uint16Array;
  private readonly kinds: Uint8Array;
  private readonly allText: string;

  constructor(buffer: ArrayBuffer) {
    const header = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
    const at = (index: number): number => header[index] ?? 0;
    if (at(0) !== MAGIC) {
      throw new Error("the engine and the page are of different versions");
    }
    this.sheet = at(1);
    this.firstRow = at(2);
    this.rowCount = at(3);
    this.firstColumn = at(4);
    this.columnCount = at(5);
    const styleCount = at(6);
    const textBytes = at(7);
    const cells = this.rowCount * this.columnCount;

    let offset = HEADER_BYTES;
    this.styles = decodeStyles(new Uint32Array(buffer, offset, styleCount * 3));
    offset += styleCount * 12;
    this.ends = new Uint32Array(buffer, offset, cells);
    offset += cells * 4;
    this.looks = new Uint16Array(buffer, offset, cells);
    offset += cells * 2;
    this.kinds = new Uint8Array(buffer, offset, cells);
    offset += cells;
    this.allText = new TextDecoder().decode(new Uint8Array(buffer, offset, textBytes));
  }

  /** The cell's number in this window, or -1 when it lies outside. */
  index(row: number, column: number): number {
    const rowInside = row - this.firstRow;
    const columnInside = column - this.firstColumn;
    const outside =
      rowInside < 0 || columnInside < 0 || rowInside >= this.rowCount || columnInside >= this.columnCount;
    return outside ? -1 : rowInside * this.columnCount + columnInside;
  }

  text(index: number): string {
    const start = index === 0 ? 0 : (this.ends[index - 1] ?? 0);
    return this.allText.substring(start, this.ends[index] ?? start);
  }

  hasText(index: number): boolean {
    return (this.ends[index] ?? 0) > (index === 0 ? 0 : (this.ends[index - 1] ?? 0));
  }

  kind(index: number): ValueKind {
    return (this.kinds[index] ?? 0) & KIND_MASK;
  }

  hasFormula(index: number): boolean {
    return ((this.kinds[index] ?? 0) & HAS_FORMULA) !== 0;
  }

  style(index: number): CellStyle {
    return this.styles[this.looks[index] ?? 0] ?? PLAIN;
  }
}

export const PLAIN: CellStyle = {
  textColor: NO_COLOR,
  fillColor: NO_COLOR,
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  wrap: false,
  horizontal: Align.None,
  vertical: Align.None,
};

function decodeStyles(words: Uint32Array): CellStyle[] {
  const styles: CellStyle[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const bits = words[at + 2] ?? 0;
    styles.push({
      textColor: words[at] ?? NO_COLOR,
      fillColor: words[at + 1] ?? NO_COLOR,
      bold: (bits & 1) !== 0,
      italic: (bits & 2) !== 0,
      underline: (bits & 4) !== 0,
      strikethrough: (bits & 8) !== 0,
      wrap: (bits & 16) !== 0,
      horizontal: (bits >> 8) & 3,
      vertical: (bits >> 10) & 3,
    });
  }
  return styles;
}

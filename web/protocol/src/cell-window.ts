/**
 * A rectangle of cells that the grid draws, without its hidden rows, as the engine writes it.
 *
 * One buffer, little-endian, laid out by `crates/viewport/src/cell_window.rs`:
 *
 * | part   | type             | holds                                                          |
 * |--------|------------------|----------------------------------------------------------------|
 * | header | u32 × 10         | magic, sheet, first column, columns, runs of rows, styles, bytes of text, merges, bytes of marks, 0 |
 * | rows   | u32 × 2 each     | first and count of each run of rows that are not hidden         |
 * | styles | u32 × 8 each     | text colour, fill colour (`NO_COLOR` = default), attribute bits, font, borders top, right, bottom, left |
 * | merges | u32 × 4 each     | top, left, bottom, right                                        |
 * | ends   | u32 each cell    | where the cell's text ends, in UTF-16 units, row by row         |
 * | looks  | u16 each cell    | index into styles                                              |
 * | kinds  | u8 each cell     | kind of value, `HAS_FORMULA`                                   |
 * | text   | UTF-8            | all texts one after another                                    |
 * | marks  | UTF-8            | `WindowMarks` as JSON, or nothing                              |
 */

import type { CellMark } from "../generated/CellMark.ts";
import type { WindowMarks } from "../generated/WindowMarks.ts";

const MAGIC = 0x33_57_51_00;
const HEADER_BYTES = 40;
const STYLE_WORDS = 12;
const MERGE_WORDS = 4;

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

/** How text fills the width of its cell; the line itself is positioned by `horizontal`. */
export const enum HorizontalFill {
  None = 0,
  /** Wrapped lines have the width of the cell, except the last one. */
  Justify = 1,
  Distributed = 2,
  /** The text is repeated. */
  Repeat = 3,
  /** The text is centred over the cell and the blank cells after it with the same alignment. */
  AcrossCells = 4,
}

export const enum UnderlineStyle {
  Single = 0,
  Double = 1,
  SingleAccounting = 2,
  DoubleAccounting = 3,
}

export const enum FontScript {
  None = 0,
  Superscript = 1,
  Subscript = 2,
}

export const enum ReadingOrder {
  /** The first letter decides. */
  Automatic = 0,
  LeftToRight = 1,
  RightToLeft = 2,
}

/** Fill patterns of ECMA-376, 18.18.55 (`ST_PatternType`). */
export const enum FillPattern {
  Solid = 0,
  MediumGray = 1,
  DarkGray = 2,
  LightGray = 3,
  DarkHorizontal = 4,
  DarkVertical = 5,
  DarkDown = 6,
  DarkUp = 7,
  DarkGrid = 8,
  DarkTrellis = 9,
  LightHorizontal = 10,
  LightVertical = 11,
  LightDown = 12,
  LightUp = 13,
  LightGrid = 14,
  LightTrellis = 15,
  Gray125 = 16,
  Gray0625 = 17,
}

export const enum BorderLine {
  None = 0,
  Hair = 1,
  Dotted = 2,
  Dashed = 3,
  Thin = 4,
  DashDot = 5,
  DashDotDot = 6,
  Medium = 7,
  MediumDashed = 8,
  MediumDashDot = 9,
  MediumDashDotDot = 10,
  SlantDashDot = 11,
  Thick = 12,
  Double = 13,
}

export interface Border {
  readonly line: BorderLine;
  /** `0xRRGGBB`. */
  readonly color: number;
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
  /** Text ends at the cell's border even beside blank cells. */
  readonly clips: boolean;
  /** Text is written smaller until it fits. */
  readonly shrinks: boolean;
  readonly horizontal: Align;
  readonly vertical: Align;
  /** In points; 0 is the default. */
  readonly fontSize: number;
  /** Empty is the default. */
  readonly fontFamily: string;
  /** In steps of about three letters. */
  readonly indent: number;
  /** Degrees counterclockwise, -90 to 90; `STACKED` writes letters below one another. */
  readonly rotation: number;
  readonly top: Border | undefined;
  readonly right: Border | undefined;
  readonly bottom: Border | undefined;
  readonly left: Border | undefined;
  readonly horizontalFill: HorizontalFill;
  /** Wrapped lines have the height of the cell. */
  readonly fillsHeight: boolean;
  readonly underlineStyle: UnderlineStyle;
  readonly script: FontScript;
  readonly readingOrder: ReadingOrder;
  readonly pattern: FillPattern;
  /** `0xRRGGBB` or `NO_COLOR`. */
  readonly patternColor: number;
  readonly diagonalUp: Border | undefined;
  readonly diagonalDown: Border | undefined;
}

export const STACKED = 255;

export interface Merge {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

interface RowRun {
  readonly first: number;
  readonly count: number;
  /** Rows of the runs before it. */
  readonly before: number;
}

const NO_ROWS: RowRun = { first: 0, count: 0, before: 0 };

/** A window of one sheet. Cells are numbered row by row, without those of hidden rows. */
/** Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

export class SheetWindow {
  readonly sheet: number;
  /** Rows from the first to the last, hidden ones between them included. */
  readonly firstRow: number;
  readonly rowCount: number;
  readonly firstColumn: number;
  readonly columnCount: number;
  private readonly runs: readonly RowRun[];
  private lastRun: RowRun;
  readonly styles: readonly CellStyle[];
  /** Merged ranges that have a cell in the window. */
  readonly merges: readonly Merge[];
  private readonly mergesByCell: ReadonlyMap<number, Merge>;
  /** The first cell of each merged range in the window; it shows what the whole range shows. */
  private readonly firstOfMerge = new Map<Merge, number>();
  private readonly ends: Uint32Array;
  private readonly looks: Uint16Array;
  private readonly kinds: Uint8Array;
  /** Whether some text has letters that are written from right to left. */
  readonly hasRightToLeft: boolean;
  private readonly allText: string;
  private readonly marks: ReadonlyMap<number, CellMark>;

  constructor(buffer: ArrayBuffer) {
    const header = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
    const at = (index: number): number => header[index] ?? 0;
    if (at(0) !== MAGIC) {
      throw new Error("the engine and the page are of different versions");
    }
    this.sheet = at(1);
    this.firstColumn = at(2);
    this.columnCount = at(3);
    const runCount = at(4);
    const styleCount = at(5);
    const textBytes = at(6);
    const mergeCount = at(7);
    const markBytes = at(8);

    let offset = HEADER_BYTES;
    this.runs = decodeRuns(new Uint32Array(buffer, offset, runCount * 2));
    offset += runCount * 8;
    this.lastRun = this.runs[0] ?? NO_ROWS;
    const end = this.runs.at(-1) ?? NO_ROWS;
    this.firstRow = this.lastRun.first;
    this.rowCount = end.first + end.count - this.firstRow;
    const cells = (end.before + end.count) * this.columnCount;

    const styleWords = new Uint32Array(buffer, offset, styleCount * STYLE_WORDS);
    offset += styleCount * STYLE_WORDS * 4;
    const mergeWords = new Uint32Array(buffer, offset, mergeCount * MERGE_WORDS);
    offset += mergeCount * MERGE_WORDS * 4;
    this.ends = new Uint32Array(buffer, offset, cells);
    offset += cells * 4;
    this.looks = new Uint16Array(buffer, offset, cells);
    offset += cells * 2;
    this.kinds = new Uint8Array(buffer, offset, cells);
    offset += cells;
    const decoder = new TextDecoder();
    this.allText = decoder.decode(new Uint8Array(buffer, offset, textBytes));
    // A letter from right to left takes more than one byte, so that most windows are not searched.
    this.hasRightToLeft = this.allText.length < textBytes && RIGHT_TO_LEFT.test(this.allText);
    offset += textBytes;
    const marks = markBytes > 0 ? decodeMarks(decoder.decode(new Uint8Array(buffer, offset, markBytes))) : undefined;
    this.marks = new Map(marks?.cells.map(({ at: cell, mark }) => [cell, mark] as const));
    this.styles = decodeStyles(styleWords, marks?.fonts ?? []);
    this.merges = decodeMerges(mergeWords);
    this.mergesByCell = this.indexMerges();
  }

  /**
   * The window with other numbers of rows, in a user's own order; `undefined` if `positionOf` does
   * not ascend over the rows of this window.
   */
  withRows(positionOf: (row: number) => number): SheetWindow | undefined {
    const runs: RowRun[] = [];
    for (const { first, count, before } of this.runs) {
      for (let index = 0; index < count; index += 1) {
        const position = positionOf(first + index);
        const last = runs.at(-1);
        if (last && position < last.first + last.count) {
          return undefined;
        }
        if (last && position === last.first + last.count) {
          runs[runs.length - 1] = { ...last, count: last.count + 1 };
        } else {
          runs.push({ first: position, count: 1, before: before + index });
        }
      }
    }
    const merges = this.merges.map((merge) => ({ ...merge, top: positionOf(merge.top), bottom: positionOf(merge.bottom) }));
    return (Object.create(SheetWindow.prototype) as SheetWindow).takeRows(this, runs, merges);
  }

  /** Takes over the cells of another window under other numbers of rows. */
  private takeRows(other: SheetWindow, runs: readonly RowRun[], merges: readonly Merge[]): SheetWindow {
    const [first, last] = [runs[0] ?? NO_ROWS, runs.at(-1) ?? NO_ROWS];
    Object.assign(this, other, {
      runs,
      merges,
      lastRun: first,
      firstRow: first.first,
      rowCount: last.first + last.count - first.first,
      firstOfMerge: new Map(),
    });
    return Object.assign(this, { mergesByCell: this.indexMerges() });
  }

  /** The cell's number in this window, or -1 when it lies outside or in a hidden row. */
  index(row: number, column: number): number {
    const columnInside = column - this.firstColumn;
    if (columnInside < 0 || columnInside >= this.columnCount) {
      return -1;
    }
    let run = this.lastRun;
    if (row < run.first || row >= run.first + run.count) {
      run = this.runOf(row);
      if (row < run.first || row >= run.first + run.count) {
        return -1;
      }
      this.lastRun = run;
    }
    return (run.before + row - run.first) * this.columnCount + columnInside;
  }

  /** The cell that has this number. */
  cell(index: number): { readonly row: number; readonly column: number } {
    const at = Math.floor(index / this.columnCount);
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.runs[middle]?.before ?? 0) <= at) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const run = this.runs[low] ?? NO_ROWS;
    return { row: run.first + at - run.before, column: this.firstColumn + (index % this.columnCount) };
  }

  /** The last run that begins at or before `row`. */
  private runOf(row: number): RowRun {
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.runs[middle]?.first ?? 0) <= row) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return this.runs[low] ?? NO_ROWS;
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

  /** Which of `styles`. */
  styleIndex(index: number): number {
    return this.looks[index] ?? 0;
  }

  style(index: number): CellStyle {
    return this.styleNumbered(this.styleIndex(index));
  }

  /** One of `styles`. */
  styleNumbered(number: number): CellStyle {
    return this.styles[number] ?? PLAIN;
  }

  merge(index: number): Merge | undefined {
    return this.mergesByCell.size === 0 ? undefined : this.mergesByCell.get(index);
  }

  /** The cell that shows what a merged range shows, or -1. */
  visibleIndexOf(merge: Merge): number {
    return this.firstOfMerge.get(merge) ?? -1;
  }

  mark(index: number): CellMark | undefined {
    return this.marks.size === 0 ? undefined : this.marks.get(index);
  }

  /** Cells with a mark, and the mark. */
  get marked(): Iterable<readonly [index: number, mark: CellMark]> {
    return this.marks;
  }

  private indexMerges(): ReadonlyMap<number, Merge> {
    const found = new Map<number, Merge>();
    const lastRow = this.firstRow + this.rowCount - 1;
    const lastColumn = this.firstColumn + this.columnCount - 1;
    for (const merge of this.merges) {
      for (let row = Math.max(merge.top, this.firstRow); row <= Math.min(merge.bottom, lastRow); row += 1) {
        for (let column = Math.max(merge.left, this.firstColumn); column <= Math.min(merge.right, lastColumn); column += 1) {
          const index = this.index(row, column);
          if (index >= 0) {
            found.set(index, merge);
            if (!this.firstOfMerge.has(merge)) {
              this.firstOfMerge.set(merge, index);
            }
          }
        }
      }
    }
    return found;
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
  clips: false,
  shrinks: false,
  horizontal: Align.None,
  vertical: Align.None,
  fontSize: 0,
  fontFamily: "",
  indent: 0,
  rotation: 0,
  top: undefined,
  right: undefined,
  bottom: undefined,
  left: undefined,
  horizontalFill: HorizontalFill.None,
  fillsHeight: false,
  underlineStyle: UnderlineStyle.Single,
  script: FontScript.None,
  readingOrder: ReadingOrder.Automatic,
  pattern: FillPattern.Solid,
  patternColor: NO_COLOR,
  diagonalUp: undefined,
  diagonalDown: undefined,
};

function decodeRuns(words: Uint32Array): RowRun[] {
  const runs: RowRun[] = [];
  let before = 0;
  for (let at = 0; at + 1 < words.length; at += 2) {
    const count = words[at + 1] ?? 0;
    runs.push({ first: words[at] ?? 0, count, before });
    before += count;
  }
  return runs;
}

function decodeMarks(json: string): WindowMarks {
  // Written by the engine from the type that this one is generated from.
  return JSON.parse(json) as WindowMarks;
}

function decodeMerges(words: Uint32Array): Merge[] {
  const merges: Merge[] = [];
  for (let at = 0; at + 3 < words.length; at += MERGE_WORDS) {
    const word = (index: number): number => words[at + index] ?? 0;
    merges.push({ top: word(0), left: word(1), bottom: word(2), right: word(3) });
  }
  return merges;
}

function decodeStyles(words: Uint32Array, fonts: readonly string[]): CellStyle[] {
  const styles: CellStyle[] = [];
  for (let at = 0; at + STYLE_WORDS <= words.length; at += STYLE_WORDS) {
    const word = (index: number): number => words[at + index] ?? 0;
    const bits = word(2);
    const font = word(3);
    const more = word(8);
    styles.push({
      textColor: word(0),
      fillColor: word(1),
      bold: (bits & 1) !== 0,
      italic: (bits & 2) !== 0,
      underline: (bits & 4) !== 0,
      strikethrough: (bits & 8) !== 0,
      wrap: (bits & 16) !== 0,
      clips: (bits & 32) !== 0,
      shrinks: (bits & 64) !== 0,
      horizontal: (bits >> 8) & 3,
      vertical: (bits >> 10) & 3,
      // The upper half, with its sign.
      rotation: bits >> 16,
      fontSize: (font & 0xffff) / 10,
      fontFamily: fonts[((font >> 16) & 0xff) - 1] ?? "",
      indent: font >>> 24,
      top: borderOf(word(4)),
      right: borderOf(word(5)),
      bottom: borderOf(word(6)),
      left: borderOf(word(7)),
      horizontalFill: more & 7,
      fillsHeight: (more & 8) !== 0,
      underlineStyle: (more >> 6) & 3,
      script: (more >> 8) & 3,
      readingOrder: (more >> 10) & 3,
      pattern: (more >> 12) & 31,
      patternColor: word(9),
      diagonalUp: borderOf(word(10)),
      diagonalDown: borderOf(word(11)),
    });
  }
  return styles;
}

function borderOf(word: number): Border | undefined {
  return word === 0 ? undefined : { line: word >>> 24, color: word & 0xff_ffff };
}

/**
 * The commands of "Paste special". The engine copies unchanged cells; with an operation, skipped
 * blanks or transposed values, the client computes each cell and sends one command for all.
 */

import type { Notation } from "@quadrille/editor";
import { type Cell, columnName, type Range, rangeName, rangeOf } from "@quadrille/grid";
import type { CellContent, CellTable, Command, ReadCell } from "@quadrille/protocol";

/** The pasted content. */
export type PasteSpecialContent = "all" | "formulas" | "values" | "formats" | "numbers" | "widths";
/** The operation that combines pasted and existing numbers. */
export type Operation = "none" | "add" | "subtract" | "multiply" | "divide";

/** The options of the dialog. */
export interface SpecialChoice {
  readonly what: PasteSpecialContent;
  readonly operation: Operation;
  readonly skipsBlanks: boolean;
  readonly transposes: boolean;
}

/** A rectangle of cells; all rows have the same length. */
export type Block = readonly (readonly ReadCell[])[];

/** Source and target of a paste. */
export interface SpecialPaste {
  readonly fromSheet: number;
  readonly source: Range;
  /**
   * Runs of source rows that a filter hides: first row and count. They are pasted only if the cells
   * have to be read.
   */
  readonly leavingOut: [number, number][];
  readonly sheet: number;
  /** The selection; if it is a multiple of the source it is filled with it. */
  readonly target: Range;
}

const SIGNS: Readonly<Record<Exclude<Operation, "none">, string>> = { add: "+", subtract: "-", multiply: "*", divide: "/" };
const BLANK: ReadCell = { text: "" };

/**
 * Whether the content can be transposed: whole cells and values can, formulas only with their
 * formats.
 */
export function canTranspose({ what }: SpecialChoice): boolean {
  return what === "all" || what === "values" || what === "numbers";
}

/** Whether an operation can be applied: the content must include values. */
export function canCalculate({ what }: SpecialChoice): boolean {
  return what === "all" || what === "formulas" || what === "values" || what === "numbers";
}

/** Whether blank cells can be skipped. */
export function canSkipBlanks(choice: SpecialChoice): boolean {
  return canCalculate(choice) && !(choice.transposes && choice.what === "all" && choice.operation === "none");
}

/** Whether the client has to read the source and target cells. */
export function needsCells({ what, operation, skipsBlanks, transposes }: SpecialChoice): boolean {
  return what === "numbers" || operation !== "none" || skipsBlanks || (transposes && what === "values");
}

/**
 * The target range: the selection if it is a multiple of the source, otherwise a range of the size
 * of the source.
 */
export function pasteTarget(source: Range, target: Range, transposes: boolean): Range {
  const [down, across] = [source.bottom - source.top + 1, source.right - source.left + 1];
  const [height, width] = transposes ? [across, down] : [down, across];
  const isMultiple = (target.bottom - target.top + 1) % height === 0 && (target.right - target.left + 1) % width === 0;
  return isMultiple ? target : { top: target.top, left: target.left, bottom: target.top + height - 1, right: target.left + width - 1 };
}

/** The source without filtered rows, moved together; its size is the size of the paste. */
export function packedSource({ source, leavingOut }: SpecialPaste, choice: SpecialChoice): Range {
  const inside = ([first, count]: readonly [number, number]): number =>
    Math.max(0, Math.min(first + count - 1, source.bottom) - Math.max(first, source.top) + 1);
  const left = needsCells(choice) ? 0 : leavingOut.reduce((sum, run) => sum + inside(run), 0);
  return { ...source, bottom: Math.max(source.top, source.bottom - left) };
}

/** The cells of a query result as a complete rectangle. */
export function blockOf(table: CellTable, range: Range): Block {
  const rows = new Map(table.rows.map((row) => [row.row, row.cells]));
  return Array.from({ length: range.bottom - range.top + 1 }, (_, down) => {
    const cells = rows.get(range.top + down) ?? [];
    return Array.from({ length: range.right - range.left + 1 }, (__, right) => cells[range.left + right - table.left] ?? BLANK);
  });
}

/**
 * The commands of a paste. `cells` are the source and `before` the target cells, both needed only
 * if `needsCells`; `before` has the size of the target.
 */
export function specialCommands(paste: SpecialPaste, choice: SpecialChoice, cells: Block, before: Block): readonly Command[] {
  const { what, operation, skipsBlanks, transposes } = choice;
  const copy = (source: Range, target: Range, how: "all" | "contents" | "values" | "formats" | "transposed"): Command => ({
    type: "copyPaste",
    fromSheet: paste.fromSheet,
    source: rangeName(source),
    sheet: paste.sheet,
    target: rangeName(target),
    what: how,
  });
  const { source, target } = paste;
  const whole = what === "formulas" ? "contents" : what === "formats" || what === "values" ? what : "all";
  if (!needsCells(choice)) {
    const { leavingOut } = paste;
    return [{ ...copy(source, target, transposes ? "transposed" : whole), ...(leavingOut.length > 0 && { leavingOut }) }];
  }
  const destination = pasteTarget(source, target, transposes);
  const at = { row: destination.top, column: destination.left };
  if (operation !== "none") {
    const formats = what === "all" && !transposes ? [copy(source, target, "formats")] : [];
    const numbers = what === "numbers" ? numberFormats(paste.sheet, at, arrangedSource(cells, before, transposes), skipsBlanks) : [];
    const contents = calculated(arrangedSource(cells, before, transposes), before, operation, skipsBlanks);
    return [...formats, { type: "setCells", sheet: paste.sheet, at: nameOf(at), cells: contents }, ...numbers];
  }
  if (what === "all" || what === "formulas") {
    return filledRuns(cells).map(({ row, first, last }) => {
      const run = { top: source.top + row, bottom: source.top + row, left: source.left + first, right: source.left + last };
      const to = { top: destination.top + row, bottom: destination.top + row, left: destination.left + first, right: destination.left + last };
      return copy(run, to, whole);
    });
  }
  const arranged = arrangedSource(cells, before, transposes);
  const contents = arranged.map((row) => row.map((cell) => (isBlank(cell) ? (skipsBlanks ? "keep" : "blank") : valueOf(cell))));
  const numbers = what === "numbers" ? numberFormats(paste.sheet, at, arranged, skipsBlanks) : [];
  return [{ type: "setCells", sheet: paste.sheet, at: nameOf(at), cells: contents }, ...numbers];
}

/**
 * Formulas that refer to the source: relative references to a range, an absolute reference to a
 * single cell.
 */
export function linkCommand(paste: SpecialPaste, sheetPrefix: string, { formatReference, cycleAbsolute }: Notation): Command {
  const { source, sheet, target } = paste;
  const isSingleCell = source.top === source.bottom && source.left === source.right;
  const destination = pasteTarget(source, target, false);
  // The formula is typed, so it is in the reference style of the user.
  const host = { row: destination.top, column: destination.left };
  const first = formatReference(rangeOf({ row: source.top, column: source.left }), host);
  const reference = isSingleCell ? cycleAbsolute(first, host) : first;
  return { type: "typeEverywhere", sheet, range: rangeName(destination), text: `=${sheetPrefix}!${reference}` };
}

/** Sets column widths; adjacent columns of equal width share a command. */
export function widthCommands(paste: SpecialPaste, widthPx: (column: number) => number): readonly Command[] {
  const { source, target } = paste;
  const commands: Command[] = [];
  let first = source.left;
  for (let column = source.left; column <= source.right; column += 1) {
    if (column === source.right || widthPx(column + 1) !== widthPx(first)) {
      commands.push({
        type: "resize",
        sheet: paste.sheet,
        dimension: "columns",
        first: target.left + first - source.left,
        count: column - first + 1,
        size: widthPx(first),
      });
      first = column + 1;
    }
  }
  return commands;
}

function nameOf({ row, column }: Cell): string {
  return `${columnName(column)}${row + 1}`;
}

function isBlank(cell: ReadCell): boolean {
  return cell.value === undefined && cell.formula === undefined;
}

/** The source, transposed on request and repeated to fill the target. */
function arrangedSource(cells: Block, before: Block, transposes: boolean): Block {
  const height = (transposes ? cells[0]?.length : cells.length) ?? 1;
  const width = (transposes ? cells.length : cells[0]?.length) ?? 1;
  return before.map((row, down) =>
    row.map((_, right) => {
      const [y, x] = transposes ? [right % width, down % height] : [down % height, right % width];
      return cells[y]?.[x] ?? BLANK;
    }),
  );
}

function valueOf(cell: ReadCell): CellContent {
  const { value } = cell;
  switch (typeof value) {
    case "number":
      return { number: value };
    case "boolean":
      return { boolean: value };
    case "string":
      // The result of a formula that starts with `#` is an error, which only typed text produces.
      return cell.formula !== undefined && value.startsWith("#") ? { typed: value } : { text: value };
    default:
      return { text: "" };
  }
}

/**
 * Applies an operation. As in Excel, blank cells count as 0, texts stay unchanged and formulas are
 * extended.
 */
function calculated(cells: Block, before: Block, operation: Exclude<Operation, "none">, skipsBlanks: boolean): CellContent[][] {
  return before.map((row, down) =>
    row.map((old, right): CellContent => {
      const cell = cells[down]?.[right] ?? BLANK;
      const number = isBlank(cell) && !skipsBlanks ? 0 : cell.value;
      if (typeof number !== "number") {
        return "keep";
      }
      if (old.formula !== undefined) {
        return { formula: `=(${old.formula.slice(1)})${SIGNS[operation]}${operand(number)}` };
      }
      const current = isBlank(old) ? 0 : old.value;
      if (typeof current !== "number" || (isBlank(old) && isBlank(cell))) {
        return "keep";
      }
      switch (operation) {
        case "add":
          return { number: current + number };
        case "subtract":
          return { number: current - number };
        case "multiply":
          return { number: current * number };
        default:
          return number === 0 ? { formula: `=${operand(current)}/0` } : { number: current / number };
      }
    }),
  );
}

function operand(number: number): string {
  return number < 0 ? `(${number})` : String(number);
}

/** Runs of adjacent filled cells. */
function filledRuns(cells: Block): readonly { readonly row: number; readonly first: number; readonly last: number }[] {
  return cells.flatMap((row, at) => {
    const runs: { row: number; first: number; last: number }[] = [];
    row.forEach((cell, column) => {
      const run = runs.at(-1);
      if (isBlank(cell)) {
        return;
      }
      if (run?.last === column - 1) {
        run.last = column;
      } else {
        runs.push({ row: at, first: column, last: column });
      }
    });
    return runs;
  });
}

/** One format command per run of cells in a column with the same number format. */
function numberFormats(sheet: number, at: Cell, cells: Block, skipsBlanks: boolean): readonly Command[] {
  const commands: Command[] = [];
  const width = cells[0]?.length ?? 0;
  for (let right = 0; right < width; right += 1) {
    const isSkipped = (down: number): boolean => skipsBlanks && isBlank(cells[down]?.[right] ?? BLANK);
    const codeOf = (down: number): string | null => cells[down]?.[right]?.numberFormat ?? null;
    for (let down = 0; down < cells.length; ) {
      let end = down;
      while (end + 1 < cells.length && !isSkipped(down) && !isSkipped(end + 1) && codeOf(end + 1) === codeOf(down)) {
        end += 1;
      }
      if (!isSkipped(down)) {
        const column = at.column + right;
        const range = rangeName({ top: at.row + down, bottom: at.row + end, left: column, right: column });
        commands.push({ type: "format", sheet, range, format: { numberFormat: codeOf(down) } });
      }
      down = end + 1;
    }
  }
  return commands;
}

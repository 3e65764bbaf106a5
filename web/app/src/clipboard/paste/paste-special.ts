/**
 * What "paste special" does, as commands. Cells that are copied as they are, are left to the engine; what is calculated,
 * skipped or turned on the way is written cell by cell, one command for all.
 */

import type { Notation } from "@quadrille/editor";
import { type Cell, columnName, type Range, rangeName, rangeOf } from "@quadrille/grid";
import type { CellContent, CellTable, Command, ReadCell } from "@quadrille/protocol";

export type PasteSpecialContent = "all" | "formulas" | "values" | "formats" | "numbers" | "widths";
export type Operation = "none" | "add" | "subtract" | "multiply" | "divide";

export interface SpecialChoice {
  readonly what: PasteSpecialContent;
  readonly operation: Operation;
  readonly skipsBlanks: boolean;
  readonly transposes: boolean;
}

/** A rectangle of cells that were read; every row is equally long. */
export type Block = readonly (readonly ReadCell[])[];

export interface SpecialPaste {
  readonly fromSheet: number;
  readonly source: Range;
  /** Rows of the source that a filter hid: first row and count each. Cells that have to be read are pasted with them. */
  readonly leavingOut: [number, number][];
  readonly sheet: number;
  /** The whole selection: a multiple of the source is filled with it. */
  readonly target: Range;
}

const SIGNS: Readonly<Record<Exclude<Operation, "none">, string>> = { add: "+", subtract: "-", multiply: "*", divide: "/" };
const BLANK: ReadCell = { text: "" };

/** Turning goes with whole cells and with values; formulas that are turned take their looks along. */
export function canTranspose({ what }: SpecialChoice): boolean {
  return what === "all" || what === "values" || what === "numbers";
}

/** Calculating needs contents. */
export function canCalculate({ what }: SpecialChoice): boolean {
  return what === "all" || what === "formulas" || what === "values" || what === "numbers";
}

export function canSkipBlanks(choice: SpecialChoice): boolean {
  return canCalculate(choice) && !(choice.transposes && choice.what === "all" && choice.operation === "none");
}

/** Whether the cells themselves have to be read for it. */
export function needsCells({ what, operation, skipsBlanks, transposes }: SpecialChoice): boolean {
  return what === "numbers" || operation !== "none" || skipsBlanks || (transposes && what === "values");
}

/** The cells that it goes to: the selection when that is a multiple of the source, otherwise as many as the source has. */
export function pasteTarget(source: Range, target: Range, transposes: boolean): Range {
  const [down, across] = [source.bottom - source.top + 1, source.right - source.left + 1];
  const [height, width] = transposes ? [across, down] : [down, across];
  const isMultiple = (target.bottom - target.top + 1) % height === 0 && (target.right - target.left + 1) % width === 0;
  return isMultiple ? target : { top: target.top, left: target.left, bottom: target.top + height - 1, right: target.left + width - 1 };
}

/** As many rows as of the source are pasted. */
export function packedSource({ source, leavingOut }: SpecialPaste, choice: SpecialChoice): Range {
  const inside = ([first, count]: readonly [number, number]): number =>
    Math.max(0, Math.min(first + count - 1, source.bottom) - Math.max(first, source.top) + 1);
  const left = needsCells(choice) ? 0 : leavingOut.reduce((sum, run) => sum + inside(run), 0);
  return { ...source, bottom: Math.max(source.top, source.bottom - left) };
}

/** The cells of a question's answer as a whole rectangle. */
export function blockOf(table: CellTable, range: Range): Block {
  const rows = new Map(table.rows.map((row) => [row.row, row.cells]));
  return Array.from({ length: range.bottom - range.top + 1 }, (_, down) => {
    const cells = rows.get(range.top + down) ?? [];
    return Array.from({ length: range.right - range.left + 1 }, (__, right) => cells[range.left + right - table.left] ?? BLANK);
  });
}

/** `cells` and `before`: source and target, where `needsCells`; `before` is as large as the place of the paste. */
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
  const place = pasteTarget(source, target, transposes);
  const at = { row: place.top, column: place.left };
  if (operation !== "none") {
    const looks = what === "all" && !transposes ? [copy(source, target, "formats")] : [];
    const numbers = what === "numbers" ? numberFormats(paste.sheet, at, turnedTo(cells, before, transposes), skipsBlanks) : [];
    const contents = calculated(turnedTo(cells, before, transposes), before, operation, skipsBlanks);
    return [...looks, { type: "setCells", sheet: paste.sheet, at: nameOf(at), cells: contents }, ...numbers];
  }
  if (what === "all" || what === "formulas") {
    return filledRuns(cells).map(({ row, first, last }) => {
      const run = { top: source.top + row, bottom: source.top + row, left: source.left + first, right: source.left + last };
      const to = { top: place.top + row, bottom: place.top + row, left: place.left + first, right: place.left + last };
      return copy(run, to, whole);
    });
  }
  const turned = turnedTo(cells, before, transposes);
  const contents = turned.map((row) => row.map((cell) => (isBlank(cell) ? (skipsBlanks ? "keep" : "blank") : valueOf(cell))));
  const numbers = what === "numbers" ? numberFormats(paste.sheet, at, turned, skipsBlanks) : [];
  return [{ type: "setCells", sheet: paste.sheet, at: nameOf(at), cells: contents }, ...numbers];
}

/** Formulas that show the source, cell by cell; a single cell stays the one that was copied. */
export function linkCommand(paste: SpecialPaste, sheetPrefix: string, { formatReference, cycleAbsolute }: Notation): Command {
  const { source, sheet, target } = paste;
  const isOne = source.top === source.bottom && source.left === source.right;
  const place = pasteTarget(source, target, false);
  // Typed, so it is read as the person writes references.
  const host = { row: place.top, column: place.left };
  const first = formatReference(rangeOf({ row: source.top, column: source.left }), host);
  const shown = isOne ? cycleAbsolute(first, host) : first;
  return { type: "typeEverywhere", sheet, range: rangeName(place), text: `=${sheetPrefix}!${shown}` };
}

/** Columns that stand side by side and are equally wide are one command. */
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

/** The source, turned if it is to be, as often as it takes to fill the target. */
function turnedTo(cells: Block, before: Block, transposes: boolean): Block {
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
      // What a formula shows with this sign is an error, which only typing makes.
      return cell.formula !== undefined && value.startsWith("#") ? { typed: value } : { text: value };
    default:
      return { text: "" };
  }
}

/** As in Excel: blank cells count as 0, texts stay as they are, formulas go on being formulas. */
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
      const had = isBlank(old) ? 0 : old.value;
      if (typeof had !== "number" || (isBlank(old) && isBlank(cell))) {
        return "keep";
      }
      switch (operation) {
        case "add":
          return { number: had + number };
        case "subtract":
          return { number: had - number };
        case "multiply":
          return { number: had * number };
        default:
          return number === 0 ? { formula: `=${operand(had)}/0` } : { number: had / number };
      }
    }),
  );
}

function operand(number: number): string {
  return number < 0 ? `(${number})` : String(number);
}

/** Cells with contents that stand side by side. */
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

/** One command for each stretch of a column with one format. */
function numberFormats(sheet: number, at: Cell, cells: Block, skipsBlanks: boolean): readonly Command[] {
  const commands: Command[] = [];
  const width = cells[0]?.length ?? 0;
  for (let right = 0; right < width; right += 1) {
    const isLeft = (down: number): boolean => skipsBlanks && isBlank(cells[down]?.[right] ?? BLANK);
    const codeOf = (down: number): string | null => cells[down]?.[right]?.numberFormat ?? null;
    for (let down = 0; down < cells.length; ) {
      let end = down;
      while (end + 1 < cells.length && !isLeft(down) && !isLeft(end + 1) && codeOf(end + 1) === codeOf(down)) {
        end += 1;
      }
      if (!isLeft(down)) {
        const column = at.column + right;
        const range = rangeName({ top: at.row + down, bottom: at.row + end, left: column, right: column });
        commands.push({ type: "format", sheet, range, format: { numberFormat: codeOf(down) } });
      }
      down = end + 1;
    }
  }
  return commands;
}

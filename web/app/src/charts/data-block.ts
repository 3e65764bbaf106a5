/**
 * Reads a block of cells as the data of a chart: which rows or columns hold texts, dates or numbers, and
 * whether they have headers.
 */

import { columnCount, type Range, rowCount } from "@quadrille/grid";
import type { ReadCell } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/**
 * Whether series are columns or rows. A block with more columns than rows has its series in rows.
 */
export type Direction = "columns" | "rows";

/** Points and fields that are read to choose a chart; a chart may have more. */
const POINTS_READ_MAX = 500;
const FIELDS_READ_MAX = 60;

/** One cell of a field. */
export interface DataPoint {
  /** The displayed text. */
  readonly text: string;
  readonly number: number | null;
}

/** A column of the block, or a row when series are in rows. */
export interface DataField {
  /** Zero-based index of the row or column on the sheet. */
  readonly index: number;
  /** The text of its header; empty without one. */
  readonly name: string;
  readonly kind: "texts" | "dates" | "numbers" | "empty";
  readonly points: readonly DataPoint[];
  /** Whether its texts are names of countries, as far as that was asked. */
  readonly hasCountries?: boolean;
}

/** A block of cells with its detected layout. */
export interface DataBlock {
  /** The cells with the points and their headers, without a row of totals at the end. */
  readonly range: Range;
  readonly direction: Direction;
  readonly hasHeader: boolean;
  readonly fields: readonly DataField[];
}

/** Reads `range` of the current sheet. */
export async function readBlock(model: WorkbookModel, range: Range): Promise<DataBlock> {
  const isInRows = directionOf(range) === "rows";
  const [rows, columns] = isInRows ? [FIELDS_READ_MAX, POINTS_READ_MAX + 1] : [POINTS_READ_MAX + 1, FIELDS_READ_MAX];
  const read = { ...range, bottom: Math.min(range.bottom, range.top + rows - 1), right: Math.min(range.right, range.left + columns - 1) };
  const table = await model.session.query({ type: "cells", sheet: model.sheetId(), range: read, skipsFiltered: false });
  const cells = new Map(table.rows.map(({ row, cells }) => [row, cells]));
  const cellAt = (row: number, column: number): ReadCell | undefined => cells.get(row)?.[column - table.left];
  return withCountries(analyzeBlock(range, isInRows ? columnCount(read) : rowCount(read), cellAt));
}

/** The block with the fields of countries marked. The names of countries are loaded for texts beside numbers only. */
async function withCountries(block: DataBlock): Promise<DataBlock> {
  const hasTexts = block.fields.some(({ kind }) => kind === "texts") && block.fields.some(({ kind }) => kind === "numbers");
  // Without them, other charts are suggested.
  const countries = hasTexts ? await import("./countries.ts").catch(() => undefined) : undefined;
  return countries ? { ...block, fields: block.fields.map((field) => (field.kind === "texts" ? { ...field, hasCountries: countries.areCountries(field.points.map(({ text }) => text)) } : field)) } : block;
}

/**
 * Detects the layout of `range`, of which the first `length` cells of each row or column are read
 * through `cellAt`. The first cells are headers when none of them but the corner holds a number other
 * than a year or a date above other contents. Totals at the end are left out.
 */
export function analyzeBlock(range: Range, length: number, cellAt: (row: number, column: number) => ReadCell | undefined): DataBlock {
  const direction = directionOf(range);
  const isInRows = direction === "rows";
  const [first, last] = isInRows ? [range.top, range.bottom] : [range.left, range.right];
  const start = isInRows ? range.left : range.top;
  const indices = Array.from({ length: Math.min(last - first + 1, FIELDS_READ_MAX) }, (_, offset) => first + offset);
  const at = (index: number, point: number): ReadCell | undefined => (isInRows ? cellAt(index, start + point) : cellAt(start + point, index));
  const headers = indices.map((index) => at(index, 0));
  const below = indices.map((index) => at(index, 1));
  const hasHeader = length > 1 && areHeaders(headers.length > 1 ? headers.slice(1) : headers, headers.length > 1 ? below.slice(1) : below, isInRows);
  const isWhole = length === (isInRows ? columnCount(range) : rowCount(range));
  const isTotalled = isWhole && length > 3 && areTotals(indices.map((index) => at(index, length - 1)));
  const count = length - (isTotalled ? 1 : 0);
  const fields = indices.map((index, order): DataField => {
    const cells = Array.from({ length: count - (hasHeader ? 1 : 0) }, (_, point) => at(index, point + (hasHeader ? 1 : 0)));
    return {
      index,
      name: hasHeader ? (headers[order]?.text ?? "") : "",
      kind: kindOf(cells),
      points: cells.map((cell) => ({ text: cell?.text ?? "", number: typeof cell?.value === "number" ? cell.value : null })),
    };
  });
  const points = isTotalled ? (isInRows ? { ...range, right: range.right - 1 } : { ...range, bottom: range.bottom - 1 }) : range;
  return { range: points, direction, hasHeader, fields };
}

function directionOf(range: Range): Direction {
  return columnCount(range) > rowCount(range) ? "rows" : "columns";
}

function isFilled(cell: ReadCell | undefined): boolean {
  return cell?.value !== undefined && cell.value !== "";
}

function isDate(cell: ReadCell | undefined): boolean {
  return typeof cell?.value === "number" && /[ymd]/i.test((cell.numberFormat ?? "").replace(/\[[^\]]*\]|"[^"]*"/g, ""));
}

/** Whether the first cells, without the corner, are headers of the cells `below` them. */
function areHeaders(cells: readonly (ReadCell | undefined)[], below: readonly (ReadCell | undefined)[], isInRows: boolean): boolean {
  const years = cells.map((cell) => (isYear(cell?.value) ? cell.value : Number.NaN));
  if (cells.length > 1 && years.every((year, at) => at === 0 || year === (years[at - 1] ?? 0) + 1) && !below.every((cell) => isYear(cell?.value))) {
    return true;
  }
  return cells.some(isFilled) && cells.every((cell, at) => typeof cell?.value !== "number" || (isDate(cell) && (isInRows || !isDate(below[at]))));
}

/** Whether the last cells have the sums of those above them: formulas with nothing but a sum. */
function areTotals(cells: readonly (ReadCell | undefined)[]): boolean {
  const numbers = cells.filter((cell) => typeof cell?.value === "number");
  return numbers.length > 0 && numbers.every((cell) => /^=(?:SUM|SUBTOTAL|AGGREGATE)\([^()]*\)$/.test(cell?.formula ?? ""));
}

/** Whether a value can be a year of our time. */
export function isYear(value: ReadCell["value"] | null): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1900 && value <= 2100;
}

/** The kind of most of the cells that are not blank. */
function kindOf(cells: readonly (ReadCell | undefined)[]): DataField["kind"] {
  const filled = cells.filter(isFilled);
  const numbers = filled.filter((cell) => typeof cell?.value === "number");
  if (filled.length === 0) {
    return "empty";
  }
  if (numbers.length * 2 < filled.length) {
    return "texts";
  }
  return numbers.filter(isDate).length * 2 > numbers.length ? "dates" : "numbers";
}
